/**
 * Which of several machines has a session: the one that its client opened a stream on last. They say so on the channel
 * of the notices, so that each notice comes before or after a change of hands, for all of them alike.
 */

import { runtime } from '#runtime'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import type { Control, NotificationHub } from './notification-hub.js'

/** A holder that does not answer within this time is taken for dead. */
const silentMs = 1_000
/** A holder that answered may take this long to write what it has. */
const flushMs = 10_000
const holderTtlMs = 60 * 60_000

/** Where a session is, as the channel told so far. */
export type Place = 'here' | 'elsewhere' | 'unknown'

/** Who had the session before: another machine, which wrote everything; no live one; or this one. */
export type Before = 'gave' | 'nobody' | 'self'

export interface HolderEvents {
  placeOf(key: string): Place
  /** From here on the notices of the session are this machine's. */
  onTaken(key: string): void
  /** The machine `by` has it. Resolves when everything before was written; `stream` moves along. */
  onGiven(key: string, by: string, stream: string | undefined): Promise<void>
  /** The machine `by` does not have it any more. */
  onFree(key: string, by: string): void
}

/** One attempt of this machine to take a session. */
interface Turn {
  /** At least this long. */
  wait(ms: number): void
  end(before: Before): void
}

export class SessionHolders {
  readonly #store: Store
  readonly #notices: NotificationHub
  readonly #events: HolderEvents
  #name: string | undefined
  #count = 0
  readonly #turns = new Map<string, Turn>()

  constructor(store: Store, notices: NotificationHub, events: HolderEvents) {
    this.#store = store
    this.#notices = notices
    this.#events = events
    notices.onControl((control) => this.#hear(control))
  }

  /** Made when first needed: where routers are made, Workers have no randomness yet. */
  get #machine(): string {
    this.#name ??= toBase64Url(runtime.random(9))
    return this.#name
  }

  /** Takes it, with the stream that its client goes on with; waits until the machine that had it let go. Never rejects. */
  async take(key: string, stream?: string): Promise<Before> {
    const by = this.#machine
    const turn = `${by}${this.#count++}`
    const before = this.#begin(turn)
    try {
      const from = await this.#store.get(holderKey(key))
      await this.#claim(key)
      await this.#notices.control({ take: key, by, from, turn, stream })
      this.#turns.get(turn)?.wait(silentMs)
    } catch {
      // Without the store there are no other machines.
      this.#turns.get(turn)?.end('nobody')
      this.#events.onTaken(key)
    }
    const came = await before
    // Where the channel is not heard, nobody says that it was taken.
    if (came === 'nobody' && this.#events.placeOf(key) === 'unknown') this.#events.onTaken(key)
    return came
  }

  /** This machine has no stream of it any more. Never rejects. */
  async setFree(key: string): Promise<void> {
    try {
      await this.#store.delete(holderKey(key))
      await this.#notices.control({ free: key, by: this.#machine })
    } catch {
      // Whoever takes it next waits a little longer.
    }
  }

  #claim(key: string): Promise<void> {
    return this.#store.set(holderKey(key), this.#machine, holderTtlMs)
  }

  #begin(name: string): Promise<Before> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const end = (before: Before): void => {
        clearTimeout(timer)
        this.#turns.delete(name)
        resolve(before)
      }
      let longest = 0
      const wait = (ms: number): void => {
        // The holder may answer before the store says that it was asked.
        if (ms <= longest) return
        longest = ms
        clearTimeout(timer)
        timer = setTimeout(() => end('nobody'), ms)
      }
      this.#turns.set(name, { wait, end })
    })
  }

  #hear(control: Control): void {
    const { take, by = '', hears = '', gave = '', free } = control
    this.#turns.get(hears)?.wait(flushMs)
    this.#turns.get(gave)?.end('gave')
    if (free !== undefined) this.#events.onFree(free, by)
    if (take === undefined) return
    if (by === this.#machine) this.#taken(take, control)
    else void this.#give(take, control)
  }

  #taken(key: string, { from, turn = '' }: Control): void {
    const place = this.#events.placeOf(key)
    this.#events.onTaken(key)
    // Whoever had it before may have deleted the key meanwhile.
    this.#claim(key).catch(nothing)
    if (place === 'here') this.#turns.get(turn)?.end('self')
    else if (place === 'unknown' && (from === undefined || from === this.#machine))
      this.#turns.get(turn)?.end('nobody')
  }

  /** Only the machine that has it confirms: what a bystander has written says nothing of what that one has. */
  async #give(key: string, { by = '', from, turn, stream }: Control): Promise<void> {
    const place = this.#events.placeOf(key)
    const confirms = place === 'here' || (place === 'unknown' && from === this.#machine)
    const given = this.#events.onGiven(key, by, stream)
    if (confirms) this.#notices.control({ hears: turn }).catch(nothing)
    await given
    if (confirms) await this.#notices.control({ gave: turn }).catch(nothing)
  }
}

const holderKey = (key: string): string => `holder:${key}`

function nothing(): void {}
