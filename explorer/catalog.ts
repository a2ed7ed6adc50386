/** Reads all lists of the server into one list of items, and filters it. */

import { type ListKind, lists } from '../src/protocol/lists.js'
import { isObject } from '../src/support/values.js'
import type { Routes, Session } from './session.js'

export interface Item {
  /** Unique among all items. */
  readonly id: string
  readonly kind: ListKind
  /** The identifier in the protocol: the name, the URI or the URI template. */
  readonly key: string
  readonly title: string
  readonly description: string
  readonly listed: Readonly<Record<string, unknown>>
  /** The route of a tool that is made of one, such as `GET /tasks/{id}`. */
  readonly route: string | undefined
}

export async function readCatalog(session: Session): Promise<Item[]> {
  const reading = session.routes()
  const found = await Promise.all(
    lists.map(async ({ kind, method, member, key }) => {
      const listed = await session.list(method, member)
      const routes = await reading
      return listed.map((entry) => toItem(kind, String(entry[key]), entry, routes))
    }),
  )
  return found.flat()
}

function toItem(kind: ListKind, key: string, listed: Record<string, unknown>, routes: Routes): Item {
  const { title, name, description } = listed
  const annotations = isObject(listed.annotations) ? listed.annotations : {}
  const titles = [title, annotations.title, kind === 'resource' ? name : undefined]
  return {
    id: `${kind} ${key}`,
    kind,
    key,
    title: String(titles.find((text) => typeof text === 'string' && text !== '') ?? ''),
    description: typeof description === 'string' ? description : '',
    listed,
    route: kind === 'tool' ? routes.get(key) : undefined,
  }
}

export type Filter = 'all' | 'tool' | 'resource' | 'prompt' | 'readOnly' | 'destructive' | 'route'

const filters: Readonly<Record<Filter, (item: Item) => boolean>> = {
  all: () => true,
  tool: ({ kind }) => kind === 'tool',
  resource: ({ kind }) => kind === 'resource' || kind === 'template',
  prompt: ({ kind }) => kind === 'prompt',
  readOnly: (item) => hint(item, 'readOnlyHint'),
  destructive: (item) => hint(item, 'destructiveHint'),
  route: ({ route }) => route !== undefined,
}

/** Whether an annotation is true. The protocol's defaults don't count, since they promise nothing. */
export function hint({ kind, listed }: Item, name: string): boolean {
  return kind === 'tool' && isObject(listed.annotations) && listed.annotations[name] === true
}

/** Returns the items that match the filter and contain every word of the search. */
export function filterItems(items: readonly Item[], filter: Filter, typed: string): Item[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter((item) => {
    if (!filters[filter](item)) return false
    const text = `${item.key} ${item.title} ${item.description} ${item.route ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
