/** Creates the `Core` of a router from its options, and closes it. */

import { runtime } from '#runtime'
import { PostedAnswers } from '../client-requests/posted-answers.js'
import type { EntryDefaults, Kind } from '../definitions/entries.js'
import { Registry } from '../definitions/registry.js'
import { Interrupted } from '../errors/classify-error.js'
import type { ListName } from '../notifications/notification.js'
import { NotificationHub } from '../notifications/notification-hub.js'
import { SessionStreams } from '../notifications/session-streams.js'
import { SessionSubscriptions } from '../notifications/session-subscriptions.js'
import { newestRevision, PROTOCOL_VERSIONS, type Revision, revisions } from '../protocol/revisions.js'
import { toRevisionImplementation } from '../protocol/to-revision.js'
import type { Implementation } from '../protocol/types.js'
import { RequestCancelled } from '../request/exchange.js'
import { RouteTools } from '../routes/route-tools.js'
import { asSupport } from '../schema/index.js'
import { RateLimit, type Rates } from '../sessions/per-caller.js'
import { SealedTokens } from '../sessions/sealed-tokens.js'
import { type SessionEvents, Sessions } from '../sessions/sessions.js'
import { memoryStore } from '../store/memory-store.js'
import type { Store } from '../store/store.js'
import { InFlightRequests } from '../support/in-flight.js'
import { faultLog, type Log, movingLog, silent, toLog } from '../support/logger.js'
import { jsonText } from '../support/long-numbers.js'
import { Tasks } from '../tasks/tasks.js'
import type { Core } from './core.js'
import { checkRouterOptions, isProduction, type RouterOptions } from './router-options.js'
import { ToolSearch } from './tool-search.js'

const minute = 60_000

/** @throws TypeError naming the option, what was expected and what came. */
export function createCore(options: RouterOptions): Core {
  checkRouterOptions(options)
  const spoken = toRevisions(options.protocolVersions ?? PROTOCOL_VERSIONS)
  const info = toImplementation(options)
  const serverMeta = { 'io.modelcontextprotocol/serverInfo': toRevisionImplementation(info, newestRevision) }
  const serverMetaText = jsonText(serverMeta)
  const tokens = new SealedTokens(toSecrets(options.secret))
  const { log, move } = toLogs(options.logger)
  const store = options.store ?? memoryStore()
  const defaults: EntryDefaults = {
    requireUser: options.requireUser ?? false,
    timeoutMs: options.timeoutMs ?? minute,
    unknownArguments: options.unknownArguments ?? 'reject',
    support: (options.schemas ?? []).map(asSupport),
    warn: log.warn,
  }
  const running = new InFlightRequests()
  const told = toTold({ options, store, log, tokens, running })
  const registry = new Registry(defaults)
  registry.onChange = (entries) => {
    for (const entry of entries) told.notifications.changed(lists[entry.kind], entry)
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
    supportedRevisions: spoken,
    supportsEra: {
      legacy: spoken.some(({ era }) => era === 'legacy'),
      modern: spoken.some(({ era }) => era === 'modern'),
    },
    pageSize: options.pageSize ?? 1_000,
    cache: {
      lists: options.cache?.lists ?? { ttlMs: 5 * minute, scope: 'public' },
      reads: options.cache?.reads ?? { ttlMs: 0, scope: 'private' },
    },
    exposeErrors: options.exposeErrors,
    requireUser: options.requireUser ?? false,
    tokens,
    store,
    postedAnswers: new PostedAnswers(store),
    inputTimeoutMs: options.inputTimeoutMs ?? 10 * minute,
    stateTtlMs: options.stateTtlMs ?? 15 * minute,
    tasks: new Tasks(store, log, {
      maxRunning: options.tasks?.maxRunning ?? 1_000,
      maxKept: options.tasks?.maxKept ?? 1_000,
      maxKeptBytes: options.tasks?.maxKeptBytes ?? 8 * 1024 * 1024,
    }),
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
    recentCalls: undefined,
    tracer: undefined,
    logins: { hasLogin: false, openUpgrade: undefined },
    inFlight: running,
    rates: toRates(options),
    warnedOf: new WeakSet(),
    callerLevels: new WeakMap(),
    callerKeys: new WeakMap(),
    connections: new WeakMap(),
    localCallers: new WeakSet(),
    counts: { calls: 0, errors: 0, streams: 0, sessions: 0 },
  }
}

function toRates({ maxCallsPerMinute = 1_000, maxSessionsPerHour = 1_000 }: RouterOptions): Rates {
  return {
    calls: new RateLimit(maxCallsPerMinute, minute, {
      what: 'calls in a minute over WebSocket or in batches',
      option: 'maxCallsPerMinute',
    }),
    sessions: new RateLimit(maxSessionsPerHour, 60 * minute, {
      what: 'new sessions in an hour',
      option: 'maxSessionsPerHour',
    }),
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
  readonly running: InFlightRequests
}

/** Creates sessions and notifications. The end of a session ends its streams and calls. */
function toTold({
  options,
  store,
  log,
  tokens,
  running,
}: ToldParts): Pick<Core, 'sessions' | 'notifications' | 'subscriptions' | 'sessionStreams'> {
  const shared = options.store !== undefined
  const notifications = new NotificationHub(store, log, shared)
  const subscriptions = new SessionSubscriptions(store, log)
  const sessionStreams = new SessionStreams({ store, notifications, subscriptions, shared })
  const ttlMs = options.sessionTtlMs ?? 7 * 24 * 60 * minute
  const events: SessionEvents = {
    onEnd(key) {
      sessionStreams.end(key)
      running.abortIn(key, new RequestCancelled('the session was ended'))
    },
    onCancel: (key, { requestId, reason }) =>
      running.find(key, requestId)?.abort(new RequestCancelled(reason)),
  }
  // Without a time limit for calls, a machine that does not respond counts as dead after the default limit.
  const writerTimeoutMs = options.timeoutMs || minute
  const parts = { tokens, ttlMs, store, log, shared, events, writerTimeoutMs }
  const sessions = options.sessions === false ? undefined : new Sessions(parts)
  return { sessions, notifications, subscriptions, sessionStreams }
}

function toLogs(given: RouterOptions['logger']): { log: Log; move: Core['moveLog'] } {
  return given === undefined
    ? movingLog(isProduction() ? faultLog() : toLog(console))
    : { log: toLog(given === false ? silent : given), move: undefined }
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
  return revisions.filter(({ version }) => versions.includes(version))
}

/** Returns the secrets; `undefined`: the process uses a random one. */
function toSecrets(secret: RouterOptions['secret']): string[] | undefined {
  if (typeof secret === 'string') return [secret]
  if (secret !== undefined) return [...secret]
  const shared = runtime.env('MCP_ROUTER_SECRET')
  return shared === undefined || shared === '' ? undefined : [shared]
}

/** How long aborted calls may take to end. Milliseconds. */
const lastMs = 1_000

/** Closes the router. Resolves when no request is in flight, or aborted ones still don't end. */
export async function closeCore(core: Core, drainMs: number): Promise<void> {
  const { inFlight, runner, tasks, sessions, store, ownsStore } = core
  inFlight.close()
  closeNotifications(core)
  const idle = endAll(inFlight, drainMs)
  await Promise.all([idle, runner?.close(idle)])
  tasks.close()
  sessions?.close()
  if (ownsStore) await store.close()
}

/** Ends notification streams, which would keep a closing server waiting. */
function closeNotifications({ notifications, sessionStreams, subscriptions }: Core): void {
  sessionStreams.close()
  notifications.close()
  subscriptions.close()
}

async function endAll(running: InFlightRequests, drainMs: number): Promise<void> {
  await running.drained(drainMs)
  running.abortAll(new Interrupted('AbortError', 'the server is closing'))
  await running.drained(lastMs)
}
