/**
 * Host and Origin: keeps pages of other sites, and names that were rebound to this machine, away from the endpoint
 * (specification, Transports, Security warning).
 */

import { ErrorCode, refusal } from '../../errors/errors.js'
import { describe } from '../../support/values.js'
import { isForwarded, isLoopbackAddress } from './client-address.js'
import type { HttpRequest, HttpResponse } from './shapes.js'

export interface OriginRules {
  readonly publicUrl: string | undefined
  readonly allowedOrigins: readonly string[]
  /** `undefined`: not given. */
  readonly allowedHosts: readonly string[] | undefined
  /** Every origin may call: `cors: '*'`. */
  readonly anyOrigin: boolean
}

interface Admitted {
  /** As the request spells it; `host` in lower case. */
  readonly asked?: string | undefined
  readonly host?: string | undefined
  readonly peerAddress?: string | undefined
  readonly trustsProxy?: boolean
}

export class OriginGuard {
  readonly #rules: OriginRules
  readonly #origins: ReadonlySet<string>
  readonly #hosts: ReadonlySet<string> | undefined
  /** What was let in last: nearly all requests are like it. */
  #last: Admitted = {}

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

  /** Throws 403, naming the option that would allow it. */
  check(request: HttpRequest): void {
    const host = this.checkHost(request)
    const origin = request.header('origin')
    if (origin !== undefined && !this.#allowsOrigin(origin, host, request)) {
      throw forbidden(
        `the origin ${describe(origin)} is not allowed; name it in \`allowedOrigins\` or \`cors\``,
      )
    }
  }

  /** The same of the host alone. Returns it. */
  checkHost(request: HttpRequest): string | undefined {
    const { host: asked, peerAddress, trustsProxy } = request
    const last = this.#last
    if (last.asked === asked && last.peerAddress === peerAddress && last.trustsProxy === trustsProxy)
      return last.host
    const host = asked?.toLowerCase()
    if (!this.#allowsHost(host, request)) {
      throw forbidden(
        `the host ${describe(request.host)} is not allowed; name it in \`allowedHosts\` or set \`publicUrl\``,
      )
    }
    this.#last = { asked, peerAddress, trustsProxy, host }
    return host
  }

  /** Sent from this machine, with nothing known of proxies between. */
  isDirect(request: HttpRequest): boolean {
    return !this.#knowsItsHosts(request) && isNear(request)
  }

  #allowsHost(host: string | undefined, request: HttpRequest): boolean {
    const hosts = this.#hosts
    const isLocal = host !== undefined && isLoopbackName(host)
    if (hosts !== undefined) {
      if (host === undefined) return false
      return (
        namesOf(host).some((name) => hosts.has(name)) || (isLocal && isLoopbackAddress(request.peerAddress))
      )
    }
    return this.#knowsItsHosts(request) || !isLoopbackAddress(request.peerAddress) || isLocal
  }

  /** The operator told how the world reaches this server, so that a local peer is a proxy and proves nothing. */
  #knowsItsHosts({ trustsProxy }: HttpRequest): boolean {
    return this.#rules.publicUrl !== undefined || this.#rules.allowedHosts !== undefined || trustsProxy
  }

  #allowsOrigin(origin: string, host: string | undefined, request: HttpRequest): boolean {
    if (this.#rules.anyOrigin) return true
    // Sandboxed frames and files: never an origin of anybody's.
    if (origin === 'null') return false
    const url = tryUrl(origin)
    if (url === undefined || url.host === '') return false
    if (this.#origins.has(originOf(url))) return true
    if (host === undefined) return false
    const knowsItsHosts = this.#knowsItsHosts(request)
    // With nobody to tell who is at the other end, a page may have rebound its own name to this machine.
    if (request.peerAddress === undefined && !knowsItsHosts && !isLoopbackName(host)) return false
    const local = isLoopbackAddress(request.peerAddress) && !knowsItsHosts
    return url.host === withoutDefaultPort(host, url.protocol) || (local && isLoopbackName(url.host))
  }
}

/** Schemes of apps and extensions have no origin of their own in the URL standard, but a host that tells them apart. */
function originOf(url: URL): string {
  return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin
}

/** Sent directly from this machine, as far as the request can tell. A proxy may pass it on without a trace. */
export function isNear({ peerAddress, host, headers }: HttpRequest): boolean {
  return isLoopbackAddress(peerAddress) && host !== undefined && isLoopbackName(host) && !isForwarded(headers)
}

/** The same where the platform doesn't know the address at the other end. */
export function isLocal(request: HttpRequest): boolean {
  const { host, peerAddress, headers } = request
  if (peerAddress !== undefined) return isNear(request)
  return host !== undefined && isLoopbackName(host) && !isForwarded(headers)
}

/** The spellings under which `allowedHosts` may name a host. */
export function namesOf(host: string): readonly string[] {
  return [host, withoutDefaultPort(host), nameOf(host)]
}

/** `localhost`, names below it, and loopback addresses, with or without a port. */
export function isLoopbackName(host: string): boolean {
  const name = nameOf(host)
  return /^(?:[\w-]+\.)*localhost$/i.test(name) || name === '[::1]' || isLoopbackAddress(name)
}

function nameOf(host: string): string {
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

/** `true`: the allowed origins; a list: these too; `'*'`: every origin, without credentials. */
export type CorsOption = boolean | string | readonly string[]

const methods = 'POST, GET, DELETE, OPTIONS'
const exposed = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'
const allowed = [
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

/** The headers for one origin that was already found to be allowed. */
export function corsHeaders(cors: CorsOption, origin: string): Record<string, string> {
  const shared = { 'Access-Control-Expose-Headers': exposed }
  if (cors === '*') return { 'Access-Control-Allow-Origin': '*', ...shared }
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
    ...shared,
  }
}

export function preflight(request: HttpRequest): HttpResponse {
  const asked = request.header('access-control-request-headers') ?? ''
  // A wildcard does not work with credentials, so concrete Mcp-Param-* names are allowed as they are asked for.
  const mirrored = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[\w!#$%&'*+.^`|~-]+$/i.test(name))
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': [allowed, ...mirrored].join(', '),
      'Access-Control-Max-Age': '86400',
    },
    body: undefined,
  }
}
