/**
 * Changes of sessions, exchanged between the machines that share a store: published to all of them, and kept in the store
 * for a machine that sees the session later.
 */

import type { LoggingLevel } from '../protocol/types.js'
import { Retries } from '../store/retries.js'
import type { Store } from '../store/store.js'
import { withTimeout } from '../support/deadlines.js'
import type { Log } from '../support/logger.js'

/** A session ended, or its client set a log level. */
export interface SessionChange {
  /** The key of the session. */
  readonly of: string
  /** The session's expiry, in milliseconds since the epoch. */
  readonly until: number
  /** The new log level; `undefined` if the session has ended. */
  readonly level?: LoggingLevel | undefined
}

/** A `notifications/cancelled` for a call that runs on another machine. */
export interface Cancellation {
  readonly requestId: unknown
  readonly reason: string
}

type Message =
  | SessionChange
  | { readonly of: string; readonly cancel: Cancellation }
  | { readonly of: string; readonly asks: string }

export interface SessionChangesParts {
  readonly store: Store
  readonly log: Log
  /** The TTL of a session in milliseconds. */
  readonly ttlMs: number
}

export interface SessionChangeEvents {
  onChange(change: SessionChange): void
  onCancel(sessionKey: string, cancel: Cancellation): void
  /** Another machine asks whether this machine writes `stream`. */
  onProbe(sessionKey: string, stream: string): void
}

const channel = 'sessions'
/** Milliseconds that the first sessions of a process wait for the store. */
const maxWaitMs = 1_000

/**
 * Publishes session changes and listens to those of other machines. Failures of the store are logged and don't affect
 * calls; only `probeWriter` rejects.
 */
export class SessionChanges {
  readonly #store: Store
  readonly #log: Log
  readonly #ttlMs: number
  readonly #events: SessionChangeEvents
  readonly #unsent = new Retries()
  #listening: Promise<(() => void) | undefined> | undefined
  #firstListen: Promise<unknown> | undefined
  #wait: Promise<void> | undefined
  #hasWaited = false

  constructor({ store, log, ttlMs }: SessionChangesParts, events: SessionChangeEvents) {
    this.#store = store
    this.#log = log
    this.#ttlMs = ttlMs
    this.#events = events
  }

  /** Starts to listen. Call it before the first session, so that no change of that session is missed. */
  start(): void {
    this.#firstListen ??= this.listen().then(() => {
      this.#hasWaited = true
    })
  }

  /**
   * Resolves once this machine listens, or one second after the first call, for the first sessions of a process. Returns
   * `undefined` if there's nothing to wait for.
   */
  whenListening(): Promise<void> | undefined {
    if (this.#firstListen === undefined || this.#hasWaited) return undefined
    this.#wait ??= this.#waitFor(this.#firstListen)
    return this.#wait
  }

  /** Listens to other machines. If the store fails, the next session tries again. */
  listen(): Promise<unknown> {
    this.#listening ??= this.#attempt(() =>
      this.#store.subscribe(channel, (text) => this.#handleMessage(JSON.parse(text) as Message)),
    ).then((stop) => {
      if (stop === undefined) this.#listening = undefined
      return stop
    })
    return this.#listening
  }

  /** Stores and publishes a change. If the store fails, retries until it works: the client already has the confirmation. */
  async announce(change: SessionChange): Promise<void> {
    const send = (): Promise<void> => this.#storeAndPublish(change)
    if ((await this.#attempt(() => send().then(() => true))) === true) return
    this.#unsent.add(change.of, send)
  }

  /** Asks other machines to cancel a call. */
  async cancel(of: string, cancel: Cancellation): Promise<void> {
    await this.#attempt(() => this.#publish({ of, cancel }))
  }

  /** Asks every machine whether it writes `stream`. Rejects if the store fails. */
  probeWriter(of: string, stream: string): Promise<void> {
    return this.#publish({ of, asks: stream })
  }

  /** Resolves to the stored change of a session, published before this machine listened or saw the session. */
  async lookUp(of: string, until: number): Promise<SessionChange | undefined> {
    await this.listen()
    return this.#attempt(async () => {
      if ((await this.#store.get(endedKey(of))) !== undefined) return { of, until }
      const level = (await this.#store.get(levelKey(of))) as LoggingLevel | undefined
      return level && { of, until, level }
    })
  }

  close(): void {
    void this.#listening?.then((stop) => stop?.())
    this.#listening = undefined
    this.#unsent.close()
  }

  async #waitFor(first: Promise<unknown>): Promise<void> {
    await withTimeout(first, maxWaitMs, () => {})
    this.#hasWaited = true
  }

  async #storeAndPublish(change: SessionChange): Promise<void> {
    const { of, until, level } = change
    const leftMs = Math.max(1, until - Date.now())
    if (level !== undefined) await this.#store.set(levelKey(of), level, leftMs)
    // At least the full TTL: if this machine's clock is ahead, the key would expire while the session is still valid.
    else await this.#store.set(endedKey(of), '1', Math.max(this.#ttlMs, leftMs))
    await this.#publish(change)
    if (level === undefined) await this.#store.delete(levelKey(of))
  }

  #publish(message: Message): Promise<void> {
    return this.#store.publish(channel, JSON.stringify(message))
  }

  #handleMessage(message: Message): void {
    if ('cancel' in message) this.#events.onCancel(message.of, message.cancel)
    else if ('asks' in message) this.#events.onProbe(message.of, message.asks)
    else this.#events.onChange(message)
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#log.warn('the store failed; sessions continue without changes from other machines', {
        err: error,
      })
      return undefined
    }
  }
}

const endedKey = (of: string): string => `ended:${of}`
const levelKey = (of: string): string => `level:${of}`
