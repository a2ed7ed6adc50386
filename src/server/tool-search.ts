/**
 * Tool search: lists three tools in place of many. A model searches, reads one, and calls it. Tools that the caller can't
 * see or call directly aren't found or called this way either.
 */

import { exchangeOf } from '../calls/create-context.js'
import { isVisible } from '../calls/invoke.js'
import { definition, partsOf } from '../definitions/define.js'
import type { EntryDefaults, ToolEntry } from '../definitions/entries.js'
import type { CatalogItem, CatalogSection, Registry } from '../definitions/registry.js'
import { toEntry } from '../definitions/to-entry.js'
import { InvalidParamsError, NotFoundError } from '../errors/errors.js'
import type { UnwrappedCall } from '../methods/services.js'
import type { Identity } from '../protocol/identity.js'
import type { Log } from '../support/logger.js'
import { nearest } from '../support/nearest.js'
import { isObject } from '../support/values.js'

const names = { search: 'search_tools', describe: 'describe_tool', call: 'call_tool' } as const
const own: ReadonlySet<string> = new Set(Object.values(names))

const mostFound = 50
const usuallyFound = 10
/** The longest query. A search takes its words times those of all tools. Characters. */
const longestQuery = 300
const mostTerms = 12
/** The longest tool name of the protocol. */
const longestName = 128

interface Input {
  readonly query?: string
  readonly limit?: number
  readonly name?: string
}

/** The options of the three tools, without handlers. Schemas are JSON Schema, so that no library is needed. */
const tools = {
  [names.search]: {
    description:
      'Find tools by words: what they do, what they are about. Answers names and descriptions, best first. Then describe_tool tells the arguments, and call_tool calls.',
    annotations: { readOnly: true, openWorld: false },
    input: object(
      {
        query: {
          type: 'string',
          maxLength: longestQuery,
          description: `At most ${mostTerms} words: those that matter`,
        },
        limit: { type: 'integer', minimum: 1, maximum: mostFound },
      },
      ['query'],
    ),
    handler: ({ query = '', limit = usuallyFound }: Input, ctx: unknown) => ({
      tools: found(query, limit, ctx),
    }),
  },
  [names.describe]: {
    description: 'Everything about one tool: its description and the schema of its arguments.',
    annotations: { readOnly: true, openWorld: false },
    input: object({ name: { type: 'string', maxLength: longestName } }, ['name']),
    handler: ({ name = '' }: Input, ctx: unknown) => described(name, ctx),
  },
  [names.call]: {
    description: 'Calls a tool by its name, with arguments as describe_tool tells them.',
    input: object({ name: { type: 'string' }, arguments: { type: 'object' } }, ['name']),
    // `unwrap` replaces a call by the tool that it names. Only a call of `call_tool` by itself gets here.
    handler: () => {
      throw new NotFoundError(`${names.call} calls the other tools, none of these three`)
    },
  },
}

function object(properties: Readonly<Record<string, object>>, required: readonly string[]): object {
  return { type: 'object', properties, required, additionalProperties: false }
}

export class ToolSearch {
  readonly #pinned: readonly string[]
  readonly #warn: Log['warn']
  #checked = false

  constructor(
    registry: Registry,
    { pinned, defaults }: { pinned: readonly string[]; defaults: EntryDefaults },
  ) {
    this.#pinned = pinned
    this.#warn = defaults.warn
    for (const [name, options] of Object.entries(tools)) {
      const parts = partsOf(definition({ kind: 'tool', name, place: 'toolSearch' }, options))
      if (parts !== undefined) registry.add(toEntry(parts, name, defaults))
    }
  }

  /** Returns the listed tools: the three, and pinned ones. */
  shown(section: CatalogSection<ToolEntry>): CatalogSection<ToolEntry> {
    this.#checkPinned(section)
    const items = section.items.filter(({ key }) => own.has(key) || this.#pinned.includes(key))
    const shaped = items.some(({ entry }) => entry.options.visible !== undefined)
    return { items, byKey: section.byKey, perCaller: shaped, prepared: section.prepared }
  }

  /** Returns the tool and arguments of a call; for `call_tool` those that it names. */
  unwrap(name: string, args: Readonly<Record<string, unknown>>): UnwrappedCall {
    const { name: inner, arguments: given = {} } = args
    if (name !== names.call || typeof inner !== 'string' || !isObject(given)) return { name, args }
    return { name: inner, args: given }
  }

  #checkPinned({ byKey }: CatalogSection): void {
    if (this.#checked) return
    this.#checked = true
    for (const name of this.#pinned.filter((one) => !byKey.has(one))) {
      const near = nearest(name, byKey.keys())
      this.#warn(`pinned: there is no tool "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`)
    }
  }
}

function visibleTo(ctx: unknown): CatalogItem<ToolEntry>[] {
  const exchange = exchangeOf(ctx)
  const identity = exchange.identity as Identity // set by the call itself
  return exchange.services.registry
    .catalog()
    .tool.items.filter(({ key, entry }) => !own.has(key) && isVisible(entry, exchange, identity))
}

function found(query: string, limit: number, ctx: unknown): object[] {
  const asked = termsOf(query)
  return visibleTo(ctx)
    .map((served) => ({ served, score: scoreOf(served, asked) }))
    .filter(({ score }) => score > 0 || asked.length === 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ served: { name, entry } }) => ({
      name,
      title: entry.listed.title,
      description: entry.options.description,
    }))
}

/** Returns the distinct words of a query. Throws if there are too many. */
function termsOf(query: string): readonly string[] {
  const terms = [...new Set(wordsOf(query))]
  if (terms.length <= mostTerms) return terms
  throw new InvalidParamsError(
    `expected at most ${mostTerms} words in \`query\`, got ${terms.length}; search for those that matter`,
  )
}

function described(name: string, ctx: unknown): object {
  const visible = visibleTo(ctx)
  const served = visible.find(({ key }) => key === name)
  if (served === undefined) {
    const near = nearest(
      name,
      visible.map(({ key }) => key),
    )
    throw new NotFoundError(
      `there is no tool "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    )
  }
  const { title, inputSchema, outputSchema, annotations } = served.entry.listed
  return {
    name,
    title,
    description: served.entry.options.description,
    inputSchema,
    outputSchema,
    annotations,
  }
}

/** The score of a match by its place. */
const worth = { name: 4, title: 3, argument: 2, description: 1 } as const

type Places = readonly (readonly [readonly string[], number])[]

/** The words of each tool, until its definition changes. */
const placesOf = new WeakMap<CatalogItem<ToolEntry>, Places>()

function scoreOf(served: CatalogItem<ToolEntry>, asked: readonly string[]): number {
  const places = placesOf.get(served) ?? readPlaces(served)
  placesOf.set(served, places)
  let score = 0
  for (const word of asked) {
    for (const [words, value] of places) if (words.some((one) => isAlike(one, word))) score += value
  }
  return score
}

function readPlaces({ name, entry }: CatalogItem<ToolEntry>): Places {
  const { title, inputSchema } = entry.listed as { title?: string; inputSchema: { properties?: object } }
  return [
    [wordsOf(name), worth.name],
    [wordsOf(title ?? ''), worth.title],
    [Object.keys(inputSchema.properties ?? {}).flatMap(wordsOf), worth.argument],
    [wordsOf(`${entry.options.description ?? ''} ${entry.route?.path ?? ''}`), worth.description],
  ]
}

/** Whether two words match: `task` finds `tasks`, `delete` finds `deleted`. */
function isAlike(a: string, b: string): boolean {
  return a === b || (Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a)))
}

function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
