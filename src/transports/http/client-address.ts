/** The address of a client, where proxies may be between. */

import type { Core } from '../../server/core.js'
import { plainAddressOf } from '../../sessions/owner.js'
import type { HttpRequest } from './shapes.js'

/** Headers that proxies add: such a request came from elsewhere, however local the proxy is. */
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

/** 127.0.0.0/8, ::1 and the mapped forms. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address)
}

/** RFC 1918, RFC 6598, link-local and unique local addresses: where proxies of one's own are. */
function isPrivateAddress(address: string): boolean {
  const v4 =
    /^(?:::ffff:)?(10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./i
  return v4.test(address) || /^(?:::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i.test(address)
}

/** Given to routers that were warned, once each. */
const ofUntrustedProxy = {}

/**
 * The address that limits of an anonymous caller count by. `undefined`: the request came through a proxy of one's own
 * that nobody was told to trust, whose address all callers share: one of them could lock out all others.
 */
export function countedAddressOf(request: HttpRequest, { log, warnedOf }: Core): string | undefined {
  const { ip, peerAddress = ip } = request
  if (ip === undefined || peerAddress === undefined) return ip
  const address = plainAddressOf(ip) ?? peerAddress
  if (address !== peerAddress || !isPrivateAddress(address) || !isForwarded(request.headers)) return address
  if (!warnedOf.has(ofUntrustedProxy)) {
    warnedOf.add(ofUntrustedProxy)
    log.warn(
      'Requests come through a proxy that the framework does not trust, so limits of a single caller hold for nobody who is anonymous: expected `trust proxy` of Express, `trustProxy` of Fastify, `proxy` of Koa, or `ip` beside a web request, to tell callers apart',
    )
  }
  return undefined
}
