/** One HTTP request as the core sees it. */

import { type Identity, isThenable, type Peer } from '../exchange.js'
import { isDevelopment } from '../router-options.js'
import type { HttpSessions } from './http-sessions.js'
import { isLoopbackAddress, isLoopbackName } from './origins.js'
import type { Send } from './reply.js'
import type { HttpRequest } from './shapes.js'

/** Where the caller is found. */
export interface PeerOptions {
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
  #listeners: Set<() => void> | undefined
  #identity: Identity | Promise<Identity> | undefined

  constructor(request: HttpRequest, options: PeerOptions) {
    this.request = request
    this.#options = options
    this.headers = request
  }

  get development(): boolean {
    const { peerAddress, host } = this.request
    return isDevelopment() ?? (isLoopbackAddress(peerAddress) && host !== undefined && isLoopbackName(host))
  }

  agree(method: string): ReturnType<HttpSessions['agree']> {
    return this.#options.sessions.agree(this.request, method, () => this.identify())
  }

  identify(): Identity | Promise<Identity> {
    this.#identity ??= identify(this.#options, this.request.raw)
    return this.#identity
  }

  send(message: Parameters<Send>[0]): boolean {
    return this.sender?.(message) ?? false
  }

  whenGone(listener: () => void): () => void {
    if (this.#listeners === undefined) {
      this.#listeners = new Set([listener])
      this.request.onClose(() => this.leave())
    } else {
      this.#listeners.add(listener)
    }
    return () => this.#listeners?.delete(listener)
  }

  /** Nobody can get the answer any more. */
  leave(): void {
    for (const listener of [...(this.#listeners ?? [])]) listener()
  }
}

/** Asks the host: both functions may be asynchronous, most are not. */
function identify({ user, context }: PeerOptions, raw: unknown): Identity | Promise<Identity> {
  const found = user(raw)
  const extra = context?.(raw)
  if (!isThenable(found) && !isThenable(extra))
    return { user: found, auth: undefined, context: extra as object | undefined }
  return Promise.all([found, extra]).then(([caller, more]) => ({
    user: caller,
    auth: undefined,
    context: more as object | undefined,
  }))
}
