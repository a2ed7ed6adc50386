/** Compiled schemas: the JSON Schema that clients see, and the validation that every call runs. */

import type { Log } from '../support/logger.js'

/** One problem with a value. */
export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The result of a validation: the parsed value, or the issues. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

export type JsonObject = { [key: string]: unknown }

/** The side of a schema: the values it accepts, or the values it returns. */
export type Direction = 'input' | 'output'

export interface CompiledSchema {
  /** The published schema. It never changes. */
  readonly json: JsonObject
  /** Validates a value. Synchronous if the schema is. */
  check(value: unknown): Checked | Promise<Checked>
  /**
   * Compiles the schema now rather than at the first validation.
   * @throws Error if this platform can't compile it.
   */
  prepare(): void
}

/**
 * Provides a converter for a schema library, or a validator for hand-written JSON Schema. Needed where packages can't
 * be loaded synchronously or code generation is forbidden (Workers, Deno).
 */
export interface SchemaSupport {
  /** The `'~standard'.vendor` whose schemas `toJsonSchema` converts. It takes precedence over built-in converters. */
  readonly vendor?: string
  readonly toJsonSchema?: (schema: unknown, io: Direction) => object
  /**
   * Replaces Ajv for hand-written JSON Schema. Returns a function that returns `{ value }` or `{ issues }`, or a
   * function compiled by Ajv. `coerce`: the values are strings, to be converted to the types in the schema.
   */
  readonly compile?: (schema: object, options: { coerce: boolean }) => (value: unknown) => unknown
}

/** How to treat top-level arguments that the schema doesn't declare. */
export type UnknownArguments = 'reject' | 'strip' | 'pass'

export interface CompileOptions {
  /** The owner of the schema, for messages: `tool "task_list"`. */
  readonly owner: string
  readonly support: readonly SchemaSupport[]
  readonly warn: Log['warn']
}

/** Maximum depth, more than any accepted message has. Stops at cycles too. */
const deepest = 200

/**
 * Copies a value as JSON: converts dates and the like, and leaves out what JSON can't represent. Strings are shared,
 * not copied.
 */
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

/** Sets a key. `__proto__` becomes an ordinary key. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}
