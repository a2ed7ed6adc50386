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
