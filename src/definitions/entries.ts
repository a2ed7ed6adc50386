/** A definition made ready to serve: everything a request needs, looked up once. */

import type { ListKind } from '../protocol/lists.js'
import type { CompiledSchema, HeaderParameter, SchemaSupport, UnknownArguments } from '../schema/index.js'
import type { Log } from '../support/logger.js'
import type { Middleware } from './context.js'
import type { OptionsRecord } from './define.js'
import type { CacheHint, ClientNeed } from './options.js'
import type { RouteReport } from './route-report.js'
import type { UriTemplate } from './uri-template.js'

/** Each kind has a list of its own. */
export type Kind = ListKind

interface Common {
  /** The look-up key inside its own router: the name, or the URI. */
  readonly key: string
  readonly name: string
  readonly place: string | undefined
  readonly options: OptionsRecord & {
    readonly visible?: (caller: never) => boolean
    readonly handler?: Handler
  }
  readonly middleware: readonly Middleware[]
  readonly requireUser: boolean
  /** What a token must allow. */
  readonly scopes: readonly string[]
  readonly needs: readonly ClientNeed[]
  /** The user is asked before it runs. */
  readonly confirm: boolean
  /** Milliseconds, 0 for no limit. */
  readonly timeoutMs: number
  /** As listed, before projection, without its name. */
  readonly listed: Readonly<Record<string, unknown>>
}

export type Handler = (input: unknown, ctx: unknown) => unknown
export type Completers = Readonly<Record<string, (typed: string, chosen: object, ctx: unknown) => unknown>>

export interface ToolEntry extends Common {
  readonly kind: 'tool'
  readonly input: CompiledSchema
  readonly output: CompiledSchema | undefined
  readonly headerParameters: readonly HeaderParameter[]
  /** Where an existing route is behind it. */
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

/** What a router gives to every definition added to it. */
export interface EntryDefaults {
  readonly requireUser: boolean
  readonly timeoutMs: number
  readonly unknownArguments: UnknownArguments
  readonly support: readonly SchemaSupport[]
  readonly warn: Log['warn']
}
