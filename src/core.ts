/** What one router is made of, inside. Requests read it; only the router's own methods change it. */

import type { ActivityEntry } from './activity.js'
import type { CacheHint } from './definitions.js'
import type { EntryDefaults } from './entries.js'
import type { Exchange } from './exchange.js'
import type { Log } from './log.js'
import type { Revision } from './protocol/revisions.js'
import type { Implementation, LoggingLevel } from './protocol/types.js'
import type { Registry } from './registry.js'
import type { FailedCall } from './report.js'
import type { SealedTokens } from './sealed-tokens.js'
import type { Sessions } from './sessions.js'

export interface Core {
  readonly info: Implementation
  /** The `_meta` of every modern result. */
  readonly serverMeta: Readonly<Record<string, object>>
  /** What follows the items of a modern list, as text without braces. */
  readonly envelopeText: (cache: CacheHint) => string
  readonly instructions: string | undefined
  readonly registry: Registry
  /** Oldest first. */
  readonly spoken: readonly Revision[]
  readonly speaks: { readonly legacy: boolean; readonly modern: boolean }
  readonly pageSize: number
  /** For lists and discovery, and for reads. */
  readonly cache: { readonly lists: CacheHint; readonly reads: CacheHint }
  /** `undefined`: only in development. */
  readonly exposeErrors: boolean | ((error: unknown, call: FailedCall) => boolean) | undefined
  readonly requireUser: boolean
  readonly defaults: EntryDefaults
  readonly tokens: SealedTokens
  /** `undefined`: no sessions are handed out. */
  readonly sessions: Sessions | undefined
  readonly logLevel: LoggingLevel
  readonly log: Log
  readonly onError: ((error: unknown, call: FailedCall) => void) | undefined
  readonly onActivity: ((entry: ActivityEntry) => void) | undefined
  readonly running: Running
  readonly counts: { calls: number; errors: number; streams: number; sessions: number }
}

/** The requests that are being served now: for cancellation and for closing. */
export class Running {
  readonly #exchanges = new Set<Exchange>()
  #idle: (() => void) | undefined
  /** True from `close()` on: new requests are refused. */
  closing = false

  get size(): number {
    return this.#exchanges.size
  }

  add(exchange: Exchange): void {
    this.#exchanges.add(exchange)
  }

  delete(exchange: Exchange): void {
    this.#exchanges.delete(exchange)
    if (this.#exchanges.size === 0) this.#idle?.()
  }

  /** The request that a `notifications/cancelled` names. Cancelling is rare, so it searches and calls keep no index. */
  find(scope: string | object | undefined, requestId: unknown): Exchange | undefined {
    if (scope === undefined) return undefined
    for (const exchange of this.#exchanges) {
      if (exchange.scope === scope && exchange.request.id === requestId) return exchange
    }
    return undefined
  }

  /** Resolves when nothing runs any more, or after `drainMs`. */
  async drained(drainMs: number): Promise<void> {
    if (this.#exchanges.size === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.#idle = resolve
      timer = setTimeout(resolve, drainMs)
    })
    this.#idle = undefined
    clearTimeout(timer)
  }

  abortAll(reason: Error): void {
    for (const exchange of [...this.#exchanges]) exchange.abort(reason)
  }
}
