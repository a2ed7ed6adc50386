/** A call that is answered with a task: its tool goes on here, or wherever the router's runner takes it. */

import type { CallToolResult } from '../protocol/types.js'
import { HandedOver, handOver } from './hand-over.js'
import type { TaskExchange } from './services.js'
import type { RunningTask, Task } from './task.js'
import { endOf, firmly, TaskRun } from './task-run.js'
import type { OpenRunner } from './task-runner.js'
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
