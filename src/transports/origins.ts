/**
 * Host and Origin: keeps pages of other sites, and names that were rebound to this machine, away from the endpoint
 * (specification, transports, security warning; digest section 20, 1 to 3).
 */

import { ErrorCode, refusal } from '../errors.js'
import { describe } from '../protocol/jsonrpc.js'
import type { HttpRequest } from './shapes.js'

export interface OriginRules {
  readonly publicUrl: string | undefined
  readonly allowedOrigins: readonly string[]
  /** `undefined`: not given. */
  readonly allowedHosts: readonly string[] | undefined
  /** Every origin may call: `cors: '*'`. */
  readonly anyOrigin: boolean
}

export class OriginGuard {
  readonly #rules: OriginRules
  readonly #origins: ReadonlySet<string>
  readonly #hosts: ReadonlySet<string> | undefined
  readonly #publicHost: string | undefined

  constructor(rules: OriginRules) {
    this.#rules = rules
    const publicUrl = rules.publicUrl === undefined ? undefined : parseUrl('publicUrl', rules.publicUrl)
    this.#publicHost = publicUrl?.host
    this.#origins = new Set([
      ...rules.allowedOrigins.map((origin) => parseUrl('allowedOrigins', origin).origin),
      ...(publicUrl === undefined ? [] : [publicUrl.origin]),
    ])
    this.#hosts = rules.allowedHosts && new Set(rules.allowedHosts.map((host) => host.toLowerCase()))
  }

  /** Throws 403, naming the option that would allow it. */
  check(request: HttpRequest): void {
    const loopback = isLoopbackAddress(request.peerAddress)
    const host = request.host?.toLowerCase()
    if (!this.#allowsHost(host, loopback, request.trustsProxy)) {
      throw forbidden(
        `the host ${describe(request.host)} is not allowed; name it in \`allowedHosts\` or set \`publicUrl\``,
      )
    }
    const origin = request.header('origin')
    if (origin !== undefined && !this.#allowsOrigin(origin, host, loopback)) {
      throw forbidden(
        `the origin ${describe(origin)} is not allowed; name it in \`allowedOrigins\` or \`cors\``,
      )
    }
  }

  #allowsHost(host: string | undefined, loopback: boolean, trustsProxy: boolean): boolean {
    const hosts = this.#hosts
    if (hosts !== undefined) {
      if (host === undefined) return false
      return (
        hosts.has(host) ||
        hosts.has(nameOf(host)) ||
        host === this.#publicHost ||
        (loopback && isLoopbackName(host))
      )
    }
    if (this.#rules.publicUrl !== undefined || trustsProxy || !loopback) return true
    return host !== undefined && isLoopbackName(host)
  }

  #allowsOrigin(origin: string, host: string | undefined, loopback: boolean): boolean {
    if (this.#rules.anyOrigin) return true
    if (this.#origins.has(origin)) return true
    const url = tryUrl(origin)
    if (url === undefined || url.host === '' || url.origin === 'null') return false
    if (this.#origins.has(url.origin)) return true
    return (
      host !== undefined &&
      (url.host === withoutDefaultPort(host, url.protocol) || (loopback && isLoopbackName(url.host)))
    )
  }
}

/** 127.0.0.0/8, ::1 and the mapped forms. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address)
}

/** `localhost`, names below it, and loopback addresses, with or without a port. */
export function isLoopbackName(host: string): boolean {
  const name = nameOf(host)
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || isLoopbackAddress(name)
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '')
}

function withoutDefaultPort(host: string, protocol: string): string {
  const port = protocol === 'https:' ? ':443' : ':80'
  return host.endsWith(port) ? host.slice(0, -port.length) : host
}

function parseUrl(option: string, value: string): URL {
  const url = tryUrl(value)
  if (url !== undefined && url.host !== '') return url
  throw new TypeError(
    `expected \`${option}\` to hold URLs such as https://app.example.com; got ${describe(value)}`,
  )
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
