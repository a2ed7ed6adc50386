/** Which headers of the request that carried the call go to the route: who the caller is, never what was sent. */

import type { RequestInfo } from '../../definitions/context.js'
import type { Meta } from '../../protocol/types.js'
import { describe } from '../../support/values.js'

/** The caller, their address as proxies told it, and the ids of the request. */
const forwarded = new Set([
  'authorization',
  'cookie',
  'accept-language',
  'user-agent',
  'x-request-id',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-ssl',
  'x-real-ip',
])

const traceHeaders = ['traceparent', 'tracestate', 'baggage'] as const

/** They belong to the outer connection, body or page, or change the form of an answer that we must read. */
const never = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'last-event-id',
  'origin',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'range',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const neverBeginning = /^(?:content-|if-|mcp-|sec-|access-control-|:)/
const token = /^[\w!#$%&'*+.^`|~-]+$/

/** JSON where the route can choose: pages are of no use to a model. */
const accept = 'application/json, text/plain;q=0.9, */*;q=0.8'

export interface ForwardOptions {
  /** More headers to pass on: `['x-tenant-id']`. Checked by `checkForwardHeaders`. */
  readonly forwardHeaders?: readonly string[] | undefined
  /** The `_meta` of the call: its trace wins over that of the headers. */
  readonly meta?: Meta | undefined
}

/**
 * The names of the option `forwardHeaders` in lower case.
 * @throws TypeError for what is no header name, and for headers that are never passed on.
 */
export function checkForwardHeaders(names: readonly unknown[]): readonly string[] {
  return names.map((given) => {
    if (typeof given !== 'string' || !token.test(given)) {
      throw new TypeError(`\`forwardHeaders\`: expected names of headers, got ${describe(given)}`)
    }
    const name = given.toLowerCase()
    if (never.has(name) || neverBeginning.test(name)) {
      throw new TypeError(
        `\`forwardHeaders\`: \`${given}\` belongs to the MCP request itself and is never passed on; leave it out`,
      )
    }
    return name
  })
}

/**
 * The headers of an inner request, besides those of its body. `outer`: what carried the call, if anything did. `own`:
 * what arguments became; it wins for the language alone.
 */
export function forwardedHeaders(
  outer: RequestInfo | undefined,
  { forwardHeaders = [], meta }: ForwardOptions = {},
  own?: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {}
  // There are hardly ever any.
  for (const name in own) headers[name] = own[name] as string
  headers.host = hostOf(outer)
  headers.accept = accept
  if (outer !== undefined) {
    // They are fewer than the names that may go.
    for (const name in outer.headers) if (forwarded.has(name)) copy(headers, name, outer.headers[name])
    // It says nothing of the caller that a route could rely on.
    if (own?.['accept-language'] !== undefined) headers['accept-language'] = own['accept-language']
    for (const name of lowerCased(forwardHeaders)) copy(headers, name, outer.headers[name])
  }
  headers['user-agent'] ??= 'mcp-router'
  copyTrace(headers, outer, meta)
  return headers
}

/** The option is kept as it was written. */
export function lowerCased(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase())
}

function hostOf(outer: RequestInfo | undefined): string {
  // HTTP/2 has a name of its own for it.
  const host = outer?.headers.host ?? outer?.headers[':authority']
  return typeof host === 'string' ? host : 'localhost'
}

/** All three from one place: a state belongs to its parent. */
function copyTrace(
  headers: Record<string, string>,
  outer: RequestInfo | undefined,
  meta: Meta | undefined,
): void {
  const source = meta?.traceparent === undefined ? outer?.headers : meta
  for (const name of traceHeaders) copy(headers, name, source?.[name] ?? meta?.[name])
}

/** What a client wrote into `_meta` was checked by no HTTP parser. */
const printable = /^[\t\x20-\x7e\x80-\xff]*$/

function copy(headers: Record<string, string>, name: string, value: unknown): void {
  const text = Array.isArray(value) ? value.join(', ') : value
  if (typeof text === 'string' && printable.test(text)) headers[name] = text
}
