/** Runs a tool call as a task, in this process or through the router's runner, and decides which calls become tasks. */

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
import { networkDigest, type RunningTask, type Task } from './task.js'
import { awaitTaskEnd, retryUntilDone, TaskRun } from './task-run.js'
import type { OpenRunner, QueuedCaller } from './task-runner.js'
import type { NewTask } from './tasks.js'

/** The created task, or the result of a call that ended before a task was created. */
export type StartedTask = { readonly task: Task } | { readonly result: CallToolResult }

export interface TaskWork {
  readonly newTask: NewTask
  /** The arguments as the client sent them. */
  readonly args: Readonly<Record<string, unknown>>
  /** Runs the tool. Calls `startTask` once every check and middleware before the handler has passed. */
  run(startTask: () => Promise<void>): Promise<CallToolResult>
}

/** Runs a call as a task. Once `run` calls `startTask`, the response is the task, and the call's result becomes the task's. */
export async function runAsTask(
  exchange: TaskExchange,
  { newTask, args, run }: TaskWork,
): Promise<StartedTask> {
  const { runner } = exchange.services
  let resolveTask: (task: Task) => void
  const taskStarted = new Promise<StartedTask>((resolve) => {
    resolveTask = (task) => resolve({ task })
  })
  let localRun: TaskRun | undefined
  const outcome = run(async () => {
    const task = await createTask(exchange, newTask)
    if (runner === undefined) localRun = await startRun(exchange, task)
    else await passToRunner(exchange, runner, { task, args })
    resolveTask({ ...task, answered: [], end: undefined })
    exchange.assertHere()
  })
  const first = await Promise.race([taskStarted, outcome.then((result) => ({ result }))])
  if (localRun !== undefined) void conclude(exchange, { run: localRun, outcome, newTask })
  else if ('task' in first) outcome.catch(() => {})
  return first
}

interface ConcludeInput {
  readonly run: TaskRun
  readonly outcome: Promise<CallToolResult>
  readonly newTask: NewTask
}

/** Waits for the outcome and writes the task's end. Never rejects. */
async function conclude(exchange: TaskExchange, { run, outcome, newTask }: ConcludeInput): Promise<void> {
  const { services } = exchange
  try {
    const end = await awaitTaskEnd(exchange, outcome)
    await retryUntilDone(services, () => run.end(end))
  } catch (error) {
    services.log.error("could not write a task's end: the store failed", { err: error })
  } finally {
    services.tasks.releaseSlot(newTask)
    exchange.finish()
    services.inFlight.delete(exchange)
  }
}

async function createTask({ services: { tasks } }: TaskExchange, newTask: NewTask): Promise<RunningTask> {
  tasks.acquireSlot(newTask)
  try {
    return await tasks.create(newTask)
  } catch (error) {
    tasks.releaseSlot(newTask)
    throw error
  }
}

/** Starts the task in this process. If the call was cancelled meanwhile, cancels the task and throws. */
async function startRun(exchange: TaskExchange, task: RunningTask): Promise<TaskRun> {
  const { tasks } = exchange.services
  try {
    const run = await TaskRun.start(exchange, task)
    if (exchange.isOver) run.stop()
    exchange.assertOpen()
    return run
  } catch (error) {
    tasks.releaseSlot(task)
    await tasks.end(task, { status: 'cancelled' }).catch(() => {})
    throw error
  }
}

interface PassInput {
  readonly task: RunningTask
  readonly args: TaskWork['args']
}

/** Passes the task to the runner. If the runner doesn't take it, cancels the task and throws. */
async function passToRunner(
  exchange: TaskExchange,
  runner: OpenRunner,
  { task, args }: PassInput,
): Promise<void> {
  const { tasks } = exchange.services
  try {
    await tasks.releaseSlotAtEnd(task)
    exchange.assertOpen()
    await handOver(exchange, runner, { task, args })
  } catch (error) {
    await tasks.end(task, { status: 'cancelled' }).catch(() => {})
    throw error
  }
  exchange.handedOver = new HandedOver()
}

/**
 * Thrown to end the run of a call that a worker takes over and runs from the start. Middleware should let it through; the
 * result of this run is ignored.
 */
export class HandedOver extends Error {
  override readonly name: string = 'HandedOver'

  constructor() {
    super('the call became a task; a worker runs it')
  }
}

/** Enqueues a task. Resolves once the runner has taken it. */
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

/** Copies the known members only, so that no other property of the app's objects leaves the process. */
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

/**
 * Returns the task to create for a call, or `undefined` for a call that waits for its result. Throws if the tool requires
 * a task and the client doesn't support or request it, or if the client requests one that the tool doesn't offer.
 */
export function taskMode(
  exchange: TaskExchange,
  { entry, key }: CatalogItem<ToolEntry>,
): NewTask | undefined {
  const { services, revision, peer } = exchange
  // In-process callers wait for the result: they can't poll a task.
  if (peer.ask !== undefined) return undefined
  const ttlMs = revision.tasks === 'extension' ? extensionTtl(exchange, entry) : requestedTtl(exchange, entry)
  if (ttlMs === undefined) return undefined
  const { pollIntervalMs } = services.taskDefaults
  const owner = ownerDigest(exchange, 'a task')
  return {
    tool: key,
    owner,
    network: owner === null ? networkDigest(exchange) : undefined,
    ttlMs,
    pollIntervalMs,
  }
}

/** The TTL in the tasks extension: the server decides, for clients that declared the extension. */
function extensionTtl(exchange: TaskExchange, { task, name }: ToolEntry): number | undefined {
  if (task === 'required') assertTaskExtension(exchange, `tool "${name}"`)
  return task !== undefined && hasTaskExtension(exchange) ? exchange.services.taskDefaults.ttlMs : undefined
}

/** The TTL in revision 2025-11-25 (Tasks): the client decides. If no tool supports tasks, `task` is ignored. */
function requestedTtl(exchange: TaskExchange, { task, name }: ToolEntry): number | undefined {
  const { services, params, revision } = exchange
  const taskParam =
    revision.tasks === 'core' && offersTasks(services.registry.catalog()) ? params.task : undefined
  if (taskParam === undefined) {
    if (task === 'required')
      throw methodNotFound(`tool "${name}" only runs as a task: expected \`task\` in \`params\``)
    return undefined
  }
  if (task === undefined)
    throw methodNotFound(`tool "${name}" does not run as a task: call it without \`task\``)
  const { ttlMs } = services.taskDefaults
  const ttl = isObject(taskParam) ? taskParam.ttl : undefined
  return typeof ttl === 'number' && ttl >= 1 ? Math.min(Math.floor(ttl), ttlMs) : ttlMs
}

function methodNotFound(message: string): McpError {
  return refusal(ErrorCode.MethodNotFound, message)
}

/** Whether any tool can run as a task. */
export function offersTasks({ tool }: Catalog): boolean {
  return tool.items.some(({ entry }) => entry.task !== undefined)
}
