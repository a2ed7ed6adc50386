/** The endpoint as RFC 9728 names it: its identifier, and where its metadata is. */

import { isLocal, isLoopbackName, namesOf } from '../http/origins.js'
import type { HttpRequest } from '../http/shapes.js'

export const wellKnown = '/.well-known/oauth-protected-resource'

export interface ResourceParts {
  readonly publicUrl: string | undefined
  readonly allowedHosts?: readonly string[] | undefined
  /** Of the endpoint, below the mount point. */
  readonly paths: readonly string[]
}

export class ProtectedResource {
  /** The paths of its metadata below the mount point: at the host root the two forms of RFC 9728, and below the endpoint. */
  readonly metadataPaths: readonly string[]
  readonly #publicUrl: URL | undefined
  /** The identifier, where it is known from the start. */
  readonly #fixed: string | undefined
  readonly #origins = new HostOrigins()
  /** `undefined`: not given, so only requests of this machine tell where it is. */
  readonly #hosts: ReadonlySet<string> | undefined
  readonly #paths: readonly string[]
  /** Mounted under a prefix, where the host root cannot be served. */
  prefixed = false
  /** Where it was asked for: of many paths, two tell enough. */
  readonly #seen = new Set<string>()

  constructor({ publicUrl, allowedHosts, paths }: ResourceParts) {
    this.#hosts = allowedHosts && new Set(allowedHosts.map((host) => host.toLowerCase()))
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl)
    this.#fixed = this.#publicUrl && this.#publicUrl.origin + (this.#publicPath[0] ?? '')
    this.#paths = paths.map(withoutSlash)
    this.metadataPaths = [
      ...['', ...this.#paths, ...this.#publicPath].map((path) => wellKnown + path),
      ...this.#paths.map((path) => path + wellKnown),
    ]
  }

  /** A request came in at this mount point, for this path below it. */
  seenAt(mountPath: string, path: string, isEndpoint: boolean): void {
    if (mountPath !== '') this.prefixed = true
    if (this.#seen.size > 1) return
    if (isEndpoint) this.#seen.add(withoutSlash(mountPath + path))
    else if (mountPath === '') this.#seen.add(this.#paths[0] ?? '')
  }

  /** Known from the start, whatever host clients ask for. */
  get isFixed(): boolean {
    return this.#publicUrl !== undefined
  }

  /**
   * The identifier: `publicUrl`, else at the one of `allowedHosts` that the client asked for. Without both, at a loopback
   * name for requests of this machine. `undefined` everywhere else: a header must not say whom tokens are for.
   */
  urlOf(request: HttpRequest): string | undefined {
    if (this.#fixed !== undefined) return this.#fixed
    const host = this.#hostOf(request)
    const origin = host === undefined ? undefined : this.#origins.of(request.protocol, host)
    return origin === undefined ? undefined : origin + this.#pathOf(request)
  }

  /** As the option spells it: the port of a request counts only where the option names one. */
  #hostOf(request: HttpRequest): string | undefined {
    const { host } = request
    if (host === undefined) return undefined
    const hosts = this.#hosts
    if (hosts === undefined) return isLocal(request) ? host : undefined
    return namesOf(host.toLowerCase()).find((name) => hosts.has(name))
  }

  /** Where a challenge sends the client: to the host root where the mount serves it, else below the endpoint. */
  metadataUrlOf(request: HttpRequest): string | undefined {
    const url = this.urlOf(request)
    if (url === undefined) return undefined
    const { origin, pathname } = new URL(url)
    const path = withoutSlash(pathname)
    const atRoot = !this.prefixed && (path === '' || this.#paths.includes(path))
    return atRoot ? origin + wellKnown + path : withoutSlash(url) + wellKnown
  }

  /**
   * Whether this address at the host root is that of its metadata, whatever prefix it is mounted under. The plain one
   * tells no path: without `publicUrl` it is served while it has been asked for under one path alone.
   */
  describedAt(path: string): boolean {
    if (!path.startsWith(wellKnown)) return false
    const suffix = path.slice(wellKnown.length)
    if (this.#publicUrl !== undefined) return suffix === '' || this.#publicPath.includes(suffix)
    return suffix === '' ? this.#seen.size === 1 : this.#endsInOwn(suffix)
  }

  /** None for the host root. */
  get #publicPath(): readonly string[] {
    const path = this.#publicUrl?.pathname ?? '/'
    return path === '/' ? [] : [path]
  }

  /** The path of the endpoint, as one of its own addresses, or one of its metadata, tells. */
  #pathOf({ url, endpoint }: HttpRequest): string {
    const path = withoutSlash(pathOf(url))
    if (endpoint === 'main') return path
    const at = path.indexOf(wellKnown)
    if (at < 0) return this.#besideOf(path)
    const whole = path.slice(0, at) + path.slice(at + wellKnown.length)
    if (this.#endsInOwn(whole)) return whole
    const [only] = this.#seen
    return whole === '' && only !== undefined && this.#seen.size === 1 ? only : whole + (this.#paths[0] ?? '')
  }

  /** Of the endpoint that another address of the mount belongs to. */
  #besideOf(path: string): string {
    const parent = path.slice(0, path.lastIndexOf('/'))
    for (let above = parent; above !== ''; above = above.slice(0, above.lastIndexOf('/')))
      if (this.#endsInOwn(above)) return above
    return parent + (this.#paths[0] ?? '')
  }

  /** Of the mount point the framework has decided whether letter case counts. */
  #endsInOwn(path: string): boolean {
    const lower = path.toLowerCase()
    return this.#paths.some((own) => lower.endsWith(own.toLowerCase()))
  }
}

/** How many hosts, and of which length, are remembered: anybody may send any. */
const mostHosts = 100
const longestHost = 255

/** The origins that `Host` headers make: of the same few, request after request. */
class HostOrigins {
  readonly #known = new Map<string, string>()

  /** `undefined` for a `Host` that is none, and for a protocol that isn't HTTP. */
  of(protocol: string | undefined, host: string): string | undefined {
    const key = `${protocol}//${host}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const origin = originOf(protocol, host)
    if (origin === undefined || host.length > longestHost) return origin
    if (this.#known.size >= mostHosts) this.#known.clear()
    this.#known.set(key, origin)
    return origin
  }
}

/** Frameworks that trust a proxy return `X-Forwarded-Proto` as it came; proxies name the scheme of WebSockets there too. */
const schemes: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])

/** The origin that a `Host` header stands for; `undefined` for a header that is no host, and for another protocol. */
export function originOf(protocol: string | undefined, host: string): string | undefined {
  const asked = protocol ?? (isLoopbackName(host) ? 'http' : 'https')
  const scheme = schemes.get(asked.toLowerCase())
  if (scheme === undefined || !/^[^\s/?#@\\]+$/.test(host)) return undefined
  const url = `${scheme}://${host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}

/** The path of a request line, which may be a whole URL. */
export function pathOf(url: string): string {
  if (url.startsWith('/')) {
    const end = url.indexOf('?')
    return end < 0 ? url : url.slice(0, end)
  }
  const [path = ''] = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('?')
  return path
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
