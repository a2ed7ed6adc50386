/** The options of tools, resources and prompts: everything a definition may say. */

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

/** Stands in for an absent `input`. */
// biome-ignore lint/complexity/noBannedTypes: an absent input is the empty object, so that a wrong key is named in the error
export type NoInput = StandardSchemaV1<{}>
/** Stands in for an absent `output`. */
export type NoOutput = StandardSchemaV1<ToolReturn>

/** What a tool without `output` may return. */
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

/** How long, and by whom, 2026-07-28 clients may cache an answer. */
export interface CacheHint {
  /** Milliseconds, 0 or more. */
  ttlMs: number
  scope: 'public' | 'private'
}

/** Client capabilities that a definition cannot do without. */
export type ClientNeed = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots'

/** What all three kinds share. */
export interface CommonOptions<E extends object, R> {
  /** Default: the key of the record, module or class; a resource's: the last part of its URI. */
  name?: string | undefined
  /** For people. Sent to 2025-06-18 and later. */
  title?: string | undefined
  /** For the model: what it does and when to use it. */
  description?: string | undefined
  /** Sent to 2025-11-25 and later. */
  icons?: Icon[] | undefined
  /** Becomes `_meta`. Sent to 2025-06-18 and later. */
  meta?: Meta | undefined
  /** Refuses anonymous callers with 401. Default: the router's. */
  requireUser?: R | undefined
  /**
   * OAuth scopes that the caller's token must have, all of them. Does not hide: without them a call is refused with a
   * 403 that tells the client what to ask for. Where no token is checked nobody may call it over HTTP.
   */
  scopes?: readonly string[] | undefined
  /** False hides it from this caller's lists and answers "not found". */
  visible?: ((caller: VisibleCaller<E>) => boolean) | undefined
  /** Client capabilities checked before anything runs. */
  needs?: readonly ClientNeed[] | undefined
  /** Middleware for this one, outermost first, inside the router's. */
  use?: readonly Middleware<E>[] | undefined
  /** Milliseconds; 0 for no limit. Default: the router's. */
  timeoutMs?: number | undefined
}

/** Hints, not promises; the wire's `…Hint` spellings work too. */
export interface ToolAnnotations {
  title?: string | undefined
  /** Changes nothing. Wire default false. */
  readOnly?: boolean | undefined
  /** May overwrite or delete. Wire default true. */
  destructive?: boolean | undefined
  /** Doing it twice is doing it once. Wire default false. */
  idempotent?: boolean | undefined
  /** Reaches beyond this server. Wire default true. */
  openWorld?: boolean | undefined
  readOnlyHint?: boolean | undefined
  destructiveHint?: boolean | undefined
  idempotentHint?: boolean | undefined
  openWorldHint?: boolean | undefined
}

/** What `router.tool()` and `tool()` take. */
export interface ToolOptions<I, O, E extends object = Register, R = false> extends CommonOptions<E, R> {
  /** A schema of any library, or JSON Schema. Checks the arguments and types the handler's first parameter. */
  input?: I | undefined
  /** Checks the result and sends the parsed value. Schemas of libraries drop unknown fields; JSON Schema follows its `additionalProperties`. */
  output?: O | undefined
  /**
   * Arguments that `input` does not know. Default `reject` for schema libraries and without `input`; with `pass` a tool
   * without `input` is handed all arguments.
   */
  unknownArguments?: UnknownArguments | undefined
  annotations?: ToolAnnotations | undefined
  /** Asks the user before each run, with the arguments; refuses clients that cannot ask. Default false. */
  confirm?: boolean | undefined
  /**
   * Long work: the call is answered with a task at once, and the handler goes on. `optional`: clients without tasks
   * wait for the result; `required`: they are refused. Middleware runs before the task begins, around the handler.
   */
  task?: 'optional' | 'required' | undefined
  handler: (input: Parsed<I>, ctx: WithUser<Context<E>, R>) => Awaitable<Accepted<O> | ToolResult>
}

/** What a resource handler may return. `undefined` and `null`: not found. */
export type ResourceReturn = string | Uint8Array | ResourceItem | readonly ResourceItem[] | null | undefined

/** One item of an answer; `uri` and `mimeType` default to the resource's. */
export type ResourceItem = {
  uri?: string | undefined
  mimeType?: string | undefined
  meta?: Meta | undefined
} & ({ text: string; blob?: undefined } | { blob: Uint8Array | string; text?: undefined })

/** One concrete resource that a template's `list` names: what a link to it would say. */
export interface ListedResource extends Omit<ResourceLink, 'type' | '_meta'> {
  /** Becomes `_meta`. */
  meta?: Meta | undefined
}

interface ResourceCommon<E extends object, R> extends CommonOptions<E, R> {
  /** Default `text/plain` for text, `application/octet-stream` for bytes. */
  mimeType?: string | undefined
  annotations?: Annotations | undefined
  /** Default: 0, private. */
  cache?: CacheHint | undefined
}

/** The variables of a URI template, read out of the literal. */
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

/** Suggestions for one argument; `chosen.arguments` are the ones already filled in. At most 100 are sent. */
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
  /** Checks and converts the variables. */
  input?: I | undefined
  /** Suggestions per variable. */
  complete?: Completions<keyof TemplateVariables<U>, E> | undefined
  /** Concrete resources for `resources/list`; makes that list private to the caller. */
  list?: ((ctx: Context<E>) => Awaitable<readonly ListedResource[]>) | undefined
  text?: undefined
  blob?: undefined
  size?: undefined
  handler: (variables: Parsed<I>, ctx: WithUser<ResourceContext<E>, R>) => Awaitable<ResourceReturn>
}

// biome-ignore lint/complexity/noBannedTypes: a fixed resource has no variables
export type FixedOptions<E extends object = Register, R = false, V = {}> = ResourceCommon<E, R> & {
  /** Bytes. Default: what `text` or `blob` holds. */
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

/** A URI with a variable is a template; one without is fixed. A URI that is no literal may be either. */
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

/** What the handler of a prompt may return: a text is one message of the user. */
export type PromptReturn = string | PromptMessageInput | readonly (PromptMessageInput | PromptMessage)[]

/** What `router.prompt()` and `prompt()` take. */
export interface PromptOptions<I, E extends object = Register, R = false> extends CommonOptions<E, R> {
  /** Arguments travel as strings: every one must accept a string. */
  input?: I | undefined
  /** Suggestions per argument. */
  complete?: Completions<keyof Accepted<I>, E> | undefined
  handler: (args: Parsed<I>, ctx: WithUser<Context<E>, R>) => Awaitable<PromptReturn>
}
