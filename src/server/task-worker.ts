/** Runs what a runner brings: a call of some machine, from its beginning, as the task that it became. */

import { ClientRequests } from '../client-requests/client-requests.js'
import type { ToolEntry } from '../definitions/entries.js'
import type { CatalogItem } from '../definitions/registry.js'
import { brandOf, ErrorCode } from '../errors/errors.js'
import { methodFor, methodOf } from '../methods/method-table.js'
import { resultOf } from '../methods/tools.js'
import { newestRevision, revisions } from '../protocol/revisions.js'
import type { CallToolResult } from '../protocol/types.js'
import { Exchange } from '../request/exchange.js'
import { leftOf, type Task } from '../tasks/task.js'
import { endOf, firmly, TaskRun } from '../tasks/task-run.js'
import type { Attempt, QueuedTask, Ran, RunnerHost } from '../tasks/task-runner.js'
import { asProtocolError } from '../tracing/error-report.js'
import type { Core } from './core.js'
import { QueuedPeer } from './queued-peer.js'
import { isDevelopment } from './router-options.js'

export function runnerHost(core: Core): RunnerHost {
  return {
    name: core.info.name,
    log: core.log,
    run: (queued, attempt) => runQueued(core, queued, attempt).catch(whenClosed(core)),
    giveUp: (taskId, message) => firmly(core, () => giveUp(core, taskId, message)),
  }
}

function whenClosed({ inFlight }: Core): (error: unknown) => Ran {
  return (error) => {
    if (inFlight.closed) return 'closing'
    throw error
  }
}

async function giveUp({ tasks }: Core, taskId: string, message: string): Promise<void> {
  const task = await tasks.find(taskId)
  if (task === undefined || task.end !== undefined) return
  await tasks.end(task, { status: 'failed', error: { code: ErrorCode.InternalError, message } })
}

async function runQueued(core: Core, queued: QueuedTask, attempt: Attempt): Promise<Ran> {
  if (core.inFlight.closing) return 'closing'
  const task = await firmly(core, () => core.tasks.find(queued.taskId))
  // Cancelled, too late, or run to its end by a process that ended before it could say so.
  if (task === undefined || task.end !== undefined || leftOf(task) === 0) return 'ended'
  if (core.routes.active) await core.routes.notice(queued.tool)
  const served = core.registry.catalog().tool.byKey.get(queued.tool)
  if (served !== undefined) return runServed({ core, queued, attempt, task, served })
  if (Date.now() - Date.parse(task.createdAt) < attempt.missingToolMs) return 'missing'
  core.log.error(`a task was given up: no worker has the tool "${queued.tool}"`)
  await giveUp(core, task.id, 'There is no such tool any more')
  return 'ended'
}

interface WorkerRun {
  readonly core: Core
  readonly queued: QueuedTask
  readonly attempt: Attempt
  readonly task: Task
  readonly served: CatalogItem<ToolEntry>
}

async function runServed({ core, queued, attempt, task, served }: WorkerRun): Promise<Ran> {
  const exchange = toExchange(core, queued, attempt)
  core.inFlight.add(exchange)
  let interrupted: Error | undefined
  exchange.onEnd((reason) => {
    interrupted = reason
  })
  try {
    const run = await firmly(core, () => TaskRun.start(exchange, task))
    const end = await endOf(exchange, attemptOf(exchange, served, queued))
    const again = isClosing(core, interrupted) ? 'closing' : 'faulted'
    const faulted = exchange.failed === 'fault' && !attempt.last && run.leftMs > 0
    if (again === 'closing' || faulted) {
      run.leave()
      return again
    }
    await firmly(core, () => run.end(end))
    return 'ended'
  } finally {
    exchange.finish()
    core.inFlight.delete(exchange)
  }
}

function toExchange(core: Core, queued: QueuedTask, { restore }: Attempt): Exchange<Core> {
  const [method] = methodFor('tool')
  const params = { name: queued.tool, arguments: queued.arguments }
  const peer = new QueuedPeer(queued.caller, restore, isDevelopment())
  const exchange = new Exchange(
    core,
    peer,
    { jsonrpc: '2.0', id: queued.taskId, method, params },
    {
      revision: revisions.find(({ version }) => version === queued.protocolVersion) ?? newestRevision,
      client: queued.client,
      logLevel: undefined,
      progressToken: undefined,
      sessionId: undefined,
    },
  )
  exchange.method = methodOf(method)
  exchange.allowsClientRequests = true
  exchange.clientRequests = new ClientRequests(exchange, { ...queued.rounds, bound: [] })
  return exchange
}

async function attemptOf(
  exchange: Exchange<Core>,
  served: CatalogItem<ToolEntry>,
  { arguments: args }: QueuedTask,
): Promise<CallToolResult> {
  const identity = await asProtocolError(exchange, { owner: 'loadUser() or context()' }, async () =>
    exchange.resolveCaller(),
  )
  return resultOf(served, exchange, identity, { args })
}

/** Whether the process ends before the tool did: another one runs it. */
function isClosing({ inFlight }: Core, interrupted: Error | undefined): boolean {
  return inFlight.closed && interrupted?.name === 'AbortError' && brandOf(interrupted) !== 'abandoned'
}
