/**
 * The four lists. A list that is the same for everybody is text, prepared once per revision and page; one that callers
 * see differently is put together from texts that are prepared per item.
 */

import { contextOf, isVisible } from './call.js'
import type { CacheHint, ListedResource } from './definitions.js'
import type { Entry, TemplateEntry } from './entries.js'
import type { Exchange, Identity } from './exchange.js'
import { toJson } from './json.js'
import { invalidParams, optionalString } from './params.js'
import { projectDefinition } from './protocol/project.js'
import type { Revision } from './protocol/revisions.js'
import { compareOrder, type Section, type Served } from './registry.js'
import { report } from './report.js'

/** A list result as text: `{"tools":[…],"nextCursor":"…"` without the closing brace, so that an envelope can follow. */
export interface ListText {
  readonly text: string
  readonly cache: CacheHint
}

interface Item {
  readonly key: string
  readonly order: readonly number[]
  readonly text: string
}

export type ListKind = 'tool' | 'resource' | 'template' | 'prompt'

/** The member of the result that holds the items. */
const members: Readonly<Record<ListKind, string>> = {
  tool: 'tools',
  resource: 'resources',
  template: 'resourceTemplates',
  prompt: 'prompts',
}

export function list(kind: ListKind, exchange: Exchange): ListText | Promise<ListText> {
  const cursor = optionalString(exchange.params, 'cursor')
  const catalog = exchange.core.registry.catalog()
  const section: Section = catalog[kind]
  const dynamic =
    kind === 'resource' ? catalog.template.items.filter(({ entry }) => entry.options.list !== undefined) : []
  if (section.shaped || dynamic.length > 0) return listForCaller(kind, section, dynamic, exchange)
  const cache = exchange.core.cache.lists
  const preparedKey = `${exchange.revision.version} ${cursor ?? ''}`
  const prepared = section.prepared.get(preparedKey)
  if (prepared !== undefined) return { text: prepared, cache }
  const items = section.items.map((served) => toItem(served, exchange.revision))
  const text = page(kind, items, cursor, exchange)
  // Cursors are few: each names the end of a page. Older ones of a changed registry go with their section.
  if (section.prepared.size < 10_000) section.prepared.set(preparedKey, text)
  return { text, cache }
}

async function listForCaller(
  kind: ListKind,
  section: Section,
  dynamic: readonly Served<TemplateEntry>[],
  exchange: Exchange,
): Promise<ListText> {
  const identity = await exchange.identify()
  const visible = section.items.filter(({ entry }) => isVisible(entry, exchange, identity))
  const items = visible.map((served) => toItem(served, exchange.revision))
  const listed = await Promise.all(dynamic.map((served) => listTemplate(served, exchange, identity)))
  items.push(...listed.flat())
  items.sort((a, b) => compareOrder(a.order, b.order))
  const cursor = optionalString(exchange.params, 'cursor')
  return {
    text: page(kind, items, cursor, exchange),
    cache: { ...exchange.core.cache.lists, scope: 'private' },
  }
}

/** What a template's `list` names. One that fails is reported and does not hide the others. */
async function listTemplate(
  served: Served<TemplateEntry>,
  exchange: Exchange,
  identity: Identity,
): Promise<Item[]> {
  const { entry, order, key } = served
  if (!isVisible(entry, exchange, identity)) return []
  if (entry.requireUser && (identity.user === undefined || identity.user === null)) return []
  const owner = `list of resource "${key}"`
  try {
    const provide = entry.options.list as (
      ctx: unknown,
    ) => readonly ListedResource[] | Promise<readonly ListedResource[]>
    const found = await exchange.settle(owner, entry.timeoutMs, () =>
      provide(contextOf(exchange, identity, served.name)),
    )
    return found.map((resource, index): Item => {
      const { meta, ...fields } = resource
      const definition = { ...fields, mimeType: fields.mimeType ?? entry.mimeType, _meta: meta }
      const text = toJson(projectDefinition(definition, exchange.revision), owner)
      return { key: resource.uri, order: [...order, index], text }
    })
  } catch (error) {
    report(exchange, error, { owner })
    return []
  }
}

const texts = new WeakMap<Served, Map<Revision, Item>>()

function toItem(served: Served, revision: Revision): Item {
  const made = texts.get(served) ?? new Map<Revision, Item>()
  texts.set(served, made)
  let item = made.get(revision)
  if (item === undefined) {
    item = { key: served.key, order: served.order, text: JSON.stringify(projectEntry(served, revision)) }
    made.set(revision, item)
  }
  return item
}

function projectEntry({ entry, name }: Served<Entry>, revision: Revision): object {
  const { annotations, ...rest } = entry.listed
  const keeps = entry.kind !== 'tool' || revision.toolAnnotations
  const { description } = entry.options
  return projectDefinition({ name, description, ...rest, ...(keeps && { annotations }) }, revision)
}

function page(
  kind: ListKind,
  items: readonly Item[],
  cursor: string | undefined,
  exchange: Exchange,
): string {
  const { pageSize } = exchange.core
  const start = cursor === undefined ? 0 : startOf(kind, items, cursor, exchange)
  const shown = items.slice(start, start + pageSize)
  const last = shown.at(-1)
  const more = last !== undefined && start + pageSize < items.length
  const body = `{"${members[kind]}":[${shown.map((item) => item.text).join(',')}]`
  return more ? `${body},"nextCursor":"${sealCursor(kind, last, exchange)}"` : body
}

/**
 * A cursor names the last item shown, not a number of items: whatever comes or goes before it, nothing is shown twice
 * or left out. Where the item itself is gone, its place in the order tells.
 */
function startOf(kind: ListKind, items: readonly Item[], cursor: string, exchange: Exchange): number {
  const [sealedKind, key, order] = openCursor(cursor, exchange)
  if (sealedKind !== kind) throw badCursor()
  const index = items.findIndex((item) => item.key === key)
  if (index >= 0) return index + 1
  const next = items.findIndex((item) => compareOrder(item.order, order) >= 0)
  return next < 0 ? items.length : next
}

function sealCursor(kind: ListKind, { key, order }: Item, exchange: Exchange): string {
  return exchange.core.tokens.seal('cursor', new TextEncoder().encode(JSON.stringify([kind, key, order])))
}

function openCursor(cursor: string, exchange: Exchange): [ListKind, string, number[]] {
  const plain = exchange.core.tokens.open('cursor', cursor)
  if (plain === undefined) throw badCursor()
  return JSON.parse(new TextDecoder().decode(plain))
}

function badCursor(): Error {
  return invalidParams('expected cursor to be a nextCursor of this list; start again without it')
}
