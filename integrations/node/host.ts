/** The mount path, host, protocol and client address of a request, as plain Node and connect know them. */

import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { NodeHost } from './request.js'

/**
 * A request that connect or a similar router dispatched: `originalUrl` is the URL before the mount path was removed.
 */
export interface RoutedRequest extends IncomingMessage {
  readonly originalUrl?: string
}

export interface Location {
  /** The prefix that routers in front have removed. */
  readonly mountPath: string
  /** The path without `mountPath`. */
  readonly path: string
}

/**
 * Splits the request's path. `undefined` for an absolute-form target (a whole URL): clients send those only to proxies,
 * and a login in front that compares `req.url` with `/mcp` would miss it.
 */
export function locationOf(req: RoutedRequest): Location | undefined {
  if (!(req.originalUrl ?? req.url ?? '/').startsWith('/')) return undefined
  const path = pathOf(req.url)
  const whole = req.originalUrl === undefined ? path : pathOf(req.originalUrl)
  // Connect turns the path of a mount point into `/`, with or without a trailing slash.
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

/** Ignores the headers that proxies add: plain Node has no setting for trusted proxies. */
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

/** Returns the host that the client requested: `:authority` in HTTP/2, else `Host`. */
function requestedHost({ headers }: IncomingMessage): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : headers.host
}
