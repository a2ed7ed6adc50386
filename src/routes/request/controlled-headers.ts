/**
 * Plans the request headers of a route. Headers become arguments only if an option names them, because no list of
 * credential headers is complete.
 */

import { InvalidParamsError } from '../../errors/errors.js'
import { describe, isObject } from '../../support/values.js'
import type { Route, RouteSchema } from '../route.js'
import type { Field, PartName } from './arguments.js'
import { writeSimple } from './parameter-styles.js'

/** Headers that never become arguments: they identify the caller, or control how and where the request is sent. */
const reservedHeaders: ReadonlySet<string> = new Set([
  ...['authorization', 'cookie', 'host', 'origin', 'referer', 'user-agent'],
  // Connection-specific headers (RFC 9110, section 7.6.1; RFC 9113, section 8.2.2).
  ...[
    'connection',
    'expect',
    'http2-settings',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ],
  // Frameworks and proxies replace the method or URL by these.
  ...['x-http-method', 'x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url'],
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip'],
  ...['cf-connecting-ip', 'traceparent', 'tracestate', 'baggage', 'x-request-id'],
  // They would change the response to a format that isn't supported.
  ...['accept', 'accept-charset', 'accept-encoding', 'last-event-id', 'range'],
])

const reservedPrefixes = ['access-control-', 'content-', 'mcp-', 'proxy-', 'sec-', 'x-b3-', 'x-forwarded-']

/**
 * Headers that commonly identify a caller or hold a credential. A schema alone never makes the library send them; an
 * option must name or forward them.
 */
const credentialHeaders: ReadonlySet<string> = new Set([
  ...['api-key', 'apikey', 'x-api-key', 'x-apikey', 'x-access-token', 'x-auth-token', 'x-authorization'],
  ...['x-amz-security-token', 'x-goog-api-key', 'x-csrf-token', 'x-xsrf-token', 'csrf-token', 'xsrf-token'],
  ...['x-user-id', 'x-user', 'x-remote-user', 'remote-user', 'from'],
  ...['x-auth-request-user', 'x-auth-request-email', 'x-authenticated-user', 'x-authenticated-userid'],
])

const token = /^[!#$%&'*+\-.^_`|~\w]+$/

/** Whether a header can't become an argument, even if an option names it. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return (
    reservedHeaders.has(lower) ||
    reservedPrefixes.some((family) => lower.startsWith(family)) ||
    !token.test(lower)
  )
}

/**
 * Checks the option `headers`.
 * @throws TypeError for invalid header names, and for headers that never become arguments.
 */
export function checkHeaderNames(value: unknown, what: string): void {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string' || !token.test(name))) {
    throw new TypeError(
      `${what} to be an array of header names, such as ['if-match']; got ${describe(value)}`,
    )
  }
  const refused = value.find(isReservedHeader)
  if (refused === undefined) return
  throw new TypeError(
    `${what} to name headers that a model may set; "${refused}" identifies the caller or controls the request, so it can't be an argument; leave it out`,
  )
}

export interface HeaderOptions {
  /** The headers that become arguments, as written in the options. */
  readonly named: readonly string[]
  /** Headers forwarded from the caller, in lower case. They never become arguments. */
  readonly forwarded: ReadonlySet<string>
  /** How else the caller's headers can be added, for the message; `undefined` if a function of the app adds headers. */
  readonly alternative: string | undefined
}

export interface PlannedHeaders {
  readonly fields: readonly Field[]
  /** Headers with constant values, sent with every request. Lower-case names. */
  readonly constants: Readonly<Record<string, string>>
  /** Notes on required headers that aren't sent. */
  readonly notes: readonly string[]
}

/** Plans the headers. `known`: those that the schemas describe. */
export function planHeaders(
  known: readonly Field[],
  { named, forwarded, alternative }: HeaderOptions,
): PlannedHeaders {
  const byName = new Map(known.map((field) => [String(field.key).toLowerCase(), field]))
  const wanted = new Map(named.map((name) => [name.toLowerCase(), name]))
  const fields = [...wanted]
    .filter(([lower]) => !forwarded.has(lower))
    .map(
      ([lower, key]) =>
        byName.get(lower) ?? ({ part: 'header', key, schema: text, required: false } as const),
    )
  const constants: Record<string, string> = {}
  const notes: string[] = []
  for (const [lower, { key, schema, required }] of byName) {
    if (!required || wanted.has(lower) || isReservedHeader(lower)) continue
    const constant = forwarded.has(lower) || credentialHeaders.has(lower) ? undefined : constantOf(schema)
    if (constant !== undefined) constants[lower] = constant
    else if (!forwarded.has(lower) && lower !== 'accept-language' && alternative !== undefined) {
      notes.push(
        `its required header "${key}" is not sent: name it in \`headers\` to make it an argument, or ${alternative}`,
      )
    }
  }
  return { fields, constants, notes }
}

const text = { type: 'string' }

/** Returns the only value or the default that a schema allows, if it is valid in a header. */
function constantOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined
  const { enum: values } = schema
  const value = schema.const ?? (Array.isArray(values) && values.length === 1 ? values[0] : schema.default)
  if (value === undefined || value === null) return undefined
  const written = writeSimple(value, undefined).trim()
  return fitsHeader(written) ? written : undefined
}

/** Whether a value is valid in a header: Latin-1 without line breaks. */
export function fitsHeader(written: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(written)
}

/** Whether a parameter is a credential. Parameters that the marker's schema declares are allowed. */
export function isSecret({ marker, schema }: Route, part: PartName, key: string | undefined): boolean {
  if (key === undefined || (part === 'query' && marker?.query !== undefined)) return false
  return schema?.secrets?.some((secret) => secret.part === part && sameName(secret, key)) === true
}

/**
 * Checks that an object in the query doesn't add a credential parameter. `declared`: parameters that are arguments.
 * @throws InvalidParamsError if it does, in any spelling of nested keys.
 */
export function assertNoSecret(
  query: string,
  { secrets = [] }: Partial<RouteSchema>,
  declared: ReadonlySet<string>,
): void {
  if (secrets.length === 0 || query === '') return
  for (const written of new URLSearchParams(query).keys()) {
    // Brackets of a list aren't part of the name.
    if (declared.has(written.replace(/\[\d*\]$/, ''))) continue
    const found = secrets.find(
      ({ part, name }) => part === 'query' && (written === name || rootName(written) === rootName(name)),
    )
    if (found === undefined) continue
    throw new InvalidParamsError(
      `the parameter "${found.name}" is a credential, so it can't be an argument; leave it out`,
    )
  }
}

/** Returns the name that parsers of nested keys start with: `a` for `a[b]`, `[a]`, `a[]` and `a.b`; empty for `[]`. */
export function rootName(key: string): string {
  return key.split(/[[\].]/).find((word) => word !== '') ?? ''
}

function sameName({ part, name }: { readonly part: string; readonly name: string }, key: string): boolean {
  return part === 'header' ? name.toLowerCase() === key.toLowerCase() : name === key
}
