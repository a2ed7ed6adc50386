/** A tool that runs as a task: what it asks, how far it is and what it comes to goes to the store. */

import { duplicateKey, type InputRequest } from '../client-requests/client-request.js'
import { Interrupted } from '../errors/classify-error.js'
import { brandOf, ErrorCode, type McpError, ToolError } from '../errors/errors.js'
import type { CallToolResult, Result } from '../protocol/types.js'
import type { AttachedTask } from '../request/attachments.js'
import { RequestCancelled } from '../request/exchange.js'
import type { RequestServices } from '../request/services.js'
import { longestTimer } from '../support/in-flight.js'
import { reportHostFault } from '../tracing/error-report.js'
import type { TaskExchange } from './services.js'
import { leftOf, type RunningTask, type TaskEnd } from './task.js'
import type { AnswerOutcome, TaskSignal } from './tasks.js'

const nothing = (): void => {}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
}

export class TaskRun implements AttachedTask {
  readonly #exchange: TaskExchange
  #task: RunningTask
  readonly #until: number
  readonly #waiting = new Map<string, Waiting>()
  #stopListening: () => void = nothing
  #timer: ReturnType<typeof setTimeout> | undefined
  #noting = false

  /** From then on the exchange is that of the task, and ends when it is cancelled or too late. */
  static async start(exchange: TaskExchange, task: RunningTask): Promise<TaskRun> {
    const run = new TaskRun(exchange, { ...task, inputRequests: {} })
    run.#stopListening = await exchange.services.tasks.listen(task.id, (signal) => run.#hear(signal))
    const late = new Interrupted('TimeoutError', `the task did not end within ${task.ttlMs} ms`)
    run.#timer = setTimeout(() => exchange.abort(late), Math.min(run.leftMs, longestTimer))
    // Its own time limit takes the place of the call's.
    exchange.pauseClock()
    exchange.task = run
    return run
  }

  private constructor(exchange: TaskExchange, task: RunningTask) {
    this.#exchange = exchange
    this.#task = task
    this.#until = performance.now() + leftOf(task)
  }

  /** Milliseconds that it still has, whatever becomes of the time of day meanwhile. */
  get leftMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** Waits until somebody answers in `tasks/update`, or on the stream of a legacy `tasks/result`. */
  async request(key: string, request: InputRequest): Promise<unknown> {
    if (this.#waiting.has(key)) throw duplicateKey(key)
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(key, { resolve, reject }))
    answered.catch(nothing)
    const stopListening = this.#exchange.onEnd((reason) => this.#waiting.get(key)?.reject(reason))
    try {
      // An attempt before this one may have asked it.
      const before = await this.#exchange.services.tasks.answered(this.#task, key)
      if (before === undefined) await this.#write({ ...this.#task.inputRequests, [key]: request })
      else this.#settle(before)
      return await answered
    } finally {
      stopListening()
      this.#waiting.delete(key)
      const { [key]: asked, ...left } = this.#task.inputRequests
      // The answer counts, whatever becomes of what others see of it.
      if (asked !== undefined) await this.#write(left).catch(nothing)
    }
  }

  /** Tells whoever asks how far it is; the last word counts. */
  note(statusMessage: string): void {
    this.#task = { ...this.#task, statusMessage }
    if (!this.#noting) void this.#writeNote().catch(nothing)
  }

  async #writeNote(): Promise<void> {
    this.#noting = true
    try {
      for (let written: string | undefined; written !== this.#task.statusMessage; ) {
        written = this.#task.statusMessage
        await this.#write(this.#task.inputRequests)
      }
    } finally {
      this.#noting = false
    }
  }

  /** Told once, when the tool is done. */
  async end(end: Omit<TaskEnd, 'at'>): Promise<void> {
    this.leave()
    await this.#exchange.services.tasks.end(this.#task, end, this.leftMs)
  }

  /** Somebody else is to go on with it. */
  leave(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
  }

  #write(inputRequests: RunningTask['inputRequests']): Promise<void> {
    this.#task = { ...this.#task, inputRequests, lastUpdatedAt: new Date().toISOString() }
    return this.#exchange.services.tasks.update(this.#task, this.leftMs)
  }

  #hear(signal: TaskSignal): void {
    if (signal.kind === 'cancel') this.#exchange.abort(new RequestCancelled('the client cancelled the task'))
    if (signal.kind === 'answer' || signal.kind === 'refusal') this.#settle(signal)
    if (signal.kind === 'look') this.#look().catch(nothing)
  }

  /** Whoever answered or cancelled it may have ended before it could say so. */
  async #look(): Promise<void> {
    const { tasks } = this.#exchange.services
    const end = await tasks.endOf(this.#task.id)
    if (end?.status === 'cancelled') this.#hear({ kind: 'cancel' })
    for (const key of this.#waiting.keys()) {
      const answered = await tasks.answered(this.#task, key)
      if (answered !== undefined) this.#settle(answered)
    }
  }

  #settle(signal: AnswerOutcome): void {
    const waiting = this.#waiting.get(signal.key)
    if (signal.kind === 'answer') waiting?.resolve(signal.answer)
    else waiting?.reject(new ToolError(signal.message))
  }
}

/** What a task comes to by what its tool comes to, as the store is to have it. Never rejects. */
export async function endOf(
  { services, request }: TaskExchange,
  outcome: Promise<CallToolResult>,
): Promise<Omit<TaskEnd, 'at'>> {
  try {
    return written(await ended(outcome))
  } catch (error) {
    // Getters and `toJSON` of an author's values may fail when they run again.
    reportHostFault(services, error, request.method)
    return { status: 'failed', error: { code: ErrorCode.InternalError, message: 'Internal error' } }
  }
}

async function ended(outcome: Promise<CallToolResult>): Promise<Omit<TaskEnd, 'at'>> {
  try {
    return { status: 'completed', result: (await outcome) as unknown as Result }
  } catch (error) {
    if (brandOf(error) === 'abandoned') return { status: 'cancelled' }
    if (brandOf(error) !== 'mcp') throw error
    const { code, message, data } = error as McpError
    return { status: 'failed', error: { code, message, ...(data !== undefined && { data }) } }
  }
}

function written<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** While the store is away. Milliseconds. */
const tryAgainMs = 500

/** Tries until the store answers: what came of a task is not lost, nor worked for twice, because the store was away. */
export async function firmly<T>({ inFlight }: RequestServices, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (inFlight.closed) throw error
      await new Promise<void>((resolve) => setTimeout(() => resolve(), tryAgainMs))
    }
  }
}
