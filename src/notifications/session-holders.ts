/**
 * Decides which of several machines holds a session, that is, sends its notifications: the one on which the client last
 * opened a stream. Machines exchange control messages on the channel of the notifications, so that on all of them a
 * notification comes either before or after a takeover.
 */

import { runtime } from '#runtime'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import type { ControlMessage, NotificationHub } from './notification-hub.js'

/** Milliseconds without a response after which a holder counts as dead. */
const responseTimeoutMs = 1_000
/** Milliseconds that a holder has, after its response, to write its pending events. */
const flushTimeoutMs = 10_000
const holderTtlMs = 60 * 60_000

/** The machine that holds a session, as far as this machine knows. */
export type SessionLocation = 'here' | 'elsewhere' | 'unknown'

/** The previous holder: another machine, which has written all its events; no live machine; or this machine. */
export type TakeoverResult = 'handed-over' | 'no-holder' | 'self'

export interface HolderEvents {
  locationOf(key: string): SessionLocation
  /** This machine now holds the session and sends its notifications. */
  onTaken(key: string): void
  /** The machine `by` now holds the session, and `stream` moves to it. Resolves once all earlier events are written. */
  onHandedOver(key: string, by: string, stream: string | undefined): Promise<void>
  /** The machine `by` no longer holds the session. */
  onReleased(key: string, by: string): void
}

/** An attempt of this machine to take a session. */
interface Takeover {
  /** Waits at least `ms` for the previous holder. */
  wait(ms: number): void
  end(result: TakeoverResult): void
}

export class SessionHolders {
  readonly #store: Store
  readonly #notifications: NotificationHub
  readonly #events: HolderEvents
  #machineId: string | undefined
  #count = 0
  readonly #takeovers = new Map<string, Takeover>()

  constructor(store: Store, notifications: NotificationHub, events: HolderEvents) {
    this.#store = store
    this.#notifications = notifications
    this.#events = events
    notifications.onControl((control) => this.#handleControl(control))
  }

  /** Created when first needed: Workers have no randomness while routers are created. */
  get #machine(): string {
    this.#machineId ??= toBase64Url(runtime.random(9))
    return this.#machineId
  }

  /** Takes a session, with the stream that the client resumes. Waits for the previous holder. Never rejects. */
  async take(key: string, stream?: string): Promise<TakeoverResult> {
    const by = this.#machine
    const turn = `${by}${this.#count++}`
    const ended = this.#startTakeover(turn)
    try {
      const from = await this.#store.get(holderKey(key))
      await this.#claim(key)
      await this.#notifications.sendControl({ take: key, by, from, turn, stream })
      this.#takeovers.get(turn)?.wait(responseTimeoutMs)
    } catch {
      // Without the store, this machine can't reach others.
      this.#takeovers.get(turn)?.end('no-holder')
      this.#events.onTaken(key)
    }
    const result = await ended
    // If this machine doesn't receive the channel, its own control message didn't arrive.
    if (result === 'no-holder' && this.#events.locationOf(key) === 'unknown') this.#events.onTaken(key)
    return result
  }

  /** Releases a session without streams on this machine. Never rejects. */
  async release(key: string): Promise<void> {
    try {
      await this.#store.delete(holderKey(key))
      await this.#notifications.sendControl({ free: key, by: this.#machine })
    } catch {
      // The next machine that takes the session waits for the timeout.
    }
  }

  #claim(key: string): Promise<void> {
    return this.#store.set(holderKey(key), this.#machine, holderTtlMs)
  }

  #startTakeover(name: string): Promise<TakeoverResult> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const end = (result: TakeoverResult): void => {
        clearTimeout(timer)
        this.#takeovers.delete(name)
        resolve(result)
      }
      let longestMs = 0
      const wait = (ms: number): void => {
        // The holder's response may arrive before publishing resolves. It must not shorten the wait.
        if (ms <= longestMs) return
        longestMs = ms
        clearTimeout(timer)
        timer = setTimeout(() => end('no-holder'), ms)
      }
      this.#takeovers.set(name, { wait, end })
    })
  }

  #handleControl(control: ControlMessage): void {
    const { take, by = '', hears = '', gave = '', free } = control
    this.#takeovers.get(hears)?.wait(flushTimeoutMs)
    this.#takeovers.get(gave)?.end('handed-over')
    if (free !== undefined) this.#events.onReleased(free, by)
    if (take === undefined) return
    if (by === this.#machine) this.#completeTake(take, control)
    else void this.#handOver(take, control)
  }

  #completeTake(key: string, { from, turn = '' }: ControlMessage): void {
    const location = this.#events.locationOf(key)
    this.#events.onTaken(key)
    // The previous holder may have deleted the key in the meantime.
    this.#claim(key).catch(nothing)
    if (location === 'here') this.#takeovers.get(turn)?.end('self')
    else if (location === 'unknown' && (from === undefined || from === this.#machine))
      this.#takeovers.get(turn)?.end('no-holder')
  }

  /** Hands a session over. Only its holder confirms: other machines don't know whether all events are written. */
  async #handOver(key: string, { by = '', from, turn, stream }: ControlMessage): Promise<void> {
    const location = this.#events.locationOf(key)
    const isHolder = location === 'here' || (location === 'unknown' && from === this.#machine)
    const written = this.#events.onHandedOver(key, by, stream)
    if (isHolder) this.#notifications.sendControl({ hears: turn }).catch(nothing)
    await written
    if (isHolder) await this.#notifications.sendControl({ gave: turn }).catch(nothing)
  }
}

const holderKey = (key: string): string => `holder:${key}`

function nothing(): void {}
