/**
 * The resource subscriptions of legacy sessions. They're kept as a log in the store, since the stream for the updates may
 * be on another machine than the `resources/subscribe` request.
 */

import type { LogBound, Store } from '../store/store.js'
import type { Log } from '../support/logger.js'

/** The maximum number of subscriptions of one session. */
export const maxSubscriptions = 1_000

const channel = 'subscriptions'
/** Limits of a session's log. A session that subscribes and unsubscribes more often loses its oldest subscriptions. */
const logBound: Omit<LogBound, 'ageMs'> = { entries: 10_000, bytes: 4 * 1024 * 1024 }

/** `+uri` or `-uri`. */
type Change = string

interface ChangeMessage {
  readonly of: string
  readonly step: Change
}

/** A session with a stream on this machine. */
interface TrackedSession {
  /** The subscribed URIs; `undefined` if there are none. */
  uris: Set<string> | undefined
  /** Changes received while the log is being read; `undefined` after that. */
  buffered: Change[] | undefined
  loaded: Promise<void> | undefined
}

export class SessionSubscriptions {
  readonly #store: Store
  readonly #log: Log
  readonly #sessions = new Map<string, TrackedSession>()
  #listening: Promise<(() => void) | undefined> | undefined

  constructor(store: Store, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** Subscribes a session. Resolves to `false` if it has reached the limit. Rejects if the store fails. */
  async add(session: string, uri: string, ttlMs: number): Promise<boolean> {
    const uris = await this.#read(session)
    if (uris?.has(uri) === true) return true
    if ((uris?.size ?? 0) >= maxSubscriptions) return false
    await this.#write(session, `+${uri}`, ttlMs)
    return true
  }

  /** Unsubscribes a session. Rejects if the store fails. */
  async delete(session: string, uri: string, ttlMs: number): Promise<void> {
    if ((await this.#read(session))?.has(uri) === true) await this.#write(session, `-${uri}`, ttlMs)
  }

  /** Loads the subscriptions of a session with a stream on this machine and keeps them up to date. Never rejects. */
  track(session: string): Promise<void> {
    const known = this.#sessions.get(session)
    if (known !== undefined) return known.loaded ?? Promise.resolve()
    const tracked: TrackedSession = { uris: undefined, buffered: [], loaded: undefined }
    this.#sessions.set(session, tracked)
    tracked.loaded = this.#load(session, tracked)
    return tracked.loaded
  }

  async #load(session: string, tracked: TrackedSession): Promise<void> {
    try {
      await this.#listen()
      tracked.uris = await this.#read(session)
    } catch (error) {
      this.#log.warn("the store failed; a session's subscriptions are unknown", { err: error })
    }
    for (const step of tracked.buffered ?? []) tracked.uris = applyChange(tracked.uris, step)
    tracked.buffered = undefined
    tracked.loaded = undefined
  }

  untrack(session: string): void {
    this.#sessions.delete(session)
  }

  /** Whether a tracked session is subscribed to `uri`. */
  has(session: string, uri: string): boolean {
    return this.#sessions.get(session)?.uris?.has(uri) === true
  }

  close(): void {
    this.#listening?.then(
      (stop) => stop?.(),
      () => {},
    )
  }

  async #write(session: string, step: Change, ageMs: number): Promise<void> {
    await this.#store.append(`subscriptions:${session}`, step, { ...logBound, ageMs })
    await this.#store.publish(channel, JSON.stringify({ of: session, step } satisfies ChangeMessage))
    const tracked = this.#sessions.get(session)
    // Applies the change here as well, in case this machine doesn't receive the channel.
    if (tracked !== undefined && tracked.buffered === undefined)
      tracked.uris = applyChange(tracked.uris, step)
  }

  async #read(session: string): Promise<Set<string> | undefined> {
    const changes = (await this.#store.read(`subscriptions:${session}`)) ?? []
    return changes.reduce<Set<string> | undefined>((uris, { value }) => applyChange(uris, value), undefined)
  }

  #listen(): Promise<unknown> {
    this.#listening ??= this.#store.subscribe(channel, (message) => {
      const { of, step } = JSON.parse(message) as ChangeMessage
      const tracked = this.#sessions.get(of)
      if (tracked?.buffered !== undefined) tracked.buffered.push(step)
      else if (tracked !== undefined) tracked.uris = applyChange(tracked.uris, step)
    })
    this.#listening.catch(() => {
      this.#listening = undefined
    })
    return this.#listening
  }
}

function applyChange(uris: Set<string> | undefined, step: Change): Set<string> | undefined {
  const uri = step.slice(1)
  if (step.startsWith('+')) return (uris ?? new Set()).add(uri)
  uris?.delete(uri)
  return uris
}
