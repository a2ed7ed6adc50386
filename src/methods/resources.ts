/** Reads a resource: a fixed one wins over a template that matches too. */

import { assertAllowed, invoke, isVisible } from '../calls/invoke.js'
import { assertBase64, type OnInvalid, sendable, warnOnce } from '../content/members.js'
import type { Handler, ResourceEntry, TemplateEntry } from '../definitions/entries.js'
import type { CacheHint, ResourceItem, ResourceReturn } from '../definitions/options.js'
import type { CatalogItem } from '../definitions/registry.js'
import { assertJson, ServerFault, throwReturned } from '../errors/assert-json.js'
import { refusal } from '../errors/errors.js'
import type { Identity } from '../protocol/identity.js'
import { invalidParams, stringParam } from '../protocol/params.js'
import { toRevisionReadResult } from '../protocol/to-revision.js'
import type { ReadResourceResult, ResourceContents } from '../protocol/types.js'
import { hasScopes, insufficientScope, isAnonymous } from '../request/authorize.js'
import { type Checked, describeIssues } from '../schema/index.js'
import { toBase64 } from '../support/base64.js'
import { whenReady } from '../support/maybe-promise.js'
import { describe, isObject } from '../support/values.js'
import { asProtocolError } from '../tracing/error-report.js'
import type { MethodExchange } from './services.js'

type Readable = ResourceEntry | TemplateEntry
interface Match {
  readonly served: CatalogItem<Readable>
  readonly variables: Record<string, string>
}

/** Failures are JSON-RPC errors, always. The cache hint is for the revision that has one. */
export async function readResource(
  exchange: MethodExchange,
): Promise<{ result: ReadResourceResult; cache: CacheHint }> {
  const uri = stringParam(exchange.params, 'uri')
  const identity = await exchange.resolveCaller()
  const match = findResource(exchange, identity, uri)
  if (match === undefined) throw unmatched(exchange, identity, uri)
  const { entry } = match.served
  assertAllowed(entry, exchange, identity)
  const result = await runResource(match, exchange, identity, uri)
  if (result === undefined) throw notFound(exchange, uri)
  return {
    result: toRevisionReadResult(result, exchange.revision),
    cache: cacheOf(entry, exchange),
  }
}

/** Returns the cache hint of a read. A result that used the client's answers isn't cached (2026-07-28, Multi-round-trip requests). */
function cacheOf(entry: Readable, { services, params }: MethodExchange): CacheHint {
  const answered = params.inputResponses !== undefined || params.requestState !== undefined
  return answered ? { ttlMs: 0, scope: 'private' } : (entry.cache ?? services.cache.reads)
}

export function notFound({ revision }: MethodExchange, uri: string): Error {
  return refusal(revision.resourceNotFound, `Resource not found: ${uri}`, {
    data: { uri },
  })
}

/** Whether the caller may read a URI, as far as that can be decided without reading it. */
export function isReadable(exchange: MethodExchange, identity: Identity, uri: string): boolean {
  const entry = findResource(exchange, identity, uri)?.served.entry
  return entry !== undefined && !(entry.requireUser && isAnonymous(identity))
}

/** Throws one 403 that lists all scopes missing for any of the URIs. */
export function assertScopes(exchange: MethodExchange, identity: Identity, uris: Iterable<string>): void {
  const entries = [...uris].map((uri) => findResource(exchange, identity, uri)?.served.entry)
  const needed = entries.flatMap((entry) => entry?.scopes ?? [])
  if (hasScopes(needed, identity)) return
  throw insufficientScope(exchange, identity, { owner: 'a subscription', scopes: [...new Set(needed)] })
}

/** Throws the error that reading the URI would be refused with. */
export function assertReadable(exchange: MethodExchange, identity: Identity, uri: string): void {
  const entry = findResource(exchange, identity, uri)?.served.entry
  if (entry === undefined) throw unmatched(exchange, identity, uri)
  assertAllowed(entry, exchange, identity)
}

function findResource(exchange: MethodExchange, identity: Identity, uri: string): Match | undefined {
  const { resource, template } = exchange.services.registry.catalog()
  const fixed = resource.byKey.get(uri)
  if (fixed !== undefined && isVisible(fixed.entry, exchange, identity))
    return { served: fixed, variables: {} }
  for (const served of template.items) {
    const variables = served.entry.template.match(uri)
    if (variables !== undefined && isVisible(served.entry, exchange, identity)) return { served, variables }
  }
  return undefined
}

/** Returns the "not found" error. Names the value that a template refused, if one has the shape of the URI. */
function unmatched(exchange: MethodExchange, identity: Identity, uri: string): Error {
  for (const { entry } of exchange.services.registry.catalog().template.items) {
    const refused = entry.template.refusal(uri)
    if (refused !== undefined && isVisible(entry, exchange, identity)) return invalidParams(refused)
  }
  return notFound(exchange, uri)
}

async function runResource(
  { served, variables }: Match,
  exchange: MethodExchange,
  identity: Identity,
  uri: string,
): Promise<ReadResourceResult | undefined> {
  const { entry } = served
  const owner = `resource ${describe(uri)}`
  const about = { owner, notFound: { code: exchange.revision.resourceNotFound, data: { uri } } }
  return asProtocolError(exchange, about, async () => {
    const input = await exchange.withTimeout(owner, entry.timeoutMs, checkVariables(entry, variables))
    const value = await invoke(
      { item: served, exchange, identity, name: uri, input, extra: { uri } },
      handlerOf(entry),
    )
    return toContents(value as ResourceReturn, { uri, mimeType: entry.mimeType }, (message) =>
      warnOnce(exchange.services.log, `resource ${served.key}`, `${owner}: left out ${message}`),
    )
  })
}

function checkVariables(entry: Readable, variables: Record<string, string>): unknown {
  if (entry.kind === 'resource' || entry.input === undefined) return variables
  return whenReady(entry.input.check(variables), accepted)
}

function accepted(checked: Checked): unknown {
  if (checked.issues === undefined) return checked.value
  throw invalidParams(describeIssues(checked.issues))
}

function handlerOf({ options }: Readable): Handler {
  return options.handler ?? (() => options.text ?? options.blob)
}

function toContents(
  value: ResourceReturn,
  about: Pick<ResourceContents, 'uri' | 'mimeType'>,
  onInvalid: OnInvalid,
): ReadResourceResult | undefined {
  throwReturned(value)
  if (value === undefined || value === null) return undefined
  const items = Array.isArray(value)
    ? (value as readonly ResourceItem[])
    : [value as string | Uint8Array | ResourceItem]
  const contents = items.map((item) => toContent(item, about, onInvalid))
  assertJson(contents)
  return { contents }
}

function toContent(
  item: string | Uint8Array | ResourceItem,
  { uri, mimeType }: Pick<ResourceContents, 'uri' | 'mimeType'>,
  onInvalid: OnInvalid,
): ResourceContents {
  if (typeof item === 'string') return { uri, mimeType: mimeType ?? 'text/plain', text: item }
  if (item instanceof Uint8Array) {
    return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(item) }
  }
  if (!isObject(item)) throw unreadable(item)
  const { text, blob } = item
  const named = item.uri ?? uri
  const { mimeType: own = mimeType, ...extra } = sendable(
    { mimeType: item.mimeType ?? undefined, ...(item.meta !== undefined && { _meta: item.meta }) },
    onInvalid,
  )
  if (typeof text === 'string') return { uri: named, mimeType: own ?? 'text/plain', text, ...extra }
  const bytes = blob instanceof Uint8Array ? toBase64(blob) : blob
  if (typeof bytes !== 'string') throw unreadable(item)
  if (bytes === blob) assertBase64(bytes, 'blob')
  return { uri: named, mimeType: own ?? 'application/octet-stream', blob: bytes, ...extra }
}

function unreadable(item: unknown): ServerFault {
  return new ServerFault(
    `expected the handler to return a string, bytes, { text }, { blob }, an array of those, or undefined; got ${describe(item)}`,
  )
}
