/** A tool that goes on after its call was answered with a task: what it asks and what it comes to goes to the store. */

import type { InputRequest } from '../conversation/question.js'
import { brandOf, ErrorCode, type McpError, ToolError } from '../errors.js'
import { Abandoned, type Exchange } from '../exchange.js'
import { Interrupted } from '../failures/failure.js'
import type { CallToolResult, Result } from '../protocol/types.js'
import { longestTimer } from '../running.js'
import type { RunningTask, Task, TaskEnd } from './task.js'
import type { NewTask, TaskSignal, Tasks } from './tasks.js'

/** Runs `work`; from the moment it calls `begin` on, its call is answered with the task, and its result is the task's. */
export async function runAsTask(
  exchange: Exchange,
  about: NewTask,
  work: (begin: () => Promise<void>) => Promise<CallToolResult>,
): Promise<CallToolResult | TaskRun> {
  let tell: (run: TaskRun) => void
  const begun = new Promise<TaskRun>((resolve) => {
    tell = resolve
  })
  const outcome = work(async () => tell(await TaskRun.start(exchange, about)))
  const first = await Promise.race([begun, outcome])
  if (first instanceof TaskRun) void conclude(exchange, first, outcome)
  return first
}

/** Never rejects. */
async function conclude(exchange: Exchange, run: TaskRun, outcome: Promise<CallToolResult>): Promise<void> {
  const { core } = exchange
  try {
    await run.end(await endOf(outcome))
  } catch (error) {
    core.log.error('the end of a task could not be kept: the store failed', {
      err: error,
      taskId: run.created.id,
    })
  } finally {
    exchange.finish()
    core.running.delete(exchange)
  }
}

async function endOf(outcome: Promise<CallToolResult>): Promise<Omit<TaskEnd, 'at'>> {
  try {
    return { status: 'completed', result: (await outcome) as unknown as Result }
  } catch (error) {
    if (brandOf(error) === 'abandoned') return { status: 'cancelled' }
    if (brandOf(error) !== 'mcp')
      return { status: 'failed', error: { code: ErrorCode.InternalError, message: 'Internal error' } }
    const { code, message, data } = error as McpError
    return { status: 'failed', error: { code, message, ...(data !== undefined && { data }) } }
  }
}

async function created(tasks: Tasks, about: NewTask): Promise<RunningTask> {
  try {
    return await tasks.create(about)
  } catch (error) {
    tasks.leave(about.owner)
    throw error
  }
}

const nothing = (): void => {}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
}

export class TaskRun {
  readonly #exchange: Exchange
  readonly #created: Task
  #task: RunningTask
  readonly #waiting = new Map<string, Waiting>()
  #asked = 0
  #stopListening: () => void = () => {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Resolves once a `tasks/get` would find it. From then on the call's client does not end it by leaving. */
  static async start(exchange: Exchange, about: NewTask): Promise<TaskRun> {
    const { tasks } = exchange.core
    tasks.enter(about.owner)
    const run = new TaskRun(exchange, await created(tasks, about))
    run.#stopListening = await tasks.listen(run.#task.id, (signal) => run.#hear(signal))
    // It may have been cancelled meanwhile, and then nobody knows of the task.
    if (exchange.isOver) {
      await run.end({ status: 'cancelled' })
      exchange.assertOpen()
    }
    const late = new Interrupted('TimeoutError', `the task did not end within ${about.ttlMs} ms`)
    run.#timer = setTimeout(() => exchange.abort(late), Math.min(about.ttlMs, longestTimer))
    // Its own time limit takes the place of the call's.
    exchange.stopClock()
    exchange.task = run
    return run
  }

  private constructor(exchange: Exchange, task: RunningTask) {
    this.#exchange = exchange
    this.#task = task
    this.#created = { ...task, end: undefined }
  }

  /** As it began: what the call is answered with. */
  get created(): Task {
    return this.#created
  }

  /** Waits until somebody answers in `tasks/update`, or on the stream of a legacy `tasks/result`. */
  async ask(request: InputRequest): Promise<unknown> {
    this.#asked += 1
    const key = `input-${this.#asked}`
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(key, { resolve, reject }))
    answered.catch(nothing)
    const stopListening = this.#exchange.whenOver((reason) => this.#waiting.get(key)?.reject(reason))
    try {
      await this.#write({ ...this.#task.inputRequests, [key]: request })
      return await answered
    } finally {
      stopListening()
      this.#waiting.delete(key)
      const { [key]: _, ...left } = this.#task.inputRequests
      // The answer counts, whatever becomes of what others see of it.
      await this.#write(left).catch(nothing)
    }
  }

  /** Told once, when the tool is done. */
  async end(end: Omit<TaskEnd, 'at'>): Promise<void> {
    clearTimeout(this.#timer)
    this.#stopListening()
    this.#exchange.core.tasks.leave(this.#task.owner)
    await this.#exchange.core.tasks.end(this.#task, end)
  }

  #write(inputRequests: RunningTask['inputRequests']): Promise<void> {
    this.#task = { ...this.#task, inputRequests, lastUpdatedAt: new Date().toISOString() }
    return this.#exchange.core.tasks.update(this.#task)
  }

  #hear(signal: TaskSignal): void {
    if (signal.kind === 'cancel') this.#exchange.abort(new Abandoned('the client cancelled the task'))
    if (signal.kind !== 'answer' && signal.kind !== 'refusal') return
    const waiting = this.#waiting.get(signal.key)
    this.#waiting.delete(signal.key)
    if (signal.kind === 'answer') waiting?.resolve(signal.answer)
    else waiting?.reject(new ToolError(signal.message))
  }
}
