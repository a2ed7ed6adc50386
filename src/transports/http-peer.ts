/** One HTTP request as the core sees it. */

import type { Identity } from '../context.js'
import type { Core } from '../core.js'
import type { Peer } from '../exchange.js'
import { Interrupted } from '../failures/failure.js'
import type { Agreement } from '../protocol/envelope.js'
import { isDevelopment } from '../router-options.js'
import { longestTimer } from '../running.js'
import { isThenable, whenReady } from '../thenable.js'
import type { HttpSessions } from './http-sessions.js'
import { isLoopbackAddress, isLoopbackName } from './origins.js'
import type { Send } from './reply.js'
import type { HttpRequest } from './shapes.js'

/** Where the caller is found. */
export interface PeerOptions {
  readonly core: Core
  readonly sessions: HttpSessions
  readonly user: (raw: unknown) => unknown
  readonly context: ((raw: unknown) => unknown) | undefined
}

export class HttpPeer implements Peer {
  readonly request: HttpRequest
  readonly scope = undefined
  readonly headers: HttpRequest
  /** Set once the form of the answer can still change. */
  sender: Send | undefined
  readonly #options: PeerOptions
  readonly #listeners = new Set<() => void>()
  #gone = false
  #watched = false
  #identity: Identity | Promise<Identity> | undefined

  constructor(request: HttpRequest, options: PeerOptions) {
    this.request = request
    this.#options = options
    this.headers = request
  }

  get development(): boolean {
    const { peerAddress, host, headers } = this.request
    // What a proxy passed on came from elsewhere, however local the proxy is.
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined)
      return isDevelopment() ?? false
    return isDevelopment() ?? (isLoopbackAddress(peerAddress) && host !== undefined && isLoopbackName(host))
  }

  agree(method?: string): Agreement {
    return this.#options.sessions.agree(this.request, method)
  }

  identify(): Identity | Promise<Identity> {
    this.#identity ??= identify(this.#options, this.request)
    return this.#identity
  }

  /** As `identify`, for what is no exchange and has no time limit of its own. */
  async identifyInTime(): Promise<Identity> {
    const { timeoutMs } = this.#options.core.registry.defaults
    const found = this.identify()
    if (!isThenable(found) || timeoutMs === 0) return found
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () =>
          reject(
            new Interrupted('TimeoutError', `the login of the host did not answer within ${timeoutMs} ms`),
          ),
        Math.min(timeoutMs, longestTimer),
      )
    })
    try {
      return await Promise.race([found, late])
    } finally {
      clearTimeout(timer)
    }
  }

  send(message: Parameters<Send>[0]): boolean {
    return this.sender?.(message) ?? false
  }

  whenGone(listener: () => void): () => void {
    this.#watch()
    if (this.#gone) listener()
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Listens to the connection once somebody wants to know. */
  #watch(): void {
    if (this.#watched) return
    this.#watched = true
    this.request.onClose((answered) => {
      if (!answered) this.leave()
    })
  }

  /** Nobody can get the answer any more. */
  leave(): void {
    this.#gone = true
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Asks the host: both functions may be asynchronous, most are not. `context` is asked once there is a user. */
function identify(options: PeerOptions, { raw, caller }: HttpRequest): Identity | Promise<Identity> {
  const user = caller !== undefined && 'user' in caller ? caller.user : options.user(raw)
  return whenReady(user, (found) =>
    whenReady(caller?.context ?? options.context?.(raw), (extra) => ({
      // Logins and decorated requests say `null` for nobody; there is one word for it here.
      user: found ?? undefined,
      auth: undefined,
      context: extra as object | undefined,
    })),
  )
}
