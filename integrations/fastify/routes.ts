/** The URLs and methods of the endpoint below the prefix of its registration. */

import type { FastifyInstance } from 'fastify'
import type { Endpoint, HttpHandler } from '../../src/adapter.js'

export interface EndpointUrl {
  /** URL relative to the prefix. */
  readonly url: string
  readonly endpoint: Endpoint
}

/** Returns the endpoint's URLs, with and without a trailing slash, as on other frameworks. */
export function endpointUrls(http: HttpHandler, prefix: string): EndpointUrl[] {
  const addresses: EndpointUrl[] = []
  for (const url of http.paths) {
    const endpoint = url === '' && prefix === '' ? undefined : http.route(prefix, url)
    if (endpoint !== undefined) addresses.push({ url, endpoint })
  }
  return addresses
}

/**
 * Whether a request's URL is the path of a route as it was declared. Fastify also matches percent-encoded letters,
 * absolute URLs, and paths with a `;`, which hooks that compare `request.url` with `/mcp` would miss. Letter case and
 * slashes can differ only if the app's options allow that.
 */
export function isExactPath(route: string, url: string): boolean {
  if (url === route) return true
  if (!url.startsWith('/')) return false
  const end = url.indexOf('?')
  const segments = segmentsOf(end < 0 ? url : url.slice(0, end))
  const wanted = segmentsOf(route)
  return (
    segments.length === wanted.length &&
    wanted.every(
      (segment, index) => /[:*]/.test(segment) || isSameSegment(segment, segments[index] as string),
    ) // as many
  )
}

/** Compares path segments. Clients percent-encode characters that a request line can't contain. */
function isSameSegment(wanted: string, given: string): boolean {
  const requested = given.toLowerCase()
  return wanted.toLowerCase() === requested || encodeURI(wanted).toLowerCase() === requested
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Methods that Fastify 4 routes. It doesn't expose them. */
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

/** Returns every method that the app routes: the endpoint answers methods that it doesn't support with 405. */
export function methodsOf({ supportedMethods }: Partial<FastifyInstance>): string[] {
  return [...(supportedMethods ?? methodsOfFastify4)]
}
