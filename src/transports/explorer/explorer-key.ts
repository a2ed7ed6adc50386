/** The key that opens the explorer where NODE_ENV is unset: in the link that is logged at first, then in a cookie. */

import { runtime } from '#runtime'
import { toBase64Url } from '../../support/base64.js'
import type { Log } from '../../support/logger.js'
import { pathOf } from '../auth/protected-resource.js'
import type { HttpRequest, HttpResponse } from '../http/shapes.js'

/** Each is logged once. Anybody on this machine may name any. */
const mostHosts = 5

export class ExplorerKey {
  readonly #log: Log
  #made: string | undefined
  readonly #hosts = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Made at first need: some platforms have no randomness while modules load. */
  get #key(): string {
    this.#made ??= toBase64Url(runtime.random(24))
    return this.#made
  }

  /** Logs the link, once for each host. */
  announce({ host = '', protocol = 'http', url }: HttpRequest): void {
    if (this.#hosts.has(host) || this.#hosts.size >= mostHosts) return
    this.#hosts.add(host)
    const link = `${protocol}://${host}${pathOf(url)}?key=${this.#key}`
    this.#log.info(`explorer: ${link} (NODE_ENV is not set; with NODE_ENV=development no key is needed)`)
  }

  isIn(request: HttpRequest): boolean {
    return this.isInUrl(request) || cookiesOf(request).some((value) => this.#is(value))
  }

  isInUrl({ url }: HttpRequest): boolean {
    const key = queryOf(url).get('key')
    return key !== null && this.#is(key)
  }

  /** Moves the key from the address to a cookie of this port and path. */
  keep(request: HttpRequest): HttpResponse {
    const path = pathOf(request.url)
    const [, search = ''] = request.url.split('?')
    const others = search.split('&').filter((pair) => pair !== '' && !/^key(?:=|$)/.test(pair))
    const rest = others.length === 0 ? '' : `?${others.join('&')}`
    const scope = /^[\w/.~%-]+$/.test(path) ? path.replace(/\/$/, '') : '/'
    return {
      status: 302,
      headers: {
        // Relative, so that a path that begins with two slashes leads to no other host.
        Location: `./${path.slice(path.lastIndexOf('/') + 1)}${rest}`,
        'Set-Cookie': `${cookieName(request)}=${this.#key}; Path=${scope}; HttpOnly; SameSite=Lax`,
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
      },
      body: undefined,
    }
  }

  /** Digests take the same time to compare, however much of the key is right. */
  #is(given: string): boolean {
    return runtime.digest(given) === runtime.digest(this.#key)
  }
}

/** Browsers send cookies to every port of a host, so its name has the port. */
function cookieName({ host = '' }: HttpRequest): string {
  return `mcp-router-explorer-${/:(\d+)$/.exec(host)?.[1] ?? 'default'}`
}

/** Paths may overlap, so there may be several. */
function cookiesOf(request: HttpRequest): string[] {
  const name = `${cookieName(request)}=`
  const pairs = (request.header('cookie') ?? '').split(/[;,]/).map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(name)).map((pair) => pair.slice(name.length))
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
}
