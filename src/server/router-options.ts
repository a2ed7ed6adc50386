/** The options of `McpRouter`, checked. */

import { runtime } from '#runtime'
import type { CacheHint } from '../definitions/options.js'
import { cacheHints } from '../definitions/tables.js'
import { loggingLevels } from '../protocol/logging-levels.js'
import { PROTOCOL_VERSIONS } from '../protocol/revisions.js'
import type { Icon, LoggingLevel } from '../protocol/types.js'
import { type AjvInstance, isAjv, type SchemaSupport, type UnknownArguments } from '../schema/index.js'
import type { Store } from '../store/store.js'
import {
  aBoolean,
  aCount,
  aFunction,
  arrayOf,
  aString,
  type Check,
  checkOptions,
  expected,
  icons,
  milliseconds,
  nested,
  type OptionTable,
  oneOf,
} from '../support/check-options.js'
import type { ActivityEntry, FailedCall } from '../support/hooks.js'
import type { Logger } from '../support/logger.js'
import type { TaskOptions } from '../tasks/task.js'

/** Options of `new McpRouter()`. All are optional. */
export interface RouterOptions {
  /** The server's name, sent to clients. */
  name?: string | undefined
  version?: string | undefined
  title?: string | undefined
  description?: string | undefined
  /** For the model: how to use this server as a whole. */
  instructions?: string | undefined
  icons?: Icon[] | undefined
  websiteUrl?: string | undefined
  /** Default: all of `PROTOCOL_VERSIONS`. */
  protocolVersions?: readonly string[] | undefined
  /** Items per page of every list. Default 1,000: several published clients read only the first page. */
  pageSize?: number | undefined
  /** Default: lists and discovery 5 minutes public, reads 0 private. */
  cache?: { lists?: CacheHint | undefined; reads?: CacheHint | undefined } | undefined
  /** Whether the messages of faults reach clients. Default: in development. */
  exposeErrors?: boolean | ((error: unknown, call: FailedCall) => boolean) | undefined
  /** Refuses every request of an anonymous caller with 401. Default false. */
  requireUser?: boolean | undefined
  /** Default 60,000; 0 for no limit. */
  timeoutMs?: number | undefined
  /** How long a client may take to answer a request of a handler; `timeoutMs` pauses meanwhile. Default 600,000; 0 for no limit. */
  inputTimeoutMs?: number | undefined
  /** How long a 2026-07-28 client may take to call again with its answers. Default 900,000. */
  stateTtlMs?: number | undefined
  /** How long tasks are kept, and what runs them. Default: 1 hour, a poll interval of a second, in this process. */
  tasks?: TaskOptions | undefined
  /** How arguments that a schema doesn't name are treated. Default `reject`, for schemas of libraries. */
  unknownArguments?: UnknownArguments | undefined
  /**
   * Seals session ids and cursors; share it between machines. 16 bytes or more each. The first seals, all open. Default:
   * the environment variable MCP_ROUTER_SECRET, else random for this process.
   */
  secret?: string | readonly string[] | undefined
  /** Default true. False: no session ids are handed out; GET and DELETE answer 405. */
  sessions?: boolean | undefined
  /** Default 7 days. */
  sessionTtlMs?: number | undefined
  /** The most sessions that a caller may begin in an hour; 429 beyond. Default 1,000; 0 for no limit. */
  maxSessionsPerHour?: number | undefined
  /**
   * The most requests that a caller may make in a minute over WebSocket and in batches, which a rate limiter in front of
   * the mount can't count. HTTP requests with one message aren't counted. Default 1,000; 0 for no limit.
   */
  maxCallsPerMinute?: number | undefined
  /** State of sessions, tasks and notifications. Default: `memoryStore()`. Several machines share one store. */
  store?: Store | undefined
  /** Converters that the platform can't load itself, and a validator in place of Ajv: `{ compile }`, or an Ajv instance. */
  schemas?: readonly (SchemaSupport | AjvInstance)[] | undefined
  /**
   * A logger like pino or console. Default: the console; in production only faults and warnings about the set-up, on
   * stderr. False: no logging.
   */
  logger?: Logger | false | undefined
  /** The log level for legacy clients that never set one. Default `info`. */
  logLevel?: LoggingLevel | undefined
  /** Called once for each fault. */
  onError?: ((error: unknown, call: FailedCall) => void) | undefined
  /** Called for each served request. */
  onActivity?: ((entry: ActivityEntry) => void) | undefined
  /** Default false. True: `search_tools`, `describe_tool` and `call_tool` are listed instead of the tools themselves. */
  toolSearch?: boolean | undefined
  /** Tools that `toolSearch` lists anyway. */
  pinned?: readonly string[] | undefined
}

const aText: Check = expected(
  'a text of 16 bytes or more',
  (value) => typeof value === 'string' && value !== '',
)
const aCountOrNone: Check = expected(
  'a whole number, 0 for no limit',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
)
const aSecret: Check = (value, what) => (Array.isArray(value) ? arrayOf(aText) : aText)(value, what)

const support = nested({ vendor: aString, toJsonSchema: aFunction, compile: aFunction })

const schemaSupport: Check = (value, what) => {
  if (!isAjv(value)) support(value, what)
}

const table: OptionTable = {
  known: {
    name: aString,
    version: aString,
    title: aString,
    description: aString,
    instructions: aString,
    icons,
    websiteUrl: aString,
    protocolVersions: arrayOf(oneOf(PROTOCOL_VERSIONS)),
    pageSize: aCount,
    cache: cacheHints,
    exposeErrors: expected('true, false or a function', (value) =>
      ['boolean', 'function'].includes(typeof value),
    ),
    requireUser: aBoolean,
    timeoutMs: milliseconds,
    inputTimeoutMs: milliseconds,
    stateTtlMs: aCount,
    tasks: nested({
      ttlMs: aCount,
      pollIntervalMs: aCount,
      maxRunning: aCount,
      maxKept: aCount,
      maxKeptBytes: aCount,
      runner: aFunction,
    }),
    unknownArguments: oneOf(['reject', 'strip', 'pass']),
    secret: aSecret,
    sessions: aBoolean,
    sessionTtlMs: aCount,
    maxSessionsPerHour: aCountOrNone,
    maxCallsPerMinute: aCountOrNone,
    store: expected('a store such as memoryStore()', isStore),
    schemas: arrayOf(schemaSupport),
    logger: expected(
      'shaped like pino or console, or to be false',
      (value) => value === false || isLogger(value),
    ),
    logLevel: oneOf(loggingLevels),
    onError: aFunction,
    onActivity: aFunction,
    toolSearch: aBoolean,
    pinned: arrayOf(aString),
  },
}

/** @throws TypeError naming the option, what was expected and what came. */
export function checkRouterOptions(options: RouterOptions): void {
  checkOptions('McpRouter', options, table)
  if (options.tasks?.runner !== undefined && options.store === undefined) {
    throw new TypeError(
      'McpRouter: expected `store` beside a runner of `tasks`, since every machine must find a task; got none: give it redisStore()',
    )
  }
  if (options.protocolVersions?.length === 0)
    throw new TypeError('McpRouter: expected `protocolVersions` to name at least one; got none')
}

/** Whether NODE_ENV says development. Decides what remote callers may see. */
export function isDevelopment(): boolean {
  const environment = runtime.env('NODE_ENV')
  return environment === 'development' || environment === 'test'
}

/** Whether NODE_ENV says production. Decides what stays on this machine: the console, stdio and test clients. */
export function isProduction(): boolean {
  return runtime.env('NODE_ENV') === 'production'
}

/** Whether NODE_ENV says nothing. */
export function isEnvironmentUnset(): boolean {
  return (runtime.env('NODE_ENV') ?? '') === ''
}

function isLogger(value: unknown): boolean {
  return hasMethods(value, ['info', 'warn', 'error'])
}

function isStore(value: unknown): boolean {
  const logs = ['append', 'read']
  return hasMethods(value, ['get', 'set', 'delete', 'claim', 'publish', 'subscribe', ...logs, 'close'])
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
}
