/** What Express knows of a request: where we are mounted, and what its proxy rules say of host and address. */

import type { IncomingMessage } from 'node:http'
import type { NodeHost } from '../node/request.js'

/** The part of Express's request that both majors have. */
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
  /** The path that was matched before us. */
  readonly mountPath: string
  /** The rest of it. */
  readonly path: string
}

/**
 * Where the request is, as Express itself reads it: what its routes in front of us do not see as `/mcp`, we must not
 * either. A route of ours (`app.post('/x/mcp', mcp(router))`) is a mount point itself.
 */
export function locationOf(req: ExpressRequest, own: readonly unknown[]): Location {
  const path = req.path ?? '/'
  const mountPath = req.baseUrl ?? ''
  if (!isRoute(req.route, own)) {
    return { mountPath: endsInParameter(mountPath, req) ? '' : mountPath, path }
  }
  return { mountPath: mountPath + withoutSlash(path), path: '/' }
}

/** Spellings of our address that routes in front of us may not take for the same, and so do not guard. */
export function isOtherAddress(req: ExpressRequest): boolean {
  const { originalUrl: url = '/' } = req
  // A whole URL, as clients send it to proxies.
  if (!url.startsWith('/')) return true
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  // Express 4 takes `/api//mcp` for `/mcp` below `/api`, but not for `/api/mcp`.
  if (path.includes('//')) return true
  return Boolean(req.app?.get('strict routing')) && path.endsWith('/')
}

/** `/:tenant` matched `/mcp`: that names a tenant, not the endpoint. */
function endsInParameter(mountPath: string, { params }: ExpressRequest): boolean {
  if (mountPath === '') return false
  const last = mountPath.split('/').at(-1)
  return last !== '' && Object.values(params ?? {}).includes(last)
}

/** Express leaves the route behind that earlier code passed on from, so only one that holds our handlers counts. */
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
    // 0 hops, no address and an empty list all mean: trust nobody.
    return !(trust === undefined || trust === false || trust === 0 || trust === '' || isEmpty(trust))
  }

  /** `X-Forwarded-Host` counts where Express was told to trust who sent it. */
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
