/** The mount path of a request, and its host, protocol and address according to Express's `trust proxy` setting. */

import type { IncomingMessage } from 'node:http'
import type { NodeHost } from '../node/request.js'

/** The members of Express's request used here, the same in Express 4 and 5. */
export interface ExpressRequest extends IncomingMessage {
  readonly baseUrl?: string
  readonly originalUrl?: string
  readonly path?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly route?: { readonly stack?: readonly { readonly handle?: unknown }[] } | undefined
  readonly ip?: string | undefined
  readonly protocol?: string | undefined
  readonly app?: { get(setting: string): unknown }
}

export interface Location {
  /** The prefix that routers in front have matched. */
  readonly mountPath: string
  /** The path without `mountPath`. */
  readonly path: string
}

/**
 * Splits the request's path as Express itself does: a path that the app's routes don't recognize as `/mcp` must not
 * reach the endpoint. If the endpoint is a route (`app.post('/x/mcp', mcp(router))`), the whole path is its mount
 * path.
 */
export function locationOf(req: ExpressRequest, own: readonly unknown[]): Location {
  const path = req.path ?? '/'
  const mountPath = req.baseUrl ?? ''
  if (!isRoute(req.route, own)) {
    return { mountPath: endsInParameter(mountPath, req) ? '' : mountPath, path }
  }
  return { mountPath: mountPath + withoutSlash(path), path: '/' }
}

/** Whether the URL is a variant of the endpoint's path that routes in front might not match, and so not guard. */
export function isOtherAddress(req: ExpressRequest): boolean {
  const { originalUrl: url = '/' } = req
  // Absolute-form target (a whole URL), as clients send it to proxies.
  if (!url.startsWith('/')) return true
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  // Below a router at `/api`, Express 4 matches `/api//mcp` as `/mcp`, but a guard at `/api/mcp` doesn't match it.
  if (path.includes('//')) return true
  return Boolean(req.app?.get('strict routing')) && path.endsWith('/')
}

/** Whether a mount at `/:tenant` matched `/mcp`: the segment is the name of a tenant then, not the endpoint. */
function endsInParameter(mountPath: string, { params }: ExpressRequest): boolean {
  if (mountPath === '') return false
  const last = mountPath.split('/').at(-1)
  return last !== '' && Object.values(params ?? {}).includes(last)
}

/**
 * Whether the route is the mount itself. Express keeps `req.route` after a route called `next()`, so compare
 * handlers.
 */
function isRoute(route: ExpressRequest['route'], own: readonly unknown[]): boolean {
  return route?.stack?.some(({ handle }) => own.includes(handle)) === true
}

export function hostOf(req: ExpressRequest): NodeHost {
  return new ExpressHost(req)
}

class ExpressHost implements NodeHost {
  readonly #req: ExpressRequest

  constructor(req: ExpressRequest) {
    this.#req = req
  }

  get url(): string {
    return this.#req.originalUrl ?? this.#req.url ?? '/'
  }

  get protocol(): string | undefined {
    return this.#req.protocol
  }

  get trustsProxy(): boolean {
    const trust = this.#req.app?.get('trust proxy')
    // 0 hops, no address and an empty list all mean that no proxy is trusted.
    return !(trust === undefined || trust === false || trust === 0 || trust === '' || isEmpty(trust))
  }

  /** Returns the host. Uses `X-Forwarded-Host` only from addresses that `trust proxy` trusts. */
  get host(): string | undefined {
    const { app, headers, socket } = this.#req
    const trusts = app?.get('trust proxy fn') as
      | ((address: string | undefined, hop: number) => boolean)
      | undefined
    const forwarded = headers['x-forwarded-host']
    if (forwarded === undefined || trusts?.(socket.remoteAddress, 0) !== true) return headers.host
    return String(forwarded).split(',')[0]?.trim()
  }

  ip(): string | undefined {
    return this.#req.ip ?? this.#req.socket.remoteAddress
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
