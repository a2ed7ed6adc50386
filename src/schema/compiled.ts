/** What a schema becomes when it is added: the JSON Schema that clients see and the check that every call runs. */

import type { Log } from '../support/logger.js'

/** One thing that is wrong with a value, and where. */
export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** A verdict: the parsed value, or what is wrong with it. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

export type JsonObject = { [key: string]: unknown }

/** Which side of a schema is meant: what it takes, or what it gives. */
export type Direction = 'input' | 'output'

export interface CompiledSchema {
  /** As published. Nothing changes it later. */
  readonly json: JsonObject
  /** Synchronous whenever the schema is. */
  check(value: unknown): Checked | Promise<Checked>
  /** Does now what the first check would do. Throws where this platform cannot. */
  prepare(): void
}

/**
 * Brings what cannot be loaded by itself: a converter for a library, or a validator for hand-written JSON Schema.
 * Needed where packages do not load synchronously or code generation is forbidden (Workers, Deno).
 */
export interface SchemaSupport {
  /** The `'~standard'.vendor` that `toJsonSchema` serves. It wins over everything built in. */
  readonly vendor?: string
  readonly toJsonSchema?: (schema: unknown, io: Direction) => object
  /**
   * Replaces Ajv for hand-written JSON Schema. Returns a function that returns `{ value }` or `{ issues }`, or one that
   * Ajv compiled. `coerce`: the values are strings, to be read as what the schema asks for.
   */
  readonly compile?: (schema: object, options: { coerce: boolean }) => (value: unknown) => unknown
}

/** What becomes of top-level arguments that the schema does not know. */
export type UnknownArguments = 'reject' | 'strip' | 'pass'

export interface CompileOptions {
  /** Whose schema it is, for messages: `tool "task_list"`. */
  readonly owner: string
  readonly support: readonly SchemaSupport[]
  readonly warn: Log['warn']
}

/** Deeper than any message that is let in; cycles end here too. */
const deepest = 200

/** The value with dates and the like as what they are in JSON, and without what JSON leaves out. Large texts are shared. */
export function copyAsJson(value: unknown): Checked {
  try {
    return { value: copy(value, 0) }
  } catch (error) {
    return { issues: [{ path: [], message: `cannot be written as JSON: ${(error as Error).message}` }] }
  }
}

function copy(given: unknown, depth: number): unknown {
  if (typeof given !== 'object' || given === null) return given
  if (depth > deepest) throw new RangeError(`it refers to itself, or is nested deeper than ${deepest} levels`)
  if (Array.isArray(given)) return given.map((item) => (isLeftOut(item) ? null : copy(item, depth + 1)))
  const { toJSON } = given as { toJSON?: unknown }
  if (typeof toJSON === 'function') return copy(toJSON.call(given), depth + 1)
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(given)) {
    const inner = (given as Record<string, unknown>)[key]
    if (!isLeftOut(inner)) set(copied, key, copy(inner, depth + 1))
  }
  return copied
}

/** `__proto__` is a key like any other. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}
