/** What plain Node and connect know of a request: where we are mounted, and how the client got here. */

import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { NodeHost } from './request.js'

/** What connect and its kin leave on a request that they route: the address before they cut their prefix off. */
export interface RoutedRequest extends IncomingMessage {
  readonly originalUrl?: string
}

export interface Location {
  /** What was cut off in front of us. */
  readonly mountPath: string
  /** The rest of it. */
  readonly path: string
}

/**
 * Where the request is. `undefined`: its target is a whole URL. Clients send those to proxies only, and a login in front
 * that compares `req.url` with `/mcp` would not see it.
 */
export function locationOf(req: RoutedRequest): Location | undefined {
  if (!(req.originalUrl ?? req.url ?? '/').startsWith('/')) return undefined
  const path = pathOf(req.url)
  const whole = req.originalUrl === undefined ? path : pathOf(req.originalUrl)
  // A mount point itself is `/` to connect, with or without a slash at its end.
  const cut = path === '/' && !whole.endsWith('/') ? '' : path
  return { mountPath: whole.endsWith(cut) ? whole.slice(0, whole.length - cut.length) : '', path }
}

function pathOf(url = '/'): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return path === '' ? '/' : path
}

export function hostOf(req: RoutedRequest): NodeHost {
  return new PlainHost(req)
}

/** Nobody has told plain Node whom to trust, so what proxies add to a request is not looked at. */
class PlainHost implements NodeHost {
  readonly trustsProxy = false
  readonly #req: RoutedRequest

  constructor(req: RoutedRequest) {
    this.#req = req
  }

  get url(): string {
    return this.#req.originalUrl ?? this.#req.url ?? '/'
  }

  get host(): string | undefined {
    return requestedHost(this.#req)
  }

  get protocol(): string {
    return (this.#req.socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http'
  }

  ip(): string | undefined {
    return this.#req.socket.remoteAddress
  }
}

/** The host that the client asked for: HTTP/2 has a field of its own for it. */
function requestedHost({ headers }: IncomingMessage): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : headers.host
}
