/** Runs queued tasks: calls that another process received. */

import { ClientRequests } from '../client-requests/client-requests.js'
import type { ToolEntry } from '../definitions/entries.js'
import type { CatalogItem } from '../definitions/registry.js'
import { brandOf, ErrorCode, refusal } from '../errors/errors.js'
import { methodFor, methodOf } from '../methods/method-table.js'
import { resultOf } from '../methods/tools.js'
import type { Identity } from '../protocol/identity.js'
import { newestRevision, revisions } from '../protocol/revisions.js'
import type { CallToolResult } from '../protocol/types.js'
import { Exchange } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { remainingMsOf, type Task } from '../tasks/task.js'
import { awaitTaskEnd, retryUntilDone, TaskRun } from '../tasks/task-run.js'
import type { Attempt, QueuedCaller, QueuedTask, Ran, RunnerHost } from '../tasks/task-runner.js'
import { asProtocolError } from '../tracing/error-report.js'
import type { Core } from './core.js'
import { isDevelopment } from './router-options.js'

export function runnerHost(core: Core): RunnerHost {
  return {
    name: core.info.name,
    log: core.log,
    run: (queued, attempt) => runQueued(core, queued, attempt).catch(whenClosed(core)),
    giveUp: (taskId, message) => retryUntilDone(core, () => giveUp(core, taskId, message)),
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
  const task = await retryUntilDone(core, () => core.tasks.find(queued.taskId))
  // Cancelled, expired, or finished by a process that died before it could report that.
  if (task === undefined || task.end !== undefined || remainingMsOf(task) === 0) return 'ended'
  if (core.routes.active) await core.routes.refreshFor(queued.tool)
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
    const run = await retryUntilDone(core, () => TaskRun.start(exchange, task))
    const end = await awaitTaskEnd(exchange, attemptOf(exchange, served, queued))
    const again = isClosing(core, interrupted) ? 'closing' : 'faulted'
    const faulted = exchange.failed === 'fault' && !attempt.last && run.remainingMs > 0
    if (again === 'closing' || faulted) {
      run.stop()
      return again
    }
    await retryUntilDone(core, () => run.end(end))
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

/** Whether the process shuts down before the tool finished, so that another one runs it. */
function isClosing({ inFlight }: Core, interrupted: Error | undefined): boolean {
  return inFlight.closed && interrupted?.name === 'AbortError' && brandOf(interrupted) !== 'abandoned'
}

export class QueuedPeer implements Peer {
  readonly request = undefined
  readonly headers = undefined
  readonly scope = undefined
  readonly uris = undefined
  readonly userId = undefined
  readonly ask = undefined
  readonly callerKey = undefined
  readonly isPassedOn = true
  readonly development: boolean
  readonly #caller: QueuedCaller
  readonly #restore: Attempt['restore']

  constructor(caller: QueuedCaller, restore: Attempt['restore'], development: boolean) {
    this.#caller = caller
    this.#restore = restore
    this.development = development
  }

  /** Throws 401 if the user no longer exists. */
  async resolveCaller(): Promise<Identity> {
    const { id, auth, scopes } = this.#caller
    const { user, context } = await this.#restore(this.#caller)
    if (id !== undefined && (user === undefined || user === null)) {
      throw refusal(ErrorCode.Unauthorized, 'The user who started this task is not known any more', {
        status: 401,
      })
    }
    return { user: user ?? undefined, auth, scopes, context }
  }

  negotiated(): never {
    throw new Error('a task was begun by a client that agreed on everything')
  }

  send(): boolean {
    return false
  }

  onDisconnect(): () => void {
    return () => {}
  }

  canNotify(): boolean {
    return false
  }

  reserve(): void {}

  closeStream(): boolean {
    return false
  }
}
