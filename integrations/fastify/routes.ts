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
