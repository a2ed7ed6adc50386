/** Information about a request that a host passes in addition to the request. */

import type { Context, Register } from '../../src/adapter.js'

/**
 * The second argument of a handler. All members are optional. Deno, Bun and Next.js pass an argument of their own here,
 * from which only the peer's address is read.
 */
export interface Given<E extends object = Register> {
  /**
   * The caller that your login found. Overrides the mount option `user`, even with `undefined` for an anonymous
   * caller.
   */
  readonly user?: Context<E>['user'] | undefined
  /** Merged into `ctx`. Overrides members that the mount option `context` returns. */
  readonly context?: Omit<E, 'user'> | undefined
  /** The body, if earlier code has read it: parsed, as text, or as bytes. */
  readonly body?: unknown
  /** The address at the other end of the connection. */
  readonly peerAddress?: string | undefined
  /** The client's address, if there are proxies in between. Default: `peerAddress`. */
  readonly ip?: string | undefined
  /** Passed by Deno. */
  readonly remoteAddr?: object
  /** Passed by Bun. */
  readonly requestIP?: (request: Request) => { readonly address: string } | null
  /** Passed by Next.js, and ignored. */
  readonly params?: unknown
}

/** Returns the peer's address from `peerAddress`, Deno or Bun. `undefined`: unknown. */
export function peerAddressOf(request: Request, given: Given<object>): string | undefined {
  if (given.peerAddress !== undefined) return given.peerAddress
  const { hostname } = (given.remoteAddr ?? {}) as { readonly hostname?: unknown } // a Unix socket has none
  if (typeof hostname === 'string') return hostname
  return given.requestIP?.(request)?.address
}
