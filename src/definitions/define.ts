/** `tool()`, `resource()` and `prompt()`: definitions that need no router yet. */

import type { Schema, StandardSchemaV1 } from '../schema/types.js'
import { checkOptions } from '../support/check-options.js'
import { describe, isObject } from '../support/values.js'
import type { Register } from './context.js'
import type {
  NoInput,
  NoOutput,
  PromptOptions,
  ResourceOptions,
  TemplateVariables,
  ToolOptions,
} from './options.js'
import { tables } from './tables.js'

const brand = Symbol.for('mcp-router.definition')

/** A definition: make it with `tool()`, `resource()` or `prompt()`, add it with `router.add()`. */
export interface Definition<K extends 'tool' | 'resource' | 'prompt', E extends object = Register> {
  readonly kind: K
  /** @internal */
  readonly [brand]: DefinitionParts
  /** Keeps routers of another caller apart; never set. */
  readonly environment?: ((context: E) => void) | undefined
}
/** What `tool()` makes. */
export type Tool<E extends object = Register> = Definition<'tool', E>
/** What `resource()` makes. */
export type Resource<E extends object = Register> = Definition<'resource', E>
/** What `prompt()` makes. */
export type Prompt<E extends object = Register> = Definition<'prompt', E>
export type AnyDefinition = Definition<'tool' | 'resource' | 'prompt', never>

/** What the router reads: options are checked, their schemas not yet converted. */
export interface DefinitionParts {
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly options: OptionsRecord
  /** Resources only; `undefined` where a file gives it. */
  readonly uri: string | undefined
  readonly place: string | undefined
}

/** Options once their types have done their work: read by name, after `checkOptions`. */
export type OptionsRecord = Readonly<Record<string, unknown>>

/**
 * Defines a tool. `input` types the handler's first parameter.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function tool<
  const I extends Schema = NoInput,
  const O extends Schema = NoOutput,
  E extends object = Register,
  const R extends boolean = false,
>(options: ToolOptions<I, O, E, R>): Tool<E> {
  return definition({ kind: 'tool', place: callerOf(tool) }, options)
}

/**
 * Defines a resource: a URI with a variable is a template (`task://{id}`, its variables type the handler's first
 * parameter), one without is fixed and may be plain `text` or `blob`.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function resource<
  const U extends string,
  const I extends Schema = StandardSchemaV1<TemplateVariables<U>>,
  E extends object = Register,
  const R extends boolean = false,
>(uri: U, options: ResourceOptions<U, I, E, R>): Resource<E>
/** In a file that gives it its URI (`loadDirectory()`): `resource<'note://{id}'>(…)` types the variables. */
export function resource<
  const U extends string = string,
  const I extends Schema = StandardSchemaV1<TemplateVariables<U>>,
  E extends object = Register,
  const R extends boolean = false,
>(options: ResourceOptions<U, I, E, R>): Resource<E>
export function resource(first: string | object, second?: object): Resource {
  const [uri, options] = isObject(first) && second === undefined ? [undefined, first] : [first, second]
  return definition(
    { kind: 'resource', uri: uri as string | undefined, place: callerOf(resource) },
    options as object,
  )
}

/**
 * Defines a prompt. Its arguments travel as strings.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function prompt<
  const I extends Schema = NoInput,
  E extends object = Register,
  const R extends boolean = false,
>(options: PromptOptions<I, E, R>): Prompt<E> {
  return definition({ kind: 'prompt', place: callerOf(prompt) }, options)
}

/** What a definition is, apart from its options. */
export interface Defined<K> {
  readonly kind: K
  /** Resources only. */
  readonly uri?: string | undefined
  /** The name it is added under, where that is known already: for messages. */
  readonly name?: string | undefined
  readonly place: string | undefined
}

/** For the router: one door for its own methods and for the functions above. */
export function definition<K extends 'tool' | 'resource' | 'prompt', E extends object>(
  { kind, uri, name, place }: Defined<K>,
  options: object,
): Definition<K, E> {
  const record = options as OptionsRecord
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${kind}: ${forms[kind]}; got ${describe(options)}`)
  const owner = ownerOf(kind, uri ?? name ?? record?.name)
  if (kind === 'resource' && uri === undefined && 'uri' in options)
    throw new TypeError(`${owner}: ${forms.resource}; got \`uri\` among the options`)
  checkOptions(owner, options, tables[kind])
  if (name !== undefined && record.name !== undefined && record.name !== name) {
    throw new TypeError(`${owner}: \`name\` says "${record.name}"; give it one name`)
  }
  if (kind === 'resource') checkSource(uri, record)
  else if (record.handler === undefined) throw new TypeError(`${owner}: expected a function as \`handler\``)
  return { kind, [brand]: { kind, options: record, uri, place } }
}

/** What the wrong order of arguments is answered with. */
const forms: Readonly<Record<'tool' | 'resource' | 'prompt', string>> = {
  tool: 'expected router.tool(name, options) or tool(options)',
  resource: 'expected resource(uri, options); a name goes into the options',
  prompt: 'expected router.prompt(name, options) or prompt(options)',
}

/** The parts of a definition; `undefined` for every other value. Works across copies of the package. */
export function partsOf(value: unknown): DefinitionParts | undefined {
  return typeof value === 'object' && value !== null ? (value as Partial<AnyDefinition>)[brand] : undefined
}

/** How messages name a definition. */
export function ownerOf(kind: string, name: unknown): string {
  return typeof name === 'string' ? `${kind} "${name}"` : kind
}

function checkSource(uri: string | undefined, options: OptionsRecord): void {
  const owner = ownerOf('resource', uri)
  if (uri !== undefined && !(typeof uri === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(uri))) {
    throw new TypeError(
      `${owner}: expected a URI with a scheme such as \`task://{id}\`, got ${describe(uri)}`,
    )
  }
  const sources = ['text', 'blob', 'handler'].filter((name) => options[name] !== undefined)
  if (sources.length !== 1) {
    throw new TypeError(
      `${owner}: expected one of \`text\`, \`blob\` and \`handler\`, got ${sources.join(' and ') || 'none'}`,
    )
  }
}

interface V8Error {
  captureStackTrace?(target: object, below: (...args: never[]) => unknown): void
}

/**
 * The file, line and column that called `below`; `undefined` where the engine does not tell.
 * Costs some microseconds, so only definitions ask.
 */
export function callerOf(below: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {}
  const { captureStackTrace } = Error as V8Error
  if (captureStackTrace === undefined) return undefined
  captureStackTrace(holder, below)
  const frame = holder.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return frame?.replace(/^\s*at (?:.*\()?/, '').replace(/\)$/, '')
}

/**
 * Revision 2025-11-25 and later, tool names: 1 to 128 characters of A-Z a-z 0-9 _ - . Names that well-known clients
 * refuse are a warning. @throws TypeError
 */
export function checkToolName(name: string, warn: (message: string) => void): void {
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) {
    throw new TypeError(
      `tool "${name}": a tool's name is 1 to 128 letters, digits, "_", "-" and "."; got ${name.length} characters`,
    )
  }
  if (name.length > 60 || name.includes('.')) {
    warn(
      `tool "${name}": some clients refuse names with dots or over 60 characters (this one has ${name.length})`,
    )
  }
}
