/**
 * Which resources a legacy session is subscribed to: a log in the store, since the stream that the updates go out on
 * may be on another machine than the request that asked for them.
 */

import type { LogBound, Store } from '../store/store.js'
import type { Log } from '../support/logger.js'

/** A session with more than this would make every update a search. */
export const mostSubscriptions = 1_000

const channel = 'subscriptions'
/** A session that subscribes and unsubscribes more often than this loses its oldest subscriptions. */
const bound: Omit<LogBound, 'ageMs'> = { entries: 10_000, bytes: 4 * 1024 * 1024 }

/** `+uri` or `-uri`. */
type Step = string

interface News {
  readonly of: string
  readonly step: Step
}

/** A session that has a stream here. */
interface SessionEntry {
  /** `undefined`: none. */
  uris: Set<string> | undefined
  /** What came while the log was read. */
  early: Step[] | undefined
  loaded: Promise<void> | undefined
}

export class SessionSubscriptions {
  readonly #store: Store
  readonly #log: Log
  readonly #held = new Map<string, SessionEntry>()
  #listening: Promise<(() => void) | undefined> | undefined

  constructor(store: Store, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** False when the session has as many as it may have. Rejects where the store fails. */
  async add(session: string, uri: string, ttlMs: number): Promise<boolean> {
    const uris = await this.#read(session)
    if (uris?.has(uri) === true) return true
    if ((uris?.size ?? 0) >= mostSubscriptions) return false
    await this.#write(session, `+${uri}`, ttlMs)
    return true
  }

  /** Rejects where the store fails. */
  async delete(session: string, uri: string, ttlMs: number): Promise<void> {
    if ((await this.#read(session))?.has(uri) === true) await this.#write(session, `-${uri}`, ttlMs)
  }

  /** The session has a stream on this machine: its subscriptions are known here from now on. Never rejects. */
  hold(session: string): Promise<void> {
    const known = this.#held.get(session)
    if (known !== undefined) return known.loaded ?? Promise.resolve()
    const held: SessionEntry = { uris: undefined, early: [], loaded: undefined }
    this.#held.set(session, held)
    held.loaded = this.#load(session, held)
    return held.loaded
  }

  async #load(session: string, held: SessionEntry): Promise<void> {
    try {
      await this.#listen()
      held.uris = await this.#read(session)
    } catch (error) {
      this.#log.warn('the store failed; what a session subscribed to is not known', { err: error })
    }
    for (const step of held.early ?? []) held.uris = apply(held.uris, step)
    held.early = undefined
    held.loaded = undefined
  }

  release(session: string): void {
    this.#held.delete(session)
  }

  /** For sessions that are held. */
  has(session: string, uri: string): boolean {
    return this.#held.get(session)?.uris?.has(uri) === true
  }

  close(): void {
    this.#listening?.then(
      (stop) => stop?.(),
      () => {},
    )
  }

  async #write(session: string, step: Step, ageMs: number): Promise<void> {
    await this.#store.append(`subscriptions:${session}`, step, { ...bound, ageMs })
    await this.#store.publish(channel, JSON.stringify({ of: session, step } satisfies News))
    const held = this.#held.get(session)
    // Where the channel is not heard, what happens here is known all the same.
    if (held !== undefined && held.early === undefined) held.uris = apply(held.uris, step)
  }

  async #read(session: string): Promise<Set<string> | undefined> {
    const steps = (await this.#store.read(`subscriptions:${session}`)) ?? []
    return steps.reduce<Set<string> | undefined>((uris, { value }) => apply(uris, value), undefined)
  }

  #listen(): Promise<unknown> {
    this.#listening ??= this.#store.subscribe(channel, (message) => {
      const { of, step } = JSON.parse(message) as News
      const held = this.#held.get(of)
      if (held?.early !== undefined) held.early.push(step)
      else if (held !== undefined) held.uris = apply(held.uris, step)
    })
    this.#listening.catch(() => {
      this.#listening = undefined
    })
    return this.#listening
  }
}

function apply(uris: Set<string> | undefined, step: Step): Set<string> | undefined {
  const uri = step.slice(1)
  if (step.startsWith('+')) return (uris ?? new Set()).add(uri)
  uris?.delete(uri)
  return uris
}
