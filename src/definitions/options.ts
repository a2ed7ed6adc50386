/** The options of tools, resources and prompts. */

import type { ToolResult } from '../content/tool-result.js'
import type {
  Annotations,
  CallToolResult,
  ContentBlock,
  Icon,
  Meta,
  PromptMessage,
  ResourceLink,
  Role,
} from '../protocol/types.js'
import type { UnknownArguments } from '../schema/index.js'
import type { Accepted, Parsed, StandardSchemaV1 } from '../schema/types.js'
import type {
  Awaitable,
  Context,
  Middleware,
  Register,
  ResourceContext,
  VisibleCaller,
  WithUser,
} from './context.js'

/** Replaces an absent `input`. */
// biome-ignore lint/complexity/noBannedTypes: an absent input is the empty object, so that a wrong key is named in the error
export type NoInput = StandardSchemaV1<{}>
/** Replaces an absent `output`. */
export type NoOutput = StandardSchemaV1<ToolReturn>

/** The values that a tool without `output` may return. */
export type ToolReturn =
  | string
  | number
  | boolean
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may end without return
  | void
  | ContentBlock
  | ContentBlock[]
  | CallToolResult
  | object

/** How long 2026-07-28 clients may cache a result, and whether shared caches may. */
export interface CacheHint {
  /** Milliseconds, 0 or more. */
  ttlMs: number
  scope: 'public' | 'private'
}

/** A client capability that a definition requires. */
export type ClientNeed = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots'

/** Options that tools, resources and prompts share. */
export interface CommonOptions<E extends object, R> {
  /** Default: the key in the record, module or class; for a resource, the last part of its URI. */
  name?: string | undefined
  /** The display name. Sent to 2025-06-18 and later. */
  title?: string | undefined
  /** Tells the model what it does and when to use it. */
  description?: string | undefined
  /** Sent to 2025-11-25 and later. */
  icons?: Icon[] | undefined
  /** Becomes `_meta`. Sent to 2025-06-18 and later. */
  meta?: Meta | undefined
  /** Rejects anonymous callers with 401. Default: the router's setting. */
  requireUser?: R | undefined
  /**
   * OAuth scopes that the caller's token must have, all of them. They don't hide the definition: without them a call
   * gets a 403 response that names the scopes to request. If no token is verified, HTTP callers are always rejected.
   */
  scopes?: readonly string[] | undefined
  /** Returns whether this caller sees the definition. False hides it from lists and answers calls with "not found". */
  visible?: ((caller: VisibleCaller<E>) => boolean) | undefined
  /** Client capabilities, checked before the call runs. */
  needs?: readonly ClientNeed[] | undefined
  /** Middleware for this definition, outermost first. Runs inside the router's middleware. */
  use?: readonly Middleware<E>[] | undefined
  /** In milliseconds; 0 means no limit. Default: the router's setting. */
  timeoutMs?: number | undefined
}

/** Hints about a tool's behavior, without guarantees. The specification's `…Hint` names work too. */
export interface ToolAnnotations {
  title?: string | undefined
  /** Doesn't modify anything. Default in the specification: false. */
  readOnly?: boolean | undefined
  /** May overwrite or delete. Default in the specification: true. */
  destructive?: boolean | undefined
  /** Repeating the call has no further effect. Default in the specification: false. */
  idempotent?: boolean | undefined
  /** Interacts with systems beyond this server. Default in the specification: true. */
  openWorld?: boolean | undefined
  readOnlyHint?: boolean | undefined
  destructiveHint?: boolean | undefined
  idempotentHint?: boolean | undefined
  openWorldHint?: boolean | undefined
}

/** Options of `router.tool()` and `tool()`. */
export interface ToolOptions<I, O, E extends object = Register, R = false> extends CommonOptions<E, R> {
  /** A schema from any library, or JSON Schema. Validates the arguments and types the handler's first parameter. */
  input?: I | undefined
  /**
   * Validates the result; the parsed value is sent. Library schemas drop unknown fields; JSON Schema follows its
   * `additionalProperties`.
   */
  output?: O | undefined
  /**
   * How to treat arguments that `input` doesn't declare. Default: `reject` for library schemas and without `input`.
   * With `pass`, a tool without `input` gets all arguments.
   */
  unknownArguments?: UnknownArguments | undefined
  annotations?: ToolAnnotations | undefined
  /** Asks the user before each run and shows the arguments. Rejects clients without elicitation. Default: false. */
  confirm?: boolean | undefined
  /**
   * Runs the handler as a task: the call returns a task at once, and the handler continues. `optional`: clients without
   * task support wait for the result. `required`: they are rejected. Middleware wraps the handler and runs before the
   * task starts.
   */
  task?: 'optional' | 'required' | undefined
  handler: (input: Parsed<I>, ctx: WithUser<Context<E>, R>) => Awaitable<Accepted<O> | ToolResult>
}

/** The values that a resource handler may return. `undefined` and `null`: not found. */
export type ResourceReturn = string | Uint8Array | ResourceItem | readonly ResourceItem[] | null | undefined

/** One item of a result. `uri` and `mimeType` default to those of the resource. */
export type ResourceItem = {
  uri?: string | undefined
  mimeType?: string | undefined
  meta?: Meta | undefined
} & ({ text: string; blob?: undefined } | { blob: Uint8Array | string; text?: undefined })

/** A concrete resource from a template's `list`, with the fields of a resource link. */
export interface ListedResource extends Omit<ResourceLink, 'type' | '_meta'> {
  /** Becomes `_meta`. */
  meta?: Meta | undefined
}

interface ResourceCommon<E extends object, R> extends CommonOptions<E, R> {
  /** Default: `text/plain` for text, `application/octet-stream` for bytes. */
  mimeType?: string | undefined
  annotations?: Annotations | undefined
  /** Default: `ttlMs` 0, `private`. */
  cache?: CacheHint | undefined
}

/** The variables of a URI template, inferred from the string literal. */
export type TemplateVariables<U extends string> = string extends U
  ? { [name: string]: string }
  : Expressions<U> extends infer V
    ? { [K in keyof V]: V[K] }
    : never

type Expressions<U extends string> = U extends `${string}{${infer X}}${infer Rest}`
  ? Expression<X> & Expressions<Rest>
  : // biome-ignore lint/complexity/noBannedTypes: no more variables
    {}
type Expression<X extends string> = X extends `${'?' | '&'}${infer Names}`
  ? { [K in Name<Names>]?: string }
  : X extends `+${infer Names}`
    ? { [K in Name<Names>]: string }
    : { [K in Name<X>]: string }
type Name<N extends string> = N extends `${infer First},${infer Rest}` ? Name<First> | Name<Rest> : N

/**
 * Returns suggestions for one argument. `chosen.arguments` holds the arguments already filled in. At most 100
 * suggestions are sent.
 */
export type Completer<E extends object = Register> = (
  typed: string,
  chosen: { readonly arguments: Readonly<Record<string, string>> },
  ctx: Context<E>,
) => Awaitable<readonly string[]>

type Completions<K extends PropertyKey, E extends object> = [K] extends [never]
  ? never
  : { [Key in K]?: Completer<E> | undefined }

export interface TemplateOptions<U extends string, I, E extends object = Register, R = false>
  extends ResourceCommon<E, R> {
  /** Validates and converts the variables. */
  input?: I | undefined
  /** A completer for each variable. */
  complete?: Completions<keyof TemplateVariables<U>, E> | undefined
  /** Lists concrete resources for `resources/list`, and makes that list private to the caller. */
  list?: ((ctx: Context<E>) => Awaitable<readonly ListedResource[]>) | undefined
  text?: undefined
  blob?: undefined
  size?: undefined
  handler: (variables: Parsed<I>, ctx: WithUser<ResourceContext<E>, R>) => Awaitable<ResourceReturn>
}

// biome-ignore lint/complexity/noBannedTypes: a fixed resource has no variables
export type FixedOptions<E extends object = Register, R = false, V = {}> = ResourceCommon<E, R> & {
  /** In bytes. Default: the size of `text` or `blob`. */
  size?: number | undefined
  input?: undefined
  complete?: undefined
  list?: undefined
} & (
    | { text: string; blob?: undefined; handler?: undefined }
    | { blob: Uint8Array; text?: undefined; handler?: undefined }
    | {
        handler: (variables: V, ctx: WithUser<ResourceContext<E>, R>) => Awaitable<ResourceReturn>
        text?: undefined
        blob?: undefined
      }
  )

/**
 * Options of a resource. A URI with a variable is a template; one without is fixed. If the URI isn't a string literal,
 * both are allowed.
 */
export type ResourceOptions<U extends string, I, E extends object = Register, R = false> = string extends U
  ? TemplateOptions<U, I, E, R> | FixedOptions<E, R, Parsed<I>>
  : U extends `${string}{${string}}${string}`
    ? TemplateOptions<U, I, E, R>
    : FixedOptions<E, R>

/** A message whose content may be a plain string. */
export interface PromptMessageInput {
  role: Role
  content: string | ContentBlock
}

/** The values that a prompt handler may return. A string becomes one user message. */
export type PromptReturn = string | PromptMessageInput | readonly (PromptMessageInput | PromptMessage)[]

/** Options of `router.prompt()` and `prompt()`. */
export interface PromptOptions<I, E extends object = Register, R = false> extends CommonOptions<E, R> {
  /** Arguments are sent as strings, so each one must accept a string. */
  input?: I | undefined
  /** A completer for each argument. */
  complete?: Completions<keyof Accepted<I>, E> | undefined
  handler: (args: Parsed<I>, ctx: WithUser<Context<E>, R>) => Awaitable<PromptReturn>
}
