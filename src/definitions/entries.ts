/** Definitions with everything looked up and compiled that requests need. */

import type { ListKind } from '../protocol/lists.js'
import type { CompiledSchema, HeaderParameter, SchemaSupport, UnknownArguments } from '../schema/index.js'
import type { Log } from '../support/logger.js'
import type { Middleware } from './context.js'
import type { OptionsRecord } from './define.js'
import type { CacheHint, ClientNeed } from './options.js'
import type { RouteReport } from './route-report.js'
import type { UriTemplate } from './uri-template.js'

/** The kinds of entries. Each kind has its own list. */
export type Kind = ListKind

interface Common {
  /** The look-up key within its own router: the name or the URI. */
  readonly key: string
  readonly name: string
  readonly place: string | undefined
  readonly options: OptionsRecord & {
    readonly visible?: (caller: never) => boolean
    readonly handler?: Handler
  }
  readonly middleware: readonly Middleware[]
  readonly requireUser: boolean
  /** Scopes that the caller's token must have. */
  readonly scopes: readonly string[]
  readonly needs: readonly ClientNeed[]
  /** Whether the user must confirm each run. */
  readonly confirm: boolean
  /** In milliseconds; 0 means no limit. */
  readonly timeoutMs: number
  /** The entry as it is listed, before conversion to a revision, and without its name. */
  readonly listed: Readonly<Record<string, unknown>>
}

export type Handler = (input: unknown, ctx: unknown) => unknown
export type Completers = Readonly<Record<string, (typed: string, chosen: object, ctx: unknown) => unknown>>

export interface ToolEntry extends Common {
  readonly kind: 'tool'
  readonly input: CompiledSchema
  readonly output: CompiledSchema | undefined
  readonly headerParameters: readonly HeaderParameter[]
  /** Set if the tool calls an existing route. */
  readonly route?: RouteReport | undefined
  readonly task: 'optional' | 'required' | undefined
}
export interface ResourceEntry extends Common {
  readonly kind: 'resource'
  readonly cache: CacheHint | undefined
  readonly mimeType: string | undefined
}
export interface TemplateEntry extends Common {
  readonly kind: 'template'
  readonly template: UriTemplate
  readonly input: CompiledSchema | undefined
  readonly complete: Completers
  readonly cache: CacheHint | undefined
  readonly mimeType: string | undefined
}
export interface PromptEntry extends Common {
  readonly kind: 'prompt'
  readonly input: CompiledSchema
  readonly complete: Completers
}
export type Entry = ToolEntry | ResourceEntry | TemplateEntry | PromptEntry
export type EntryOf<K extends Kind> = Extract<Entry, { kind: K }>

/** Defaults and services of a router for the definitions added to it. */
export interface EntryDefaults {
  readonly requireUser: boolean
  readonly timeoutMs: number
  readonly unknownArguments: UnknownArguments
  readonly support: readonly SchemaSupport[]
  readonly warn: Log['warn']
}
