/**
 * What machines that share a store tell each other of sessions: those that listen hear it, and the store keeps it for
 * those that see a session later.
 */

import type { LoggingLevel } from '../protocol/types.js'
import { Retries } from '../store/retries.js'
import type { Store } from '../store/store.js'
import { withTimeout } from '../support/deadlines.js'
import type { Log } from '../support/logger.js'

/** The session of this key ended, or its client set a log level. */
export interface SessionChange {
  readonly of: string
  /** Milliseconds since the epoch: when the session would expire. */
  readonly until: number
  /** Without one the session has ended. */
  readonly level?: LoggingLevel | undefined
}

/** A `notifications/cancelled` for a call that runs elsewhere. */
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
  /** How long a session lasts. Milliseconds. */
  readonly ttlMs: number
}

export interface SessionChangeEvents {
  onChange(change: SessionChange): void
  onCancel(of: string, cancel: Cancellation): void
  /** Somebody asks whether this stream is written here. */
  onAsk(of: string, stream: string): void
}

const channel = 'sessions'
/** How long the first sessions of a process wait for the store. */
const longestWaitMs = 1_000

/** Nothing here rejects: calls are served without the store, and what fails there is logged. */
export class SessionChanges {
  readonly #store: Store
  readonly #log: Log
  readonly #ttlMs: number
  readonly #events: SessionChangeEvents
  readonly #untold = new Retries()
  #listening: Promise<(() => void) | undefined> | undefined
  #first: Promise<unknown> | undefined
  #wait: Promise<void> | undefined
  #hasWaited = false

  constructor({ store, log, ttlMs }: SessionChangesParts, events: SessionChangeEvents) {
    this.#store = store
    this.#log = log
    this.#ttlMs = ttlMs
    this.#events = events
  }

  /** Begins to listen: at the first session it would be late for what others say of that one. */
  begin(): void {
    this.#first ??= this.listen().then(() => {
      this.#hasWaited = true
    })
  }

  /**
   * For the first sessions: resolves once this machine listens, or a second after the first of them. `undefined`:
   * nothing to wait for.
   */
  heard(): Promise<void> | undefined {
    if (this.#first === undefined || this.#hasWaited) return undefined
    this.#wait ??= this.#waitFor(this.#first)
    return this.#wait
  }

  /** Where the store is away, the next session tries again. */
  listen(): Promise<unknown> {
    this.#listening ??= this.#attempt(() =>
      this.#store.subscribe(channel, (text) => this.#hear(JSON.parse(text) as Message)),
    ).then((stop) => {
      if (stop === undefined) this.#listening = undefined
      return stop
    })
    return this.#listening
  }

  /** The client was told that it is so; where the store fails, others hear of it once it works again. */
  async tell(change: SessionChange): Promise<void> {
    const work = (): Promise<void> => this.#keepAndPublish(change)
    if ((await this.#attempt(() => work().then(() => true))) === true) return
    this.#untold.add(change.of, work)
  }

  /** Looks for the call on other machines. */
  async cancel(of: string, cancel: Cancellation): Promise<void> {
    await this.#attempt(() => this.#publish({ of, cancel }))
  }

  /** Asks every machine whether it writes this stream. Rejects where the store fails. */
  ask(of: string, stream: string): Promise<void> {
    return this.#publish({ of, asks: stream })
  }

  /** What was said of a session before this machine listened, or saw it. */
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
    this.#untold.close()
  }

  async #waitFor(first: Promise<unknown>): Promise<void> {
    await withTimeout(first, longestWaitMs, () => {})
    this.#hasWaited = true
  }

  async #keepAndPublish(change: SessionChange): Promise<void> {
    const { of, until, level } = change
    const leftMs = Math.max(1, until - Date.now())
    if (level !== undefined) await this.#store.set(levelKey(of), level, leftMs)
    // Not by this machine's time of day alone: where that is ahead, others would forget it while the session goes on.
    else await this.#store.set(endedKey(of), '1', Math.max(this.#ttlMs, leftMs))
    await this.#publish(change)
    if (level === undefined) await this.#store.delete(levelKey(of))
  }

  #publish(message: Message): Promise<void> {
    return this.#store.publish(channel, JSON.stringify(message))
  }

  #hear(message: Message): void {
    if ('cancel' in message) this.#events.onCancel(message.of, message.cancel)
    else if ('asks' in message) this.#events.onAsk(message.of, message.asks)
    else this.#events.onChange(message)
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#log.warn('the store failed; sessions go on with what this machine knows', { err: error })
      return undefined
    }
  }
}

const endedKey = (of: string): string => `ended:${of}`
const levelKey = (of: string): string => `level:${of}`
