/**
 * Which of several machines has a session: the one that its client opened a stream on last. They say so on the channel
 * of the notices, so that each notice comes before or after a change of hands, for all of them alike.
 */

import { runtime } from '#runtime'
import { toBase64Url } from '../base64.js'
import type { Store } from '../store/store.js'
import type { Control, Notices } from './notices.js'

/** A machine that does not say that it let go is taken for dead. */
const handOverMs = 1_000
const holderTtlMs = 60 * 60_000

export interface HolderEvents {
  /** From here on the notices of the session are this machine's. */
  onTaken(key: string): void
  /** Another machine has it. Resolves when everything before was written; `stream` moves along. */
  onGiven(key: string, stream: string | undefined): Promise<void>
  /** No machine has it any more. */
  onFree(key: string): void
}

export class SessionHolders {
  readonly #store: Store
  readonly #notices: Notices
  readonly #events: HolderEvents
  #name: string | undefined
  /** Who waits for another machine to let go, by session. */
  readonly #waiting = new Map<string, () => void>()

  constructor(store: Store, notices: Notices, events: HolderEvents) {
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
  async take(key: string, stream?: string): Promise<void> {
    try {
      const holder = await this.#store.get(holderKey(key))
      const handedOver = holder === undefined || holder === this.#machine ? undefined : this.#handOver(key)
      await this.#store.set(holderKey(key), this.#machine, holderTtlMs)
      await this.#notices.control({ take: key, by: this.#machine, stream })
      await handedOver
    } catch {
      // Without the store there are no other machines.
      this.#events.onTaken(key)
    }
  }

  /** This machine has no stream of it any more. Never rejects. */
  async setFree(key: string): Promise<void> {
    try {
      await this.#store.delete(holderKey(key))
      await this.#notices.control({ free: key })
    } catch {
      // Whoever takes it next waits a little longer.
    }
  }

  #handOver(key: string): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(key)
        resolve()
      }
      const timer = setTimeout(done, handOverMs)
      this.#waiting.set(key, done)
    })
  }

  #hear({ take, by, stream, gave, free }: Control): void {
    if (gave !== undefined) this.#waiting.get(gave)?.()
    if (free !== undefined) this.#events.onFree(free)
    if (take === undefined) return
    if (by === this.#machine) this.#events.onTaken(take)
    else void this.#give(take, stream)
  }

  async #give(key: string, stream: string | undefined): Promise<void> {
    await this.#events.onGiven(key, stream)
    await this.#notices.control({ gave: key }).catch(() => {})
  }
}

const holderKey = (key: string): string => `holder:${key}`
