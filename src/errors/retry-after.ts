/** How long a route asks its caller to wait, in the headers that rate limiters and proxies use. */

import type { HttpMessage } from './body-text.js'
import { headerOf } from './body-text.js'

/** Larger numbers in a reset header are a point in time, in seconds since 1970. */
const epochBegins = 1_000_000_000

/** Whole seconds, 0 or more; `undefined`: it does not say. */
export function retryAfterSeconds(
  response: Pick<HttpMessage, 'headers'>,
  now: number = Date.now(),
): number | undefined {
  const retryAfter = headerOf(response, 'retry-after')
  if (retryAfter !== undefined) return ofNumber(retryAfter, now) ?? ofDate(retryAfter, now)
  // `limit=5, remaining=0, reset=30` of the older drafts, `"default";r=0;t=30` of the newer ones.
  const limit = headerOf(response, 'ratelimit')
  const inLimit = limit === undefined ? undefined : /(?:^|[;,\s])(?:reset|t)=(\d+)/i.exec(limit)?.[1]
  for (const value of [
    headerOf(response, 'ratelimit-reset'),
    inLimit,
    headerOf(response, 'x-ratelimit-reset'),
    headerOf(response, 'x-rate-limit-reset'),
  ]) {
    if (value !== undefined) return ofNumber(value, now) ?? ofDate(value, now)
  }
  return undefined
}

function ofNumber(text: string, now: number): number | undefined {
  if (!/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return undefined
  const number = Number(text)
  return Math.ceil(number >= epochBegins ? Math.max(0, number - now / 1_000) : number)
}

function ofDate(text: string, now: number): number | undefined {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1_000))
}
