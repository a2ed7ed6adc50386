/** `tool()`, `resource()` and `prompt()`: create definitions without a router. */

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

/** A definition. Create it with `tool()`, `resource()` or `prompt()`, and add it with `router.add()`. */
export interface Definition<K extends 'tool' | 'resource' | 'prompt', E extends object = Register> {
  readonly kind: K
  /** @internal */
  readonly [brand]: DefinitionParts
  /** Type marker only: keeps definitions with different contexts apart. Never set. */
  readonly environment?: ((context: E) => void) | undefined
}
/** A tool definition, as `tool()` returns it. */
export type Tool<E extends object = Register> = Definition<'tool', E>
/** A resource definition, as `resource()` returns it. */
export type Resource<E extends object = Register> = Definition<'resource', E>
/** A prompt definition, as `prompt()` returns it. */
export type Prompt<E extends object = Register> = Definition<'prompt', E>
export type AnyDefinition = Definition<'tool' | 'resource' | 'prompt', never>

/** The contents of a definition. Its options are checked; its schemas are not yet converted. */
export interface DefinitionParts {
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly options: OptionsRecord
  /** Set for resources only; `undefined` if the file name supplies the URI. */
  readonly uri: string | undefined
  readonly place: string | undefined
}

/** Options without their static types, read by name after `checkOptions`. */
export type OptionsRecord = Readonly<Record<string, unknown>>

/**
 * Defines a tool. `input` types the handler's first parameter.
 * @throws TypeError for unknown or invalid options.
 */
export function tool<
  const I extends Schema = NoInput,
  const O extends Schema = NoOutput,
  E extends object = Register,
  const R extends boolean = false,
>(options: ToolOptions<I, O, E, R>): Tool<E> {
  return definition({ kind: 'tool', place: callSiteOf(tool) }, options)
}

/**
 * Defines a resource. A URI with a variable is a template: the variables of `task://{id}` type the handler's first
 * parameter. A URI without variables is fixed and may have plain `text` or `blob`.
 * @throws TypeError for unknown or invalid options.
 */
export function resource<
  const U extends string,
  const I extends Schema = StandardSchemaV1<TemplateVariables<U>>,
  E extends object = Register,
  const R extends boolean = false,
>(uri: U, options: ResourceOptions<U, I, E, R>): Resource<E>
/**
 * Defines a resource whose file name supplies the URI (`loadDirectory()`). `resource<'note://{id}'>(…)` types the
 * variables.
 */
export function resource<
  const U extends string = string,
  const I extends Schema = StandardSchemaV1<TemplateVariables<U>>,
  E extends object = Register,
  const R extends boolean = false,
>(options: ResourceOptions<U, I, E, R>): Resource<E>
export function resource(first: string | object, second?: object): Resource {
  const [uri, options] = isObject(first) && second === undefined ? [undefined, first] : [first, second]
  return definition(
    { kind: 'resource', uri: uri as string | undefined, place: callSiteOf(resource) },
    options as object,
  )
}

/**
 * Defines a prompt. Its arguments are sent as strings.
 * @throws TypeError for unknown or invalid options.
 */
export function prompt<
  const I extends Schema = NoInput,
  E extends object = Register,
  const R extends boolean = false,
>(options: PromptOptions<I, E, R>): Prompt<E> {
  return definition({ kind: 'prompt', place: callSiteOf(prompt) }, options)
}

/** The kind, name and origin of a definition. */
export interface DefinitionHead<K> {
  readonly kind: K
  /** Resources only. */
  readonly uri?: string | undefined
  /** The name that it is added under, if known. Used in messages. */
  readonly name?: string | undefined
  readonly place: string | undefined
}

/**
 * Creates a definition. The functions above and the router's methods both use it.
 * @throws TypeError for unknown or invalid options.
 */
export function definition<K extends 'tool' | 'resource' | 'prompt', E extends object>(
  { kind, uri, name, place }: DefinitionHead<K>,
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
    throw new TypeError(`${owner}: \`name\` is "${record.name}", but it is added as "${name}"; use one name`)
  }
  if (kind === 'resource') checkSource(uri, record)
  else if (record.handler === undefined) throw new TypeError(`${owner}: expected a function as \`handler\``)
  return { kind, [brand]: { kind, options: record, uri, place } }
}

/** The expected call of each function, for errors about misplaced arguments. */
const forms: Readonly<Record<'tool' | 'resource' | 'prompt', string>> = {
  tool: 'expected router.tool(name, options) or tool(options)',
  resource: 'expected resource(uri, options); a name goes into the options',
  prompt: 'expected router.prompt(name, options) or prompt(options)',
}

/** Returns the parts of a definition, or `undefined` for any other value. Works across copies of the package. */
export function partsOf(value: unknown): DefinitionParts | undefined {
  return typeof value === 'object' && value !== null ? (value as Partial<AnyDefinition>)[brand] : undefined
}

/** Returns the label of a definition in messages. */
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
 * Returns the file, line and column of the code that called `below`, or `undefined` if the engine has no
 * `captureStackTrace`. Takes a few microseconds, so use it for definitions only.
 */
export function callSiteOf(below: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {}
  const { captureStackTrace } = Error as V8Error
  if (captureStackTrace === undefined) return undefined
  captureStackTrace(holder, below)
  const frame = holder.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return frame?.replace(/^\s*at (?:.*\()?/, '').replace(/\)$/, '')
}

/**
 * Checks a tool name: 1 to 128 characters of A-Z a-z 0-9 _ - . (specification 2025-11-25 and later, Tool Names). Warns
 * about names that well-known clients reject.
 * @throws TypeError
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
