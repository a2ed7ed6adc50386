/** The key that opens the explorer if NODE_ENV is unset. It's in the logged link, and in a cookie after that. */

import { runtime } from '#runtime'
import { toBase64Url } from '../../support/base64.js'
import type { Log } from '../../support/logger.js'
import { pathOf } from '../auth/protected-resource.js'
import type { HttpRequest, HttpResponse } from '../http/shapes.js'

/** The maximum number of hosts whose link is logged, since any program on this machine can send any `Host` header. */
const maxAnnouncedHosts = 5

export class ExplorerKey {
  readonly #log: Log
  #value: string | undefined
  readonly #hosts = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Created when first needed: some platforms have no randomness while modules load. */
  get #key(): string {
    this.#value ??= toBase64Url(runtime.random(24))
    return this.#value
  }

  /** Logs the link with the key, once for each host. */
  announce({ host = '', protocol = 'http', url }: HttpRequest): void {
    if (this.#hosts.has(host) || this.#hosts.size >= maxAnnouncedHosts) return
    this.#hosts.add(host)
    const link = `${protocol}://${host}${pathOf(url)}?key=${this.#key}`
    this.#log.info(`explorer: ${link} (NODE_ENV is not set; with NODE_ENV=development no key is needed)`)
  }

  isIn(request: HttpRequest): boolean {
    return this.isInUrl(request) || cookiesOf(request).some((value) => this.#matches(value))
  }

  isInUrl({ url }: HttpRequest): boolean {
    const key = queryOf(url).get('key')
    return key !== null && this.#matches(key)
  }

  /** Moves the key from the address to a cookie of this port and path. */
  moveToCookie(request: HttpRequest): HttpResponse {
    const path = pathOf(request.url)
    const [, search = ''] = request.url.split('?')
    const others = search.split('&').filter((pair) => pair !== '' && !/^key(?:=|$)/.test(pair))
    const rest = others.length === 0 ? '' : `?${others.join('&')}`
    const scope = /^[\w/.~%-]+$/.test(path) ? path.replace(/\/$/, '') : '/'
    return {
      status: 302,
      headers: {
        // Relative: a path that begins with two slashes would redirect to another host.
        Location: `./${path.slice(path.lastIndexOf('/') + 1)}${rest}`,
        'Set-Cookie': `${cookieName(request)}=${this.#key}; Path=${scope}; HttpOnly; SameSite=Lax`,
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
      },
      body: undefined,
    }
  }

  /** Compares digests, so that the time doesn't depend on how much of the key is right. */
  #matches(key: string): boolean {
    return runtime.digest(key) === runtime.digest(this.#key)
  }
}

/** The cookie's name. It contains the port, because browsers send cookies to all ports of a host. */
function cookieName({ host = '' }: HttpRequest): string {
  return `mcp-router-explorer-${/:(\d+)$/.exec(host)?.[1] ?? 'default'}`
}

/** The key cookies of a request. Cookies of overlapping paths may be sent together. */
function cookiesOf(request: HttpRequest): string[] {
  const name = `${cookieName(request)}=`
  const pairs = (request.header('cookie') ?? '').split(/[;,]/).map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(name)).map((pair) => pair.slice(name.length))
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
}
