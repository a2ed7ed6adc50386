/**
 * The four list methods. A list that is the same for every caller is text, prepared once per revision and page. A list
 * that differs between callers is joined from texts that are prepared per item.
 */

import { invoke, isVisible } from '../calls/invoke.js'
import { type OnInvalid, sendable, warnOnce } from '../content/members.js'
import type { Entry, TemplateEntry } from '../definitions/entries.js'
import type { CacheHint, ListedResource } from '../definitions/options.js'
import { type CatalogItem, type CatalogSection, compareOrder } from '../definitions/registry.js'
import { toJson } from '../errors/assert-json.js'
import type { Identity } from '../protocol/identity.js'
import { type ListKind, memberOf } from '../protocol/lists.js'
import { invalidParams, optionalString } from '../protocol/params.js'
import type { Revision } from '../protocol/revisions.js'
import { toRevisionDefinition } from '../protocol/to-revision.js'
import { isAuthorized } from '../request/authorize.js'
import { jsonText } from '../support/long-numbers.js'
import { Prepared } from '../support/prepared-json.js'
import { describe, isObject } from '../support/values.js'
import { reportError } from '../tracing/error-report.js'
import type { MethodExchange } from './services.js'

/** A list result as text: `{"tools":[…],"nextCursor":"…"` without the closing brace, so that an envelope can follow. */
export interface ListText {
  readonly prepared: Prepared
  readonly cache: CacheHint
}

/** The position of an item in its list. */
interface Place {
  readonly order: readonly number[]
  /** The URI of an item from a template's `list`. Those have no stable order. */
  readonly uri?: string
}

interface Item extends Place {
  readonly text: string
}

export function list(kind: ListKind, exchange: MethodExchange): ListText | Promise<ListText> {
  const catalog = exchange.services.registry.catalog()
  const { toolSearch } = exchange.services
  const section: CatalogSection =
    kind === 'tool' && toolSearch !== undefined ? toolSearch.shown(catalog.tool) : catalog[kind]
  const dynamic =
    kind === 'resource' ? catalog.template.items.filter(({ entry }) => entry.options.list !== undefined) : []
  if (section.perCaller || dynamic.length > 0) return listForCaller(kind, section, dynamic, exchange)
  const start = startOf(kind, section.items, exchange)
  const preparedKey = `${exchange.revision.version} ${start}`
  const prepared = section.prepared.get(preparedKey)
  if (prepared !== undefined) return { prepared, cache: listCache(exchange) }
  const items = section.items.map((served) => toItem(served, exchange.revision))
  const made = new Prepared(page(kind, items, start, exchange))
  section.prepared.set(preparedKey, made)
  return { prepared: made, cache: listCache(exchange) }
}

/** Returns the cache hint of lists: never public where callers have to sign in. */
export function listCache({ services, peer }: MethodExchange): CacheHint {
  const { lists } = services.cache
  return services.requireUser || peer.isProtected === true ? { ...lists, scope: 'private' } : lists
}

async function listForCaller(
  kind: ListKind,
  section: CatalogSection,
  dynamic: readonly CatalogItem<TemplateEntry>[],
  exchange: MethodExchange,
): Promise<ListText> {
  const identity = await exchange.resolveCaller()
  const visible = section.items.filter(({ entry }) => isVisible(entry, exchange, identity))
  const items = visible.map((served) => toItem(served, exchange.revision))
  const listed = await Promise.all(dynamic.map((served) => listTemplate(served, exchange, identity)))
  const known = new Set(section.items.map(({ key }) => key))
  for (const item of listed.flat()) {
    if (item.uri === undefined || known.has(item.uri)) continue
    known.add(item.uri)
    items.push(item)
  }
  items.sort((a, b) => compareOrder(a.order, b.order))
  const cache: CacheHint = { ...listCache(exchange), scope: 'private' }
  return { prepared: new Prepared(page(kind, items, startOf(kind, items, exchange), exchange)), cache }
}

/** Python's official client refuses a list for one URI without it. */
const scheme = /^[a-z][a-z0-9+.-]*:/i

/** Returns the resources that a template's `list` returns. A `list` that throws is reported and hides no others. */
async function listTemplate(
  served: CatalogItem<TemplateEntry>,
  exchange: MethodExchange,
  identity: Identity,
): Promise<Item[]> {
  const { entry, key } = served
  if (!isVisible(entry, exchange, identity)) return []
  if (!isAuthorized(entry, identity)) return []
  const owner = `list of resource "${key}"`
  try {
    const provide = entry.options.list as (ctx: unknown) => unknown
    const call = { item: served, exchange, identity, name: key, input: {}, isOneOfSeveral: true }
    const found = await invoke(call, (_input, ctx) => provide(ctx))
    if (!Array.isArray(found))
      throw new TypeError(`expected \`list\` to return an array of resources, got ${describe(found)}`)
    return toItems(found, served, exchange, owner)
  } catch (error) {
    if (exchange.isCancelledBy(error)) throw error
    reportError(exchange, error, { owner })
    return []
  }
}

/** Converts items for the wire. Leaves out those that can't be listed, and reports the first of them. */
function toItems(
  found: readonly unknown[],
  served: CatalogItem<TemplateEntry>,
  exchange: MethodExchange,
  owner: string,
): Item[] {
  const failures: unknown[] = []
  const onInvalid = (message: string): void =>
    warnOnce(exchange.services.log, owner, `${owner}: left out ${message}`)
  const items = found.flatMap((resource, index) => {
    try {
      return [toListed(resource, { ...served, order: [...served.order, index] }, exchange, onInvalid)]
    } catch (error) {
      failures.push(error)
      return []
    }
  })
  if (failures.length > 0) reportError(exchange, failures[0], { owner })
  if (failures.length > 1) {
    exchange.services.log.warn(`${owner}: left out ${failures.length} resources that can't be listed`)
  }
  return items
}

/** Picks the members that a listed resource may have. Apps return whole records. */
function toListed(
  resource: unknown,
  { entry, order }: CatalogItem<TemplateEntry>,
  { revision }: MethodExchange,
  onInvalid: OnInvalid,
): Item {
  if (!isObject(resource)) throw new TypeError(`expected a resource to list, got ${describe(resource)}`)
  const { uri, name, title, description, mimeType, size, icons, annotations, meta } =
    resource as unknown as ListedResource
  if (typeof uri !== 'string' || !scheme.test(uri) || typeof name !== 'string') {
    const came = `${describe(uri)} and ${describe(name)}`
    throw new TypeError(
      `expected every listed resource to have a \`uri\` with a scheme and a \`name\`; got ${came}`,
    )
  }
  const named = (message: string): void => onInvalid(`${message} (${describe(uri)})`)
  const definition = {
    name,
    title,
    description,
    icons,
    _meta: meta,
    uri,
    mimeType: mimeType ?? entry.listed.mimeType,
    annotations,
    size,
  }
  return { uri, order, text: toJson(toRevisionDefinition(sendable(definition, named), revision)) }
}

const texts = new WeakMap<CatalogItem, Map<Revision, Item>>()

function toItem(served: CatalogItem, revision: Revision): Item {
  const made = texts.get(served) ?? new Map<Revision, Item>()
  texts.set(served, made)
  let item = made.get(revision)
  if (item === undefined) {
    item = { order: served.order, text: jsonText(toRevisionEntry(served, revision)) }
    made.set(revision, item)
  }
  return item
}

function toRevisionEntry({ entry, name }: CatalogItem<Entry>, revision: Revision): object {
  const { annotations, ...rest } = entry.listed
  const keeps = entry.kind !== 'tool' || revision.toolAnnotations
  const { description } = entry.options
  return toRevisionDefinition({ name, description, ...rest, ...(keeps && { annotations }) }, revision)
}

function page(kind: ListKind, items: readonly Item[], start: number, exchange: MethodExchange): string {
  const { pageSize } = exchange.services
  const shown = items.slice(start, start + pageSize)
  const last = shown.at(-1)
  const more = last !== undefined && start + pageSize < items.length
  if (more && kind === 'tool') warnOfPages(exchange, items.length)
  const body = `{"${memberOf(kind)}":[${shown.map((item) => item.text).join(',')}]`
  return more ? `${body},"nextCursor":"${sealCursor(kind, last, exchange)}"` : body
}

const paged = new WeakSet<MethodExchange['services']>()

function warnOfPages({ services }: MethodExchange, tools: number): void {
  if (paged.has(services)) return
  paged.add(services)
  services.log.warn(
    `tools/list has several pages, with ${tools} tools and \`pageSize\` ${services.pageSize}: the AI SDK, Copilot CLI, Kiro and Factory read the first page only; raise \`pageSize\`, or turn \`toolSearch\` on`,
  )
}

/**
 * A cursor names the place of the last item shown, not a number of items: whatever comes or goes before it, nothing is
 * shown twice or left out.
 */
function startOf(kind: ListKind, items: readonly Place[], exchange: MethodExchange): number {
  const cursor = optionalString(exchange.params, 'cursor')
  if (cursor === undefined) return 0
  const [sealedKind, order, uri] = openCursor(cursor, exchange)
  if (sealedKind !== kind) throw badCursor()
  const same = uri === undefined ? -1 : items.findIndex((item) => item.uri === uri)
  if (same >= 0) return same + 1
  // If the last item is gone, its successor has its position.
  const least = uri === undefined ? 1 : 0
  const next = items.findIndex((item) => compareOrder(item.order, order) >= least)
  return next < 0 ? items.length : next
}

/** Longer URIs would make the cursor too long to be accepted. Their position has to do. */
const longestUri = 1_000

function sealCursor(kind: ListKind, { order, uri }: Item, exchange: MethodExchange): string {
  return exchange.services.tokens.seal(
    'cursor',
    new TextEncoder().encode(
      JSON.stringify([kind, order, uri !== undefined && uri.length <= longestUri ? uri : undefined]),
    ),
  )
}

function openCursor(cursor: string, exchange: MethodExchange): [ListKind, number[], string?] {
  const plain = exchange.services.tokens.open('cursor', cursor)
  if (plain === undefined) throw badCursor()
  const [kind, order, uri] = JSON.parse(new TextDecoder().decode(plain))
  return [kind, order, uri ?? undefined]
}

function badCursor(): Error {
  return invalidParams('expected cursor to be a nextCursor of this list; start again without it')
}
