/** Request headers: arguments only where somebody names them, because nobody can list all headers that identify a caller. */

import { InvalidParamsError } from '../../errors/errors.js'
import { describe, isObject } from '../../support/values.js'
import type { Route, RouteSchema } from '../route.js'
import type { Field, PartName } from './arguments.js'
import { writeSimple } from './parameter-styles.js'

/** Headers that are never arguments: who calls, how the request travels, and where it goes isn't for a model to say. */
const names: ReadonlySet<string> = new Set([
  ...['authorization', 'cookie', 'host', 'origin', 'referer', 'user-agent'],
  // RFC 9110, section 7.6.1, and RFC 9113, section 8.2.2: they belong to one connection.
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
  // Frameworks and proxies make another method or URL of the request.
  ...['x-http-method', 'x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url'],
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip'],
  ...['cf-connecting-ip', 'traceparent', 'tracestate', 'baggage', 'x-request-id'],
  // The answer would take a form that isn't read.
  ...['accept', 'accept-charset', 'accept-encoding', 'last-event-id', 'range'],
])

const families = ['access-control-', 'content-', 'mcp-', 'proxy-', 'sec-', 'x-b3-', 'x-forwarded-']

/** Headers that commonly identify a caller, or are a credential: sent only where somebody names or forwards them, never because a schema does. */
const identities: ReadonlySet<string> = new Set([
  ...['api-key', 'apikey', 'x-api-key', 'x-apikey', 'x-access-token', 'x-auth-token', 'x-authorization'],
  ...['x-amz-security-token', 'x-goog-api-key', 'x-csrf-token', 'x-xsrf-token', 'csrf-token', 'xsrf-token'],
  ...['x-user-id', 'x-user', 'x-remote-user', 'remote-user', 'from'],
  ...['x-auth-request-user', 'x-auth-request-email', 'x-authenticated-user', 'x-authenticated-userid'],
])

const token = /^[!#$%&'*+\-.^_`|~\w]+$/

/** Whether a header can't become an argument, even by name. */
export function isRefusedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return names.has(lower) || families.some((family) => lower.startsWith(family)) || !token.test(lower)
}

/** Checks the option `headers`. @throws TypeError for what isn't a header name, and for headers that are never arguments. */
export function checkHeaderNames(value: unknown, what: string): void {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string' || !token.test(name))) {
    throw new TypeError(
      `${what} to be an array of header names, such as ['if-match']; got ${describe(value)}`,
    )
  }
  const refused = value.find(isRefusedHeader)
  if (refused === undefined) return
  throw new TypeError(
    `${what} to name headers that a model may set; "${refused}" says who calls, where the request goes or how it travels, and is never an argument: leave it out`,
  )
}

export interface HeaderOptions {
  /** The arguments, as they are written. */
  readonly named: readonly string[]
  /** Passed on from the caller: never arguments. */
  readonly forwarded: ReadonlySet<string>
  /** How headers of the caller get into the request besides, for the message; `undefined`: by code that nobody can read. */
  readonly otherwise: string | undefined
}

export interface PlannedHeaders {
  readonly fields: readonly Field[]
  /** Sent with every request, in lower case. */
  readonly constants: Readonly<Record<string, string>>
  /** Required ones that nobody sends. */
  readonly notes: readonly string[]
}

/** `known`: what the schemas say of headers. */
export function planHeaders(
  known: readonly Field[],
  { named, forwarded, otherwise }: HeaderOptions,
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
    if (!required || wanted.has(lower) || isRefusedHeader(lower)) continue
    const constant = forwarded.has(lower) || identities.has(lower) ? undefined : constantOf(schema)
    if (constant !== undefined) constants[lower] = constant
    else if (!forwarded.has(lower) && lower !== 'accept-language' && otherwise !== undefined) {
      notes.push(
        `its required header "${key}" is not sent: name it in \`headers\` to make it an argument, or ${otherwise}`,
      )
    }
  }
  return { fields, constants, notes }
}

const text = { type: 'string' }

/** What a schema allows alone, or takes by default, if a header can carry it. */
function constantOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined
  const { enum: values } = schema
  const value = schema.const ?? (Array.isArray(values) && values.length === 1 ? values[0] : schema.default)
  if (value === undefined || value === null) return undefined
  const written = writeSimple(value, undefined).trim()
  return fitsHeader(written) ? written : undefined
}

/** Line breaks would start another header; beyond Latin-1 nothing can be sent. */
export function fitsHeader(written: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(written)
}

/** What the marker says of a part stands: its author named each argument. */
export function isSecret({ marker, schema }: Route, part: PartName, key: string | undefined): boolean {
  if (key === undefined || (part === 'query' && marker?.query !== undefined)) return false
  return schema?.secrets?.some((secret) => secret.part === part && sameName(secret, key)) === true
}

/**
 * An object that is written as single parameters brings names of its own. `declared`: parameters that are arguments.
 * @throws InvalidParamsError where one of them is a secret's, in any spelling of nested keys.
 */
export function assertNoSecret(
  query: string,
  { secrets = [] }: Partial<RouteSchema>,
  declared: ReadonlySet<string>,
): void {
  if (secrets.length === 0 || query === '') return
  for (const written of new URLSearchParams(query).keys()) {
    // The brackets of a list belong to no name.
    if (declared.has(written.replace(/\[\d*\]$/, ''))) continue
    const found = secrets.find(
      ({ part, name }) => part === 'query' && (written === name || rootName(written) === rootName(name)),
    )
    if (found === undefined) continue
    throw new InvalidParamsError(
      `the parameter "${found.name}" says who calls and is no argument; leave it out`,
    )
  }
}

/** The name that parsers of nested keys begin with: `a` of `a[b]`, `[a]`, `a[]` and `a.b`; empty for `[]`. */
export function rootName(key: string): string {
  return key.split(/[[\].]/).find((word) => word !== '') ?? ''
}

function sameName({ part, name }: { readonly part: string; readonly name: string }, key: string): boolean {
  return part === 'header' ? name.toLowerCase() === key.toLowerCase() : name === key
}
