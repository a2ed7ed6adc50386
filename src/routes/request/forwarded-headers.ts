/**
 * Selects the headers of the original request to forward to the route: those that identify the caller, never those of
 * its content.
 */

import type { RequestInfo } from '../../definitions/context.js'
import type { Meta } from '../../protocol/types.js'
import { describe } from '../../support/values.js'

/** The caller's identity, its address as reported by proxies, and request ids. */
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

/** Headers that belong to the outer connection, body or page, or would change the response to an unsupported format. */
const neverForwarded = new Set([
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
const neverForwardedPrefix = /^(?:content-|if-|mcp-|sec-|access-control-|:)/
const token = /^[\w!#$%&'*+.^`|~-]+$/

/** Prefers JSON, because models can't use HTML pages. */
const accept = 'application/json, text/plain;q=0.9, */*;q=0.8'

export interface ForwardOptions {
  /** Further headers to forward: `['x-tenant-id']`. Checked by `checkForwardHeaders`. */
  readonly forwardHeaders?: readonly string[] | undefined
  /** The `_meta` of the call. Its trace context takes precedence over the headers. */
  readonly meta?: Meta | undefined
}

/**
 * Returns the names of the option `forwardHeaders` in lower case.
 * @throws TypeError for invalid header names, and for headers that are never forwarded.
 */
export function checkForwardHeaders(names: readonly unknown[]): readonly string[] {
  return names.map((given) => {
    if (typeof given !== 'string' || !token.test(given)) {
      throw new TypeError(`\`forwardHeaders\`: expected names of headers, got ${describe(given)}`)
    }
    const name = given.toLowerCase()
    if (neverForwarded.has(name) || neverForwardedPrefix.test(name)) {
      throw new TypeError(
        `\`forwardHeaders\`: \`${given}\` belongs to the MCP request itself and is never passed on; leave it out`,
      )
    }
    return name
  })
}

/**
 * Returns the headers of an inner request, except those of its body. `outer`: the request that carried the call, if
 * any. `own`: headers from arguments; of forwarded headers, they override only `accept-language`.
 */
export function forwardedHeaders(
  outer: RequestInfo | undefined,
  { forwardHeaders = [], meta }: ForwardOptions = {},
  own?: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name in own) headers[name] = own[name] as string
  headers.host = hostOf(outer)
  headers.accept = accept
  if (outer !== undefined) {
    // Iterates over the request's headers, because there are fewer of them than of `forwarded`.
    for (const name in outer.headers) if (forwarded.has(name)) copy(headers, name, outer.headers[name])
    // An argument may set the language, because routes don't rely on it to identify the caller.
    if (own?.['accept-language'] !== undefined) headers['accept-language'] = own['accept-language']
    for (const name of lowerCased(forwardHeaders)) copy(headers, name, outer.headers[name])
  }
  headers['user-agent'] ??= 'mcp-router'
  copyTrace(headers, outer, meta)
  return headers
}

/** Returns the names in lower case. */
export function lowerCased(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase())
}

function hostOf(outer: RequestInfo | undefined): string {
  // HTTP/2 sends the host as `:authority`.
  const host = outer?.headers.host ?? outer?.headers[':authority']
  return typeof host === 'string' ? host : 'localhost'
}

/** Copies the trace context from one source, because `tracestate` belongs to its `traceparent`. */
function copyTrace(
  headers: Record<string, string>,
  outer: RequestInfo | undefined,
  meta: Meta | undefined,
): void {
  const source = meta?.traceparent === undefined ? outer?.headers : meta
  for (const name of traceHeaders) copy(headers, name, source?.[name] ?? meta?.[name])
}

/** Allowed characters. Values in `_meta` were not checked by an HTTP parser. */
const printable = /^[\t\x20-\x7e\x80-\xff]*$/

function copy(headers: Record<string, string>, name: string, value: unknown): void {
  const text = Array.isArray(value) ? value.join(', ') : value
  if (typeof text === 'string' && printable.test(text)) headers[name] = text
}
