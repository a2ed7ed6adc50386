/** The addresses and methods of the endpoint below the prefix it is registered with. */

import type { FastifyInstance } from 'fastify'
import type { Endpoint, HttpHandler } from '../../src/adapter.js'

export interface Address {
  /** Below the prefix. */
  readonly url: string
  readonly endpoint: Endpoint
}

/** With and without a slash at the end, as on the other frameworks. */
export function addressesOf(http: HttpHandler, prefix: string): Address[] {
  const addresses: Address[] = []
  for (const url of http.paths) {
    const endpoint = url === '' && prefix === '' ? undefined : http.route(prefix, url)
    if (endpoint !== undefined) addresses.push({ url, endpoint })
  }
  return addresses
}

/**
 * Whether a request spells the address of a route as its author did. Fastify also finds it by encoded letters, a whole
 * URL, or with a `;`: hooks that compare `request.url` with `/mcp` would not see those. Letter case and slashes differ
 * only where the app's options say so.
 */
export function isSpelled(route: string, url: string): boolean {
  if (url === route) return true
  if (!url.startsWith('/')) return false
  const end = url.indexOf('?')
  const segments = segmentsOf(end < 0 ? url : url.slice(0, end))
  const wanted = segmentsOf(route)
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) => /[:*]/.test(segment) || isSame(segment, segments[index] as string)) // as many
  )
}

/** Clients encode what no request line can carry. */
function isSame(wanted: string, given: string): boolean {
  const asked = given.toLowerCase()
  return wanted.toLowerCase() === asked || encodeURI(wanted).toLowerCase() === asked
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Fastify 4 does not tell which methods it routes. */
const methodsOfFastify4 = [
  'DELETE',
  'GET',
  'HEAD',
  'PATCH',
  'POST',
  'PUT',
  'OPTIONS',
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'TRACE',
  'SEARCH',
  'REPORT',
  'MKCALENDAR',
]

/** Every method that the app routes is answered: those that the endpoint does not serve with 405. */
export function methodsOf({ supportedMethods }: Partial<FastifyInstance>): string[] {
  return [...(supportedMethods ?? methodsOfFastify4)]
}
