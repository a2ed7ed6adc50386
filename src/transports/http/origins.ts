/**
 * Checks Host and Origin against requests of other sites and DNS rebinding (specification, Transports, Security warning),
 * and writes CORS headers.
 */

import { ErrorCode, refusal } from '../../errors/errors.js'
import { describe } from '../../support/values.js'
import { isForwarded, isLoopbackAddress } from './client-address.js'
import type { HttpRequest, HttpResponse } from './shapes.js'

export interface OriginRules {
  readonly publicUrl: string | undefined
  readonly allowedOrigins: readonly string[]
  /** `undefined` if not configured. */
  readonly allowedHosts: readonly string[] | undefined
  /** Whether every origin is allowed: `cors: '*'`. */
  readonly anyOrigin: boolean
}

interface AllowedHost {
  /** The request's spelling; `host` is in lower case. */
  readonly requestHost?: string | undefined
  readonly host?: string | undefined
  readonly peerAddress?: string | undefined
  readonly trustsProxy?: boolean
}

export class OriginGuard {
  readonly #rules: OriginRules
  readonly #origins: ReadonlySet<string>
  readonly #hosts: ReadonlySet<string> | undefined
  /** The host that was allowed last. Nearly all requests have the same one. */
  #lastAllowed: AllowedHost = {}

  constructor(rules: OriginRules) {
    this.#rules = rules
    const publicUrl = rules.publicUrl === undefined ? undefined : new URL(rules.publicUrl)
    this.#origins = new Set([
      ...rules.allowedOrigins.map((origin) => originOf(new URL(origin))),
      ...(publicUrl === undefined ? [] : [originOf(publicUrl)]),
    ])
    const hosts = [...(rules.allowedHosts ?? []), ...(publicUrl === undefined ? [] : [publicUrl.host])]
    this.#hosts = rules.allowedHosts && new Set(hosts.map((host) => host.toLowerCase()))
  }

  /** Checks Host and Origin. Throws 403, naming the option that would allow the request. */
  check(request: HttpRequest): void {
    const host = this.checkHost(request)
    const origin = request.header('origin')
    if (origin !== undefined && !this.#allowsOrigin(origin, host, request)) {
      throw forbidden(
        `the origin ${describe(origin)} is not allowed; name it in \`allowedOrigins\` or \`cors\``,
      )
    }
  }

  /** Checks the host only and returns it. Throws 403. */
  checkHost(request: HttpRequest): string | undefined {
    const { host: requestHost, peerAddress, trustsProxy } = request
    const last = this.#lastAllowed
    if (
      last.requestHost === requestHost &&
      last.peerAddress === peerAddress &&
      last.trustsProxy === trustsProxy
    )
      return last.host
    const host = requestHost?.toLowerCase()
    if (!this.#allowsHost(host, request)) {
      throw forbidden(
        `the host ${describe(request.host)} is not allowed; name it in \`allowedHosts\` or set \`publicUrl\``,
      )
    }
    this.#lastAllowed = { requestHost, peerAddress, trustsProxy, host }
    return host
  }

  /** Whether the request was sent from this machine and the configuration doesn't point to a proxy. */
  isDirect(request: HttpRequest): boolean {
    return !this.#hasConfiguredHosts(request) && isFromThisMachine(request)
  }

  #allowsHost(host: string | undefined, request: HttpRequest): boolean {
    const hosts = this.#hosts
    const isLoopback = host !== undefined && isLoopbackName(host)
    if (hosts !== undefined) {
      if (host === undefined) return false
      return (
        hostSpellings(host).some((name) => hosts.has(name)) ||
        (isLoopback && isLoopbackAddress(request.peerAddress))
      )
    }
    return this.#hasConfiguredHosts(request) || !isLoopbackAddress(request.peerAddress) || isLoopback
  }

  /** Whether the operator configured hosts or a proxy. A loopback peer is then a proxy, so its address proves nothing. */
  #hasConfiguredHosts({ trustsProxy }: HttpRequest): boolean {
    return this.#rules.publicUrl !== undefined || this.#rules.allowedHosts !== undefined || trustsProxy
  }

  #allowsOrigin(origin: string, host: string | undefined, request: HttpRequest): boolean {
    if (this.#rules.anyOrigin) return true
    // Sandboxed frames and files have the origin `null`, which identifies nobody.
    if (origin === 'null') return false
    const url = tryUrl(origin)
    if (url === undefined || url.host === '') return false
    if (this.#origins.has(originOf(url))) return true
    if (host === undefined) return false
    const hasConfiguredHosts = this.#hasConfiguredHosts(request)
    // Without the peer's address, a page may have rebound its own name to this machine.
    if (request.peerAddress === undefined && !hasConfiguredHosts && !isLoopbackName(host)) return false
    const local = isLoopbackAddress(request.peerAddress) && !hasConfiguredHosts
    return url.host === withoutDefaultPort(host, url.protocol) || (local && isLoopbackName(url.host))
  }
}

/** The origin of a URL. For apps and extensions, whose origin is `null` in the URL standard, the scheme and host. */
function originOf(url: URL): string {
  return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin
}

/** Whether a request seems to be sent directly from this machine. A local proxy that adds no headers can't be detected. */
export function isFromThisMachine({ peerAddress, host, headers }: HttpRequest): boolean {
  return isLoopbackAddress(peerAddress) && host !== undefined && isLoopbackName(host) && !isForwarded(headers)
}

/** Like `isFromThisMachine`, but judges by the host alone if the platform doesn't know the peer's address. */
export function mayBeFromThisMachine(request: HttpRequest): boolean {
  const { host, peerAddress, headers } = request
  if (peerAddress !== undefined) return isFromThisMachine(request)
  return host !== undefined && isLoopbackName(host) && !isForwarded(headers)
}

/** The spellings by which `allowedHosts` may contain a host. */
export function hostSpellings(host: string): readonly string[] {
  return [host, withoutDefaultPort(host), withoutPort(host)]
}

/** Whether a host is `localhost`, a subdomain of it, or a loopback address, with or without a port. */
export function isLoopbackName(host: string): boolean {
  const name = withoutPort(host)
  return /^(?:[\w-]+\.)*localhost$/i.test(name) || name === '[::1]' || isLoopbackAddress(name)
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}

function withoutDefaultPort(host: string, protocol?: string): string {
  if (protocol === undefined) return host.replace(/:(?:80|443)$/, '')
  const port = protocol === 'https:' ? ':443' : ':80'
  return host.endsWith(port) ? host.slice(0, -port.length) : host
}

function tryUrl(value: string): URL | undefined {
  try {
    return new URL(value)
  } catch {
    return undefined
  }
}

function forbidden(message: string): Error {
  return refusal(ErrorCode.InvalidRequest, `Forbidden: ${message}`, { status: 403 })
}

/** The option `cors`: `true` for the allowed origins; a list to add origins; `'*'` for every origin, without credentials. */
export type CorsOption = boolean | string | readonly string[]

const methods = 'POST, GET, DELETE, OPTIONS'
const exposedHeaders = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'
const allowedHeaders = [
  'Content-Type',
  'Accept',
  'Authorization',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
].join(', ')

/** The origins that a `cors` option adds to the allowed ones. */
export function corsOrigins(cors: CorsOption | undefined): readonly string[] {
  if (typeof cors === 'string') return cors === '*' ? [] : [cors]
  return typeof cors === 'object' ? cors : []
}

/** The CORS headers for an origin that is already known to be allowed. */
export function corsHeaders(cors: CorsOption, origin: string): Record<string, string> {
  const shared = { 'Access-Control-Expose-Headers': exposedHeaders }
  if (cors === '*') return { 'Access-Control-Allow-Origin': '*', ...shared }
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
    ...shared,
  }
}

/** The response to a CORS preflight. */
export function preflight(request: HttpRequest): HttpResponse {
  const requestedHeaders = request.header('access-control-request-headers') ?? ''
  // A wildcard doesn't work with credentials, so the requested Mcp-Param-* names are allowed one by one.
  const paramHeaders = requestedHeaders
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[\w!#$%&'*+.^`|~-]+$/i.test(name))
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': [allowedHeaders, ...paramHeaders].join(', '),
      'Access-Control-Max-Age': '86400',
    },
    body: undefined,
  }
}
