/** `initialize`, `server/discover` with the server's capabilities, and `logging/setLevel`. */

import { appMimeType } from '../definitions/app-tool.js'
import type { CacheHint } from '../definitions/options.js'
import type { Catalog } from '../definitions/registry.js'
import { loggingLevels } from '../protocol/logging-levels.js'
import { invalidParams, objectParam, stringParam } from '../protocol/params.js'
import type { Revision } from '../protocol/revisions.js'
import { toRevisionImplementation } from '../protocol/to-revision.js'
import type { LoggingLevel, Result } from '../protocol/types.js'
import { describe } from '../support/values.js'
import { offersTasks } from '../tasks/run-as-task.js'
import { listCache } from './lists.js'
import type { MethodExchange } from './services.js'

export type Capability = 'tools' | 'resources' | 'prompts' | 'completions' | 'logging' | 'tasks'

/** Whether the server has a capability. Methods of other capabilities are unknown. */
export const offers: Readonly<Record<Capability, (catalog: Catalog) => boolean>> = {
  tools: ({ tool }) => tool.items.length > 0,
  resources: ({ resource, template }) => resource.items.length + template.items.length > 0,
  prompts: ({ prompt }) => prompt.items.length > 0,
  completions: ({ template, prompt }) =>
    [...template.items, ...prompt.items].some(({ entry }) => Object.keys(entry.complete).length > 0),
  logging: () => true,
  tasks: offersTasks,
}

/** Answers with the requested version, else with the newest legacy one. The handshake never agrees on a modern version. */
export function initialize(exchange: MethodExchange): Result {
  const { services, params } = exchange
  const asked = stringParam(params, 'protocolVersion')
  objectParam(params, 'capabilities')
  const legacy = services.supportedRevisions.filter(({ era }) => era === 'legacy')
  // Without a legacy revision, `initialize` is refused before it gets here.
  const revision = legacy.find(({ version }) => version === asked) ?? (legacy.at(-1) as Revision)
  return {
    protocolVersion: revision.version,
    capabilities: capabilities(exchange, revision),
    serverInfo: toRevisionImplementation(services.info, revision),
    ...(services.instructions !== undefined && { instructions: services.instructions }),
  }
}

export function discover(exchange: MethodExchange): { result: Result; cache: CacheHint } {
  const { services, revision } = exchange
  const result = {
    supportedVersions: services.supportedRevisions
      .filter(({ era }) => era === 'modern')
      .map(({ version }) => version),
    capabilities: capabilities(exchange, revision),
    ...(services.instructions !== undefined && { instructions: services.instructions }),
  }
  return { result, cache: listCache(exchange) }
}

/** The notifications of each capability, advertised to clients that can receive them. */
const notices: Partial<Readonly<Record<Capability, object>>> = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
}

function capabilities(
  { services, peer, identity }: MethodExchange,
  revision: Revision,
): Record<string, object> {
  const catalog = services.registry.catalog()
  const reaches = peer.canNotify(revision.era, identity)
  const offered: Record<string, object> = {}
  for (const name of Object.keys(offers) as Capability[]) {
    if (name === 'completions' && !revision.completions) continue
    if (name === 'tasks') continue
    if (offers[name](catalog)) offered[name] = { ...(reaches && notices[name]) }
  }
  const tasks = offersTasks(catalog) ? revision.tasks : 'none'
  if (tasks === 'core') offered.tasks = { cancel: {}, requests: { tools: { call: {} } } }
  const extensions = {
    ...(tasks === 'extension' && { 'io.modelcontextprotocol/tasks': {} }),
    ...(offersApps(catalog) && { 'io.modelcontextprotocol/ui': {} }),
  }
  if (Object.keys(extensions).length > 0) offered.extensions = extensions
  return offered
}

/** Whether any resource is an MCP Apps page. */
function offersApps({ resource }: Catalog): boolean {
  return resource.items.some(({ entry }) => entry.mimeType === appMimeType)
}

/** Sets the log level of a session or connection. Without either, the router's level stays. */
export async function setLevel({ services, params, sessionId, peer }: MethodExchange): Promise<Result> {
  const level = assertLevel(params.level)
  if (sessionId !== undefined) await services.sessions?.setLogLevel(sessionId, level)
  if (peer.scope !== undefined) services.callerLevels.set(peer.scope, level)
  return {}
}

export function assertLevel(level: unknown): LoggingLevel {
  if (loggingLevels.includes(level as LoggingLevel)) return level as LoggingLevel
  throw invalidParams(`expected the level to be one of ${loggingLevels.join(', ')}; got ${describe(level)}`)
}
