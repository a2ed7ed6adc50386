/** Whether a call becomes a task: decided by the tool, the revision and what the client can do. */

import { assertTaskExtension, hasTaskExtension } from '../client-requests/capabilities.js'
import type { ToolEntry } from '../definitions/entries.js'
import type { CatalogItem } from '../definitions/registry.js'
import { ErrorCode, type McpError, refusal } from '../errors/errors.js'
import { ownerDigest } from '../sessions/owner.js'
import { isObject } from '../support/values.js'
import { offersTasks } from './offers-tasks.js'
import { networkOf } from './owner.js'
import type { TaskExchange } from './services.js'
import type { NewTask } from './tasks.js'

/** What the task would be; `undefined`: the call waits for its result. Throws where the tool or the client demands otherwise. */
export function taskMode(
  exchange: TaskExchange,
  { entry, key }: CatalogItem<ToolEntry>,
): NewTask | undefined {
  const { services, revision, peer } = exchange
  // Code in this process waits; it has nobody to ask later.
  if (peer.ask !== undefined) return undefined
  const ttlMs = revision.tasks === 'extension' ? extension(exchange, entry) : requested(exchange, entry)
  if (ttlMs === undefined) return undefined
  const { pollIntervalMs } = services.taskDefaults
  const owner = ownerDigest(exchange, 'a task')
  return {
    tool: key,
    owner,
    network: owner === null ? networkOf(exchange) : undefined,
    ttlMs,
    pollIntervalMs,
  }
}

/** Tasks extension: the server decides, for clients that declared it. */
function extension(exchange: TaskExchange, { task, name }: ToolEntry): number | undefined {
  if (task === 'required') assertTaskExtension(exchange, `tool "${name}"`)
  return task !== undefined && hasTaskExtension(exchange) ? exchange.services.taskDefaults.ttlMs : undefined
}

/** Revision 2025-11-25, Tasks: the client decides. Where no tool has tasks, `task` means nothing. */
function requested(exchange: TaskExchange, { task, name }: ToolEntry): number | undefined {
  const { services, params, revision } = exchange
  const wanted =
    revision.tasks === 'core' && offersTasks(services.registry.catalog()) ? params.task : undefined
  if (wanted === undefined) {
    if (task === 'required') throw unfit(`tool "${name}" runs as a task only: the client has to ask for one`)
    return undefined
  }
  if (task === undefined) throw unfit(`tool "${name}" does not run as a task`)
  const { ttlMs } = services.taskDefaults
  const asked = isObject(wanted) ? wanted.ttl : undefined
  return typeof asked === 'number' && asked >= 1 ? Math.min(Math.floor(asked), ttlMs) : ttlMs
}

function unfit(message: string): McpError {
  return refusal(ErrorCode.MethodNotFound, message)
}
