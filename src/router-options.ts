/** The options of `McpRouter`, checked and with their defaults: what a `Core` is made of. */

import { runtime } from '#runtime'
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
} from './check-options.js'
import { Answers } from './conversation/answers.js'
import type { Core } from './core.js'
import type { EntryDefaults, Kind } from './definitions/entries.js'
import type { CacheHint } from './definitions/options.js'
import { Registry } from './definitions/registry.js'
import { cacheHints } from './definitions/tables.js'
import { Abandoned } from './exchange.js'
import type { ActivityEntry, FailedCall } from './failures/hooks.js'
import { type Log, type Logger, movingLog, silent, toLog } from './log.js'
import type { ListName } from './notices/notice.js'
import { Notices } from './notices/notices.js'
import { SessionStreams } from './notices/session-streams.js'
import { SessionSubscriptions } from './notices/session-subscriptions.js'
import { loggingLevels } from './protocol/logging-levels.js'
import { projectImplementation } from './protocol/project.js'
import { newestRevision, PROTOCOL_VERSIONS, type Revision, revisions } from './protocol/revisions.js'
import type { Icon, Implementation, LoggingLevel } from './protocol/types.js'
import { RouteTools } from './routes/route-tools.js'
import { ToolSearch } from './routes/tool-search.js'
import { Running } from './running.js'
import type { SchemaSupport, UnknownArguments } from './schema/index.js'
import { SealedTokens } from './sessions/sealed-tokens.js'
import { Sessions } from './sessions/sessions.js'
import { memoryStore } from './store/memory-store.js'
import type { Store } from './store/store.js'
import type { TaskOptions } from './tasks/task.js'
import { Tasks } from './tasks/tasks.js'

/** What `new McpRouter()` takes. All of it is optional. */
export interface RouterOptions {
  /** What the server says about itself. */
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
  /** Items per page of every list. Default 100. */
  pageSize?: number | undefined
  /** Default: lists and discovery 5 minutes public, reads 0 private. */
  cache?: { lists?: CacheHint | undefined; reads?: CacheHint | undefined } | undefined
  /** Whether the messages of faults reach clients. Default: in development. */
  exposeErrors?: boolean | ((error: unknown, call: FailedCall) => boolean) | undefined
  /** Refuses every request of an anonymous caller with 401. Default false. */
  requireUser?: boolean | undefined
  /** Default 60,000; 0 for no limit. */
  timeoutMs?: number | undefined
  /** How long a client may take to answer a question; the clock of `timeoutMs` stands still meanwhile. Default 600,000; 0 for no limit. */
  inputTimeoutMs?: number | undefined
  /** How long a 2026-07-28 client may take to call again with its answers. Default 900,000. */
  stateTtlMs?: number | undefined
  /** How tools that are `task`s are kept, and who runs them. Default: 1 hour, asked for every second, in this process. */
  tasks?: TaskOptions | undefined
  /** Default `reject`, for schemas of libraries. */
  unknownArguments?: UnknownArguments | undefined
  /**
   * Seals session ids and cursors; share it between machines. The first seals, all open. Default: the environment
   * variable MCP_ROUTER_SECRET, else random for this process.
   */
  secret?: string | readonly string[] | undefined
  /** Default true. False: no session ids are handed out, DELETE answers 405. */
  sessions?: boolean | undefined
  /** Default 7 days. */
  sessionTtlMs?: number | undefined
  /** What legacy conversations and notices need to remember. Default: `memoryStore()`; several machines share one. */
  store?: Store | undefined
  /** Converters and validators, where the platform cannot load them by itself. */
  schemas?: readonly SchemaSupport[] | undefined
  /** Anything shaped like pino or console. Default: silent in production, console otherwise. */
  logger?: Logger | undefined
  /** What legacy clients that never set a level are sent. Default `info`. */
  logLevel?: LoggingLevel | undefined
  /** Sees each fault once. */
  onError?: ((error: unknown, call: FailedCall) => void) | undefined
  /** Sees each served request. */
  onActivity?: ((entry: ActivityEntry) => void) | undefined
  /** Default false. True: `search_tools`, `describe_tool` and `call_tool` are listed instead of the tools themselves. */
  toolSearch?: boolean | undefined
  /** Tools that are listed all the same. */
  pinned?: readonly string[] | undefined
}

const aText: Check = expected(
  'a text of 16 bytes or more',
  (value) => typeof value === 'string' && value !== '',
)
const aSecret: Check = (value, what) => (Array.isArray(value) ? arrayOf(aText) : aText)(value, what)

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
    tasks: nested({ ttlMs: aCount, pollIntervalMs: aCount, maxRunning: aCount, runner: aFunction }),
    unknownArguments: oneOf(['reject', 'strip', 'pass']),
    secret: aSecret,
    sessions: aBoolean,
    sessionTtlMs: aCount,
    store: expected('a store such as memoryStore()', isStore),
    schemas: arrayOf(nested({ vendor: aString, toJsonSchema: aFunction, compile: aFunction })),
    logger: expected('shaped like pino or console', isLogger),
    logLevel: oneOf(loggingLevels),
    onError: aFunction,
    onActivity: aFunction,
    toolSearch: aBoolean,
    pinned: arrayOf(aString),
  },
}

const minute = 60_000

/** @throws TypeError naming the option, what was expected and what came. */
export function toCore(options: RouterOptions): Core {
  checkOptions('McpRouter', options, table)
  if (options.tasks?.runner !== undefined && options.store === undefined) {
    throw new TypeError(
      'McpRouter: expected `store` beside a runner of `tasks`, since every machine must find a task; got none: give it redisStore()',
    )
  }
  const spoken = toRevisions(options.protocolVersions ?? PROTOCOL_VERSIONS)
  const info = toImplementation(options)
  const serverMeta = { 'io.modelcontextprotocol/serverInfo': projectImplementation(info, newestRevision) }
  const serverMetaText = JSON.stringify(serverMeta)
  const tokens = new SealedTokens(toSecrets(options.secret))
  const { log, move } = toLogs(options.logger)
  const store = options.store ?? memoryStore()
  const defaults: EntryDefaults = {
    requireUser: options.requireUser ?? false,
    timeoutMs: options.timeoutMs ?? minute,
    unknownArguments: options.unknownArguments ?? 'reject',
    support: options.schemas ?? [],
    warn: log.warn,
  }
  const running = new Running()
  const told = toTold({ options, store, log, tokens, running })
  const registry = new Registry(defaults)
  registry.onChange = (entries) => {
    for (const entry of entries) told.notices.changed(lists[entry.kind], entry)
  }
  return {
    info,
    serverMeta,
    envelopeText: ({ ttlMs, scope }) =>
      `"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"${scope}","_meta":${serverMetaText}`,
    instructions: options.instructions,
    registry,
    routes: new RouteTools(registry, log, { searches: options.toolSearch ?? false }),
    toolSearch:
      options.toolSearch === true
        ? new ToolSearch(registry, { pinned: options.pinned ?? [], defaults })
        : undefined,
    spoken,
    speaks: {
      legacy: spoken.some(({ era }) => era === 'legacy'),
      modern: spoken.some(({ era }) => era === 'modern'),
    },
    pageSize: options.pageSize ?? 100,
    cache: {
      lists: options.cache?.lists ?? { ttlMs: 5 * minute, scope: 'public' },
      reads: options.cache?.reads ?? { ttlMs: 0, scope: 'private' },
    },
    exposeErrors: options.exposeErrors,
    requireUser: options.requireUser ?? false,
    tokens,
    store,
    answers: new Answers(store),
    inputTimeoutMs: options.inputTimeoutMs ?? 10 * minute,
    stateTtlMs: options.stateTtlMs ?? 15 * minute,
    tasks: new Tasks(store, options.tasks?.maxRunning ?? 1_000),
    runner: undefined,
    taskDefaults: {
      ttlMs: options.tasks?.ttlMs ?? 60 * minute,
      pollIntervalMs: options.tasks?.pollIntervalMs ?? 1_000,
    },
    ownsStore: options.store === undefined,
    ...told,
    logLevel: options.logLevel ?? 'info',
    log,
    moveLog: move,
    onError: options.onError,
    onActivity: options.onActivity,
    recent: undefined,
    watch: undefined,
    metadata: { described: [], atRoot: false },
    running,
    warnedOf: new WeakSet(),
    callerLevels: new WeakMap(),
    connections: new WeakMap(),
    counts: { calls: 0, errors: 0, streams: 0, sessions: 0 },
  }
}

const lists: Readonly<Record<Kind, ListName>> = {
  tool: 'tools',
  resource: 'resources',
  template: 'resources',
  prompt: 'prompts',
}

interface ToldParts {
  readonly options: RouterOptions
  readonly store: Store
  readonly log: Log
  readonly tokens: SealedTokens
  readonly running: Running
}

/** Sessions, and who is told of changes: what ends a session ends its streams and its calls. */
function toTold({
  options,
  store,
  log,
  tokens,
  running,
}: ToldParts): Pick<Core, 'sessions' | 'notices' | 'subscriptions' | 'sessionStreams'> {
  const notices = new Notices(store, log)
  const subscriptions = new SessionSubscriptions(store, log)
  const shared = options.store !== undefined
  const sessionStreams = new SessionStreams({ store, notices, subscriptions, shared })
  const ttlMs = options.sessionTtlMs ?? 7 * 24 * 60 * minute
  const sessions =
    options.sessions === false ? undefined : new Sessions({ tokens, ttlMs, store, log, shared })
  sessions?.listen({
    onEnd(key) {
      sessionStreams.end(key)
      running.abortIn(key, new Abandoned('the session was ended'))
    },
    onCancel: (key, { requestId, reason }) => running.find(key, requestId)?.abort(new Abandoned(reason)),
  })
  return { sessions, notices, subscriptions, sessionStreams }
}

/** True, false, or `undefined` where only the request can tell: NODE_ENV is unset. */
export function isDevelopment(): boolean | undefined {
  const environment = runtime.env('NODE_ENV')
  if (environment === undefined || environment === '') return undefined
  return environment === 'development' || environment === 'test'
}

function toLogs(given: Logger | undefined): { log: Log; move: Core['moveLog'] } {
  return given === undefined
    ? movingLog(isQuiet() ? silent : console)
    : { log: toLog(given), move: undefined }
}

function isQuiet(): boolean {
  return isDevelopment() === false
}

function toImplementation({
  name,
  version,
  title,
  description,
  icons,
  websiteUrl,
}: RouterOptions): Implementation {
  return { name: name ?? 'mcp-router', version: version ?? '0.0.0', title, description, icons, websiteUrl }
}

function toRevisions(versions: readonly string[]): Revision[] {
  if (versions.length === 0)
    throw new TypeError('McpRouter: expected `protocolVersions` to name at least one')
  return revisions.filter(({ version }) => versions.includes(version))
}

/** `undefined`: a random one of this process. */
function toSecrets(secret: RouterOptions['secret']): string[] | undefined {
  if (typeof secret === 'string') return [secret]
  if (secret !== undefined) return [...secret]
  const shared = runtime.env('MCP_ROUTER_SECRET')
  return shared === undefined || shared === '' ? undefined : [shared]
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
