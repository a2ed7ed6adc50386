/** What Express knows of a request: where we are mounted, and what its proxy rules say of host and address. */

import type { IncomingMessage } from 'node:http'
import type { NodeHost } from '../node/request.js'

/** The part of Express's request that both majors have. */
export interface ExpressRequest extends IncomingMessage {
  readonly baseUrl?: string
  readonly originalUrl?: string
  readonly route?: unknown
  readonly ip?: string | undefined
  readonly app?: { get(setting: string): unknown }
}

/** The path that was matched before us, and the rest. A route (`app.post('/x/mcp', …)`) is a mount point itself. */
export function locationOf(req: ExpressRequest): { mountPath: string; path: string } {
  const url = req.url ?? '/'
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const mountPath = req.baseUrl ?? ''
  return req.route === undefined
    ? { mountPath, path }
    : { mountPath: mountPath + withoutSlash(path), path: '/' }
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

  get trustsProxy(): boolean {
    const trust = this.#req.app?.get('trust proxy')
    return trust !== undefined && trust !== false
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

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
