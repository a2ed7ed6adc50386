/** A call that is answered with a task: its tool goes on here, or wherever the router's runner takes it. */

import { assertTaskExtension, hasTaskExtension } from '../client-requests/client-request.js'
import type { ToolEntry } from '../definitions/entries.js'
import type { Catalog, CatalogItem } from '../definitions/registry.js'
import { ErrorCode, type McpError, refusal } from '../errors/errors.js'
import type { Identity } from '../protocol/identity.js'
import type { CallToolResult } from '../protocol/types.js'
import type { Exchange } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { idOf, ownerDigest, tenantOf } from '../sessions/owner.js'
import { isObject } from '../support/values.js'
import type { TaskExchange } from './services.js'
import { networkOf, type RunningTask, type Task } from './task.js'
import { endOf, firmly, TaskRun } from './task-run.js'
import type { OpenRunner, QueuedCaller } from './task-runner.js'
import type { NewTask } from './tasks.js'

/** What a call comes to: its task as it began, or a result where nothing began. */
export type StartTask = { readonly task: Task } | { readonly result: CallToolResult }

export interface TaskWork {
  readonly about: NewTask
  /** As the client sent them. */
  readonly args: Readonly<Record<string, unknown>>
  /** Runs the tool; calls `begin` when everything before its handler has agreed. */
  run(begin: () => Promise<void>): Promise<CallToolResult>
}

/** From the moment that `run` calls `begin` on, the call is answered with the task, and its result is the task's. */
export async function runAsTask(exchange: TaskExchange, { about, args, run }: TaskWork): Promise<StartTask> {
  const { runner } = exchange.services
  let tell: (task: Task) => void
  const begun = new Promise<StartTask>((resolve) => {
    tell = (task) => resolve({ task })
  })
  let here: TaskRun | undefined
  const outcome = run(async () => {
    const task = await created(exchange, about)
    if (runner === undefined) here = await begin(exchange, task)
    else await pass(exchange, runner, { task, args })
    tell({ ...task, answered: [], end: undefined })
    exchange.assertHere()
  })
  const first = await Promise.race([begun, outcome.then((result) => ({ result }))])
  if (here !== undefined) void conclude(exchange, { run: here, outcome, about })
  else if ('task' in first) outcome.catch(() => {})
  return first
}

interface Concluded {
  readonly run: TaskRun
  readonly outcome: Promise<CallToolResult>
  readonly about: NewTask
}

/** Never rejects. */
async function conclude(exchange: TaskExchange, { run, outcome, about }: Concluded): Promise<void> {
  const { services } = exchange
  try {
    const end = await endOf(exchange, outcome)
    await firmly(services, () => run.end(end))
  } catch (error) {
    services.log.error('the end of a task could not be kept: the store failed', { err: error })
  } finally {
    services.tasks.leave(about)
    exchange.finish()
    services.inFlight.delete(exchange)
  }
}

async function created({ services: { tasks } }: TaskExchange, about: NewTask): Promise<RunningTask> {
  tasks.enter(about)
  try {
    return await tasks.create(about)
  } catch (error) {
    tasks.leave(about)
    throw error
  }
}

/** Throws where nobody waits any more: then nobody knows of the task either. */
async function begin(exchange: TaskExchange, task: RunningTask): Promise<TaskRun> {
  const { tasks } = exchange.services
  try {
    const run = await TaskRun.start(exchange, task)
    if (exchange.isOver) run.leave()
    exchange.assertOpen()
    return run
  } catch (error) {
    tasks.leave(task)
    await tasks.end(task, { status: 'cancelled' }).catch(() => {})
    throw error
  }
}

interface Passed {
  readonly task: RunningTask
  readonly args: TaskWork['args']
}

/** Throws where no runner takes it: then there is no task. */
async function pass(exchange: TaskExchange, runner: OpenRunner, { task, args }: Passed): Promise<void> {
  const { tasks } = exchange.services
  try {
    await tasks.leaveAtEnd(task)
    exchange.assertOpen()
    await handOver(exchange, runner, { task, args })
  } catch (error) {
    await tasks.end(task, { status: 'cancelled' }).catch(() => {})
    throw error
  }
  exchange.handedOver = new HandedOver()
}

/**
 * Ends the run of a call that a worker runs from its beginning. Let it through: what is left of this run counts for
 * nothing.
 */
export class HandedOver extends Error {
  override readonly name: string = 'HandedOver'

  constructor() {
    super('the call became a task; a worker runs it')
  }
}

/** Resolves once the runner has it. */
export async function handOver(
  exchange: Exchange,
  runner: OpenRunner,
  { task, args }: { readonly task: RunningTask; readonly args: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { id, tool } = task
  const { client, clientRequests, identity, peer, revision } = exchange
  await runner.enqueue({
    taskId: id,
    tool,
    arguments: args,
    protocolVersion: revision.version,
    client,
    caller: identity === undefined ? {} : queuedCallerOf(identity, peer),
    rounds: clientRequests?.rounds ?? { id, answers: {} },
  })
}

/** Part by part: what else the host's objects hold stays here. */
function queuedCallerOf({ user, auth, scopes }: Identity, { userId }: Peer): QueuedCaller {
  const signedIn = user !== undefined && user !== null
  return {
    ...(signedIn && { id: idOf({ user, auth }, userId), tenant: tenantOf(user) ?? undefined }),
    ...(auth !== undefined && {
      auth: {
        subject: auth.subject,
        clientId: auth.clientId,
        scopes: auth.scopes,
        tenant: auth.tenant,
        claims: auth.claims,
      },
    }),
    scopes,
  }
}

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

export function offersTasks({ tool }: Catalog): boolean {
  return tool.items.some(({ entry }) => entry.task !== undefined)
}
