/** The endpoint as a protected resource (RFC 9728): its identifier and the addresses of its metadata. */

import { hostSpellings, isLoopbackName, mayBeFromThisMachine } from '../http/origins.js'
import type { HttpRequest } from '../http/shapes.js'

export const wellKnown = '/.well-known/oauth-protected-resource'

export interface ResourceParts {
  readonly publicUrl: string | undefined
  readonly allowedHosts?: readonly string[] | undefined
  /** The paths of the endpoint below the mount point. */
  readonly paths: readonly string[]
}

export class ProtectedResource {
  /** The paths of the metadata below the mount point: both forms of RFC 9728 at the host root, and one below the endpoint. */
  readonly metadataPaths: readonly string[]
  readonly #publicUrl: URL | undefined
  /** The identifier, if it's configured. */
  readonly #fixed: string | undefined
  readonly #origins = new HostOrigins()
  /** `allowedHosts`; if `undefined`, only the `Host` header of requests from this machine is trusted. */
  readonly #hosts: ReadonlySet<string> | undefined
  readonly #paths: readonly string[]
  /** Whether the endpoint is mounted under a prefix, so that the mount can't serve the host root. */
  prefixed = false
  /** The paths of requests so far. Two are enough to know that there are several. */
  readonly #seenPaths = new Set<string>()

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

  /** Records the mount point of a request and its path below the mount point. */
  noteRequest(mountPath: string, path: string, isEndpoint: boolean): void {
    if (mountPath !== '') this.prefixed = true
    if (this.#seenPaths.size > 1) return
    if (isEndpoint) this.#seenPaths.add(withoutSlash(mountPath + path))
    else if (mountPath === '') this.#seenPaths.add(this.#paths[0] ?? '')
  }

  /** Whether the identifier is configured, so that it doesn't depend on the `Host` header. */
  get isFixed(): boolean {
    return this.#publicUrl !== undefined
  }

  /**
   * The identifier: `publicUrl`, else a URL with the request's host, if it's in `allowedHosts`. Without both options, a URL
   * with the request's loopback name, for requests from this machine. Otherwise `undefined`: a client-controlled header
   * must not decide which tokens are accepted.
   */
  urlOf(request: HttpRequest): string | undefined {
    if (this.#fixed !== undefined) return this.#fixed
    const host = this.#hostOf(request)
    const origin = host === undefined ? undefined : this.#origins.get(request.protocol, host)
    return origin === undefined ? undefined : origin + this.#pathOf(request)
  }

  /** The trusted host of a request, as in `allowedHosts`: with the port only if the option has it. */
  #hostOf(request: HttpRequest): string | undefined {
    const { host } = request
    if (host === undefined) return undefined
    const hosts = this.#hosts
    if (hosts === undefined) return mayBeFromThisMachine(request) ? host : undefined
    return hostSpellings(host.toLowerCase()).find((name) => hosts.has(name))
  }

  /** The metadata URL for challenges: at the host root if the mount serves it, else below the endpoint. */
  metadataUrlOf(request: HttpRequest): string | undefined {
    const url = this.urlOf(request)
    if (url === undefined) return undefined
    const { origin, pathname } = new URL(url)
    const path = withoutSlash(pathname)
    const atRoot = !this.prefixed && (path === '' || this.#paths.includes(path))
    return atRoot ? origin + wellKnown + path : withoutSlash(url) + wellKnown
  }

  /**
   * Whether `path` at the host root is the address of this endpoint's metadata, under any prefix. The address without a path
   * suffix is ambiguous: without `publicUrl`, it only works while all requests used the same endpoint path.
   */
  hasMetadataAt(path: string): boolean {
    if (!path.startsWith(wellKnown)) return false
    const suffix = path.slice(wellKnown.length)
    if (this.#publicUrl !== undefined) return suffix === '' || this.#publicPath.includes(suffix)
    return suffix === '' ? this.#seenPaths.size === 1 : this.#endsWithEndpointPath(suffix)
  }

  /** The path of `publicUrl`; empty for the host root. */
  get #publicPath(): readonly string[] {
    const path = this.#publicUrl?.pathname ?? '/'
    return path === '/' ? [] : [path]
  }

  /** The path of the endpoint, derived from a request to the endpoint, to its metadata, or to an auxiliary endpoint. */
  #pathOf({ url, endpoint }: HttpRequest): string {
    const path = withoutSlash(pathOf(url))
    if (endpoint === 'main') return path
    const at = path.indexOf(wellKnown)
    if (at < 0) return this.#endpointAbove(path)
    const whole = path.slice(0, at) + path.slice(at + wellKnown.length)
    if (this.#endsWithEndpointPath(whole)) return whole
    const [only] = this.#seenPaths
    return whole === '' && only !== undefined && this.#seenPaths.size === 1
      ? only
      : whole + (this.#paths[0] ?? '')
  }

  /** The path of the endpoint that an auxiliary endpoint belongs to. */
  #endpointAbove(path: string): string {
    const parent = path.slice(0, path.lastIndexOf('/'))
    for (let above = parent; above !== ''; above = above.slice(0, above.lastIndexOf('/')))
      if (this.#endsWithEndpointPath(above)) return above
    return parent + (this.#paths[0] ?? '')
  }

  /** Whether `path` ends with one of the endpoint's paths. Ignores case: the framework has already matched the route. */
  #endsWithEndpointPath(path: string): boolean {
    const lower = path.toLowerCase()
    return this.#paths.some((own) => lower.endsWith(own.toLowerCase()))
  }
}

/** Limits of the cache of hosts, since clients can send any `Host` header. */
const maxHosts = 100
const maxHostLength = 255

/** Caches the origins of `Host` headers: most requests have one of a few. */
class HostOrigins {
  readonly #known = new Map<string, string>()

  /** Returns `undefined` for an invalid `Host`, and for a protocol that isn't HTTP. */
  get(protocol: string | undefined, host: string): string | undefined {
    const key = `${protocol}//${host}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const origin = originOf(protocol, host)
    if (origin === undefined || host.length > maxHostLength) return origin
    if (this.#known.size >= maxHosts) this.#known.clear()
    this.#known.set(key, origin)
    return origin
  }
}

/**
 * The allowed protocols. Frameworks that trust a proxy return `X-Forwarded-Proto` unchecked, and some proxies send the
 * scheme of WebSockets in it.
 */
const schemes: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])

/** The origin for a `Host` header; `undefined` for an invalid host or a protocol that isn't HTTP. */
export function originOf(protocol: string | undefined, host: string): string | undefined {
  const schemeName = protocol ?? (isLoopbackName(host) ? 'http' : 'https')
  const scheme = schemes.get(schemeName.toLowerCase())
  if (scheme === undefined || !/^[^\s/?#@\\]+$/.test(host)) return undefined
  const url = `${scheme}://${host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}

/** The path of a request target, which may be a complete URL. */
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
