/**
 * Makes schemas self-contained and small enough for a tool: inlines small references, moves large and recursive ones to
 * `$defs`, and removes what exceeds a budget.
 */

import type { Direction, JsonObject } from '../../schema/compiled.js'
import { subschemaKeywords } from '../../schema/keywords.js'
import { readableSource, unreadablePattern } from '../../schema/published/repair.js'
import { isObject } from '../../support/values.js'
import { type Budget, clipped, isLarge, namesIn, sizeOf, TooLarge } from './budget.js'
import { isValid, modernise } from './modernise.js'
import { baseOf, type Followed, type Source } from './refs.js'

const mostSteps = 100

/** Expands the schemas of one tool, which share their `$defs`. */
export class Expansion {
  readonly #budget: Budget
  readonly #direction: Direction
  readonly #note: (reason: string) => void
  readonly #names = new Map<JsonObject, string>()
  readonly #defs = new Map<string, JsonObject>()
  readonly #pending: { name: string; schema: JsonObject; source: Source; depth: number }[] = []
  #nodes = 0
  #bytes = 0

  constructor(budget: Budget, direction: Direction, note: (reason: string) => void) {
    this.#budget = budget
    this.#direction = direction
    this.#note = note
  }

  /**
   * Returns an expanded copy whose root isn't a reference.
   * @throws TooLarge
   */
  root(source: Source): JsonObject {
    const expanded = this.#inline(source.schema, source, { depth: 0, followed: new Set() })
    return isObject(expanded) ? expanded : {}
  }

  /**
   * Returns the definitions that the roots refer to. Call it after all roots. The nearest are expanded first, so that
   * distant parts are cut.
   * @throws TooLarge
   */
  defs(): JsonObject | undefined {
    let isFull = false
    for (const { name, schema, source, depth } of this.#pending) {
      try {
        const followed = new Set([schema])
        const expanded = isFull ? this.#cut(schema) : this.#inline(schema, source, { depth, followed })
        this.#defs.set(name, isObject(expanded) ? expanded : {})
      } catch (error) {
        if (!(error instanceof TooLarge) || !this.#budget.share) throw error
        isFull = true
        this.#defs.set(name, this.#cut(schema))
      }
    }
    return this.#defs.size === 0 ? undefined : Object.fromEntries(this.#defs)
  }

  /** Resolves references at the root itself, even recursive ones. */
  #inline(
    schema: JsonObject,
    outer: Source,
    at: { readonly depth: number; readonly followed: Set<JsonObject> },
  ): unknown {
    const source = { ...outer, base: baseOf(schema, outer.base) }
    const target = typeof schema.$ref === 'string' ? this.#lookUp(schema.$ref, source) : undefined
    const { followed, depth } = at
    if (!isObject(target?.schema) || followed.has(target.schema) || followed.size > mostSteps) {
      return this.#object(withoutRef(schema), source, depth)
    }
    followed.add(target.schema)
    const inner = this.#inline(target.schema, { ...source, base: target.base }, at)
    return withNullable(withSiblings(inner, this.#object(withoutRef(schema), source, depth)), schema)
  }

  #schema(schema: unknown, source: Source, depth: number): unknown {
    if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {}
    if (depth > this.#budget.depth) return this.#cut(schema)
    const base = baseOf(schema, source.base)
    const inner = base === source.base ? source : { ...source, base }
    if (typeof schema.$ref !== 'string') return this.#object(schema, inner, depth)
    const siblings = this.#object(withoutRef(schema), inner, depth)
    const target = this.#lookUp(schema.$ref, inner)
    if (target === undefined) return siblings
    return withNullable(withSiblings(this.#target(schema.$ref, target, inner, depth), siblings), schema)
  }

  #target(ref: string, target: Followed, source: Source, depth: number): unknown {
    const { schema, base } = target
    if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {}
    const known = this.#names.get(schema)
    if (known !== undefined) return { $ref: `#/$defs/${known}` }
    const at = { ...source, base }
    const keep = source.recursion.has({ schema, base }) || (this.#budget.share && isLarge(schema))
    if (!keep) return this.#schema(schema, at, depth)
    const name = freeName(ref, new Set(this.#names.values()))
    this.#names.set(schema, name)
    this.#pending.push({ name, schema, source: { ...at, base: baseOf(schema, base) }, depth })
    return { $ref: `#/$defs/${name}` }
  }

  #lookUp(ref: string, source: Source): Followed | undefined {
    const target = source.follow(ref, source.base)
    if (target === undefined)
      this.#note(`the reference "${short(ref)}" has no target in the document; it is left untyped`)
    return target
  }

  #cut(schema: JsonObject): JsonObject {
    this.#note('parts are left untyped: the schema is too large for a tool')
    const { description } = schema
    return typeof description === 'string' ? { description: clipped(description) } : {}
  }

  #object(given: JsonObject, source: Source, depth: number): JsonObject {
    this.#nodes += 1
    if (this.#nodes > this.#budget.nodes || this.#bytes > this.#budget.bytes) throw new TooLarge()
    const schema = modernise(given)
    const kept: [string, unknown][] = []
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$defs' || keyword === 'definitions') continue
      const holding = subschemaKeywords.get(keyword)
      const held =
        holding === undefined ? this.#value(keyword, value) : this.#holding(keyword, value, source, depth)
      if (held === undefined) continue
      kept.push([keyword, held])
      this.#bytes += keyword.length + 4 + (holding === undefined ? sizeOf(held) : namesIn(held))
    }
    return withoutHidden(Object.fromEntries(kept), {
      original: schema,
      source,
      direction: this.#direction,
    })
  }

  #value(keyword: string, value: unknown): unknown {
    if (keyword === 'pattern' && typeof value === 'string') return this.#pattern(value)
    if (!isValid(keyword, value)) return undefined
    if (keyword === 'description' || keyword === 'title') return clipped(String(value))
    return value
  }

  #pattern(source: string): string | undefined {
    const readable = readableSource(source)
    if (readable === undefined) this.#note(unreadablePattern(source))
    return readable
  }

  #holding(keyword: string, held: unknown, source: Source, depth: number): unknown {
    const holding = subschemaKeywords.get(keyword)
    const one = (schema: unknown): unknown => this.#schema(schema, source, depth + 1)
    if (holding === 'map') {
      if (!isObject(held)) return undefined
      // A `__proto__` key must not be sent to servers or clients.
      const entries = Object.entries(held).filter(([name]) => name !== '__proto__')
      return Object.fromEntries(entries.map(([name, schema]) => [name, one(schema)]))
    }
    if (holding === 'list') return Array.isArray(held) && held.length > 0 ? held.map(one) : undefined
    return isObject(held) || typeof held === 'boolean' ? one(held) : undefined
  }
}

const annotations = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'x-mcp-header'])

/** Combines the target of a `$ref` with its sibling keywords. */
function withSiblings(target: unknown, siblings: JsonObject): unknown {
  if (Object.keys(siblings).length === 0) return target
  if (!isObject(target)) return target === false ? false : siblings
  const plain = Object.keys(siblings).every((keyword) => annotations.has(keyword))
  if (plain || '$ref' in target) return { ...target, ...siblings }
  return { ...siblings, allOf: [...(Array.isArray(siblings.allOf) ? siblings.allOf : []), target] }
}

/** Applies `nullable` next to a `$ref`. OpenAPI 3.0 ignores siblings of `$ref`, but authors expect it to work. */
function withNullable(target: unknown, { nullable }: JsonObject): unknown {
  return nullable === true && isObject(target) ? modernise({ ...target, nullable }) : target
}

function withoutRef({ $ref, ...siblings }: JsonObject): JsonObject {
  return siblings
}

/** Returns an unused name: `#/components/schemas/Task` → `Task`, with a number if the name is taken. */
function freeName(ref: string, taken: ReadonlySet<string>): string {
  const last = ref.replace(/#$/, '').split(/[/#]/).at(-1) ?? ''
  const base = last.replace(/[^\w.-]/g, '_').slice(0, 60) || 'schema'
  let name = base === '__proto__' ? 'schema' : base
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`
  return name
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

interface ExpandedSchema {
  /** The schema as written. */
  readonly original: JsonObject
  readonly source: Source
  readonly direction: Direction
}

/** Removes read-only properties from input schemas, and write-only ones from output schemas. */
export function withoutHidden(
  schema: JsonObject,
  { original, source, direction }: ExpandedSchema,
): JsonObject {
  if (!isObject(schema.properties) || !isObject(original.properties)) return schema
  const flag = direction === 'input' ? 'readOnly' : 'writeOnly'
  const given = original.properties
  const hidden = new Set(Object.keys(given).filter((name) => isFlagged(given[name], flag, source)))
  if (hidden.size === 0) return schema
  const shown = Object.entries(schema.properties).filter(([name]) => !hidden.has(name))
  const { required, ...rest } = { ...schema, properties: Object.fromEntries(shown) } as JsonObject
  const needed = Array.isArray(required) ? required.filter((name) => !hidden.has(name)) : []
  return needed.length > 0 ? { ...rest, required: needed } : rest
}

/** Whether a schema has the flag itself, through its reference, or in a part of `allOf`. */
function isFlagged(schema: unknown, flag: 'readOnly' | 'writeOnly', source: Source, depth = 0): boolean {
  if (!isObject(schema) || depth > 5) return false
  if (typeof schema[flag] === 'boolean') return schema[flag] === true
  const base = baseOf(schema, source.base)
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  if (parts.some((part) => isFlagged(part, flag, { ...source, base }, depth + 1))) return true
  if (typeof schema.$ref !== 'string') return false
  const target = source.follow(schema.$ref, base)
  return target !== undefined && isFlagged(target.schema, flag, { ...source, base: target.base }, depth + 1)
}
