/** What a host tells about a request beside the request itself. */

import type { Context, Register } from '../../src/adapter.js'

/**
 * The second argument of a handler. All of it is optional, and of what Deno, Bun and Next.js put there by themselves
 * the address of the peer is taken.
 */
export interface Given<E extends object = Register> {
  /** The caller that your login found: goes before the mount option `user`, also when it is `undefined`: nobody. */
  readonly user?: Context<E>['user'] | undefined
  /** Merged into `ctx`: goes before what the mount option `context` returns. */
  readonly context?: Omit<E, 'user'> | undefined
  /** The body, where earlier code has read it: parsed, as text or as bytes. */
  readonly body?: unknown
  /** The address at the other end of the socket. */
  readonly peerAddress?: string | undefined
  /** The client's address, where proxies are between. Default: `peerAddress`. */
  readonly ip?: string | undefined
  /** Deno's. */
  readonly remoteAddr?: object
  /** Bun's. */
  readonly requestIP?: (request: Request) => { readonly address: string } | null
  /** Next.js's; not looked at. */
  readonly params?: unknown
}

/** The address at the other end: as the host says it, as Deno does, or as Bun does. `undefined`: nobody knows. */
export function peerAddressOf(request: Request, given: Given<object>): string | undefined {
  if (given.peerAddress !== undefined) return given.peerAddress
  const { hostname } = (given.remoteAddr ?? {}) as { readonly hostname?: unknown } // a Unix socket has none
  if (typeof hostname === 'string') return hostname
  return given.requestIP?.(request)?.address
}
