/** The address of a client, possibly behind proxies. */

import type { Core } from '../../server/core.js'
import { plainAddressOf } from '../../sessions/owner.js'
import type { HttpRequest } from './shapes.js'

/** Headers that proxies add. A request with any of them may come from another machine, even if the proxy is local. */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
] as const

export function isForwarded(headers: HttpRequest['headers']): boolean {
  return forwardingHeaders.some((name) => headers[name] !== undefined)
}

/** Whether `address` is in 127.0.0.0/8, also as a mapped IPv6 address, or ::1. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address)
}

/** Whether an address is private, where an operator's own proxies are: RFC 1918, RFC 6598, link-local or unique local. */
function isPrivateAddress(address: string): boolean {
  const v4 =
    /^(?:::ffff:)?(10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./i
  return v4.test(address) || /^(?:::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i.test(address)
}

/** The key in `warnedOf` for a router that has logged this warning. */
const untrustedProxyWarning = {}

/**
 * The address that limits for an anonymous caller count by. `undefined` for a request through a private proxy that the
 * framework doesn't trust: all callers share the proxy's address, so one of them could lock out all others.
 */
export function addressForLimits(request: HttpRequest, { log, warnedOf }: Core): string | undefined {
  const { ip, peerAddress = ip } = request
  if (ip === undefined || peerAddress === undefined) return ip
  const address = plainAddressOf(ip) ?? peerAddress
  if (address !== peerAddress || !isPrivateAddress(address) || !isForwarded(request.headers)) return address
  if (!warnedOf.has(untrustedProxyWarning)) {
    warnedOf.add(untrustedProxyWarning)
    log.warn(
      'Requests come through a proxy that the framework does not trust, so per-caller limits do not apply to anonymous callers: set `trust proxy` in Express, `trustProxy` in Fastify, `proxy` in Koa, or pass `ip` with a web request',
    )
  }
  return undefined
}
