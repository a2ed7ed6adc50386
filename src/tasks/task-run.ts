/** The run of a tool as a task: writes its client requests, status messages and result to the store. */

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
import { type RunningTask, remainingMsOf, type TaskEnd } from './task.js'
import type { AnswerOutcome, TaskSignal } from './tasks.js'

const nothing = (): void => {}

interface PendingAnswer {
  resolve(answer: unknown): void
  reject(error: Error): void
}

export class TaskRun implements AttachedTask {
  readonly #exchange: TaskExchange
  #task: RunningTask
  readonly #deadline: number
  readonly #pending = new Map<string, PendingAnswer>()
  #stopListening: () => void = nothing
  #timer: ReturnType<typeof setTimeout> | undefined
  #isWritingNote = false

  /** Starts the run. From then on the exchange belongs to the task: it ends on cancellation or when the TTL is over. */
  static async start(exchange: TaskExchange, task: RunningTask): Promise<TaskRun> {
    const run = new TaskRun(exchange, { ...task, inputRequests: {} })
    run.#stopListening = await exchange.services.tasks.listen(task.id, (signal) => run.#handleSignal(signal))
    const timeout = new Interrupted('TimeoutError', `the task did not end within ${task.ttlMs} ms`)
    run.#timer = setTimeout(() => exchange.abort(timeout), Math.min(run.remainingMs, longestTimer))
    // The task's TTL replaces the call's time limit.
    exchange.pauseClock()
    exchange.task = run
    return run
  }

  private constructor(exchange: TaskExchange, task: RunningTask) {
    this.#exchange = exchange
    this.#task = task
    this.#deadline = performance.now() + remainingMsOf(task)
  }

  /** Milliseconds until the TTL is over, on a monotonic clock. */
  get remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now())
  }

  /** Adds a request to the client and waits for the answer in `tasks/update`, or on the stream of a legacy `tasks/result`. */
  async request(key: string, request: InputRequest): Promise<unknown> {
    if (this.#pending.has(key)) throw duplicateKey(key)
    const answered = new Promise<unknown>((resolve, reject) => this.#pending.set(key, { resolve, reject }))
    answered.catch(nothing)
    const stopListening = this.#exchange.onEnd((reason) => this.#pending.get(key)?.reject(reason))
    try {
      // An earlier attempt may have made this request and got its answer.
      const before = await this.#exchange.services.tasks.findAnswer(this.#task, key)
      if (before === undefined) await this.#write({ ...this.#task.inputRequests, [key]: request })
      else this.#settle(before)
      return await answered
    } finally {
      stopListening()
      this.#pending.delete(key)
      const { [key]: closed, ...open } = this.#task.inputRequests
      // The answer counts even if this write fails.
      if (closed !== undefined) await this.#write(open).catch(nothing)
    }
  }

  /** Sets the status message. While a write is running, only the latest message is written next. */
  note(statusMessage: string): void {
    this.#task = { ...this.#task, statusMessage }
    if (!this.#isWritingNote) void this.#writeNote().catch(nothing)
  }

  async #writeNote(): Promise<void> {
    this.#isWritingNote = true
    try {
      for (let toPlainJson: string | undefined; toPlainJson !== this.#task.statusMessage; ) {
        toPlainJson = this.#task.statusMessage
        await this.#write(this.#task.inputRequests)
      }
    } finally {
      this.#isWritingNote = false
    }
  }

  /** Writes the task's end. Call it once, when the tool has ended. */
  async end(end: Omit<TaskEnd, 'at'>): Promise<void> {
    this.stop()
    await this.#exchange.services.tasks.end(this.#task, end, this.remainingMs)
  }

  /** Stops the timer and the subscription without ending the task. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
  }

  #write(inputRequests: RunningTask['inputRequests']): Promise<void> {
    this.#task = { ...this.#task, inputRequests, lastUpdatedAt: new Date().toISOString() }
    return this.#exchange.services.tasks.update(this.#task, this.remainingMs)
  }

  #handleSignal(signal: TaskSignal): void {
    if (signal.kind === 'cancel') this.#exchange.abort(new RequestCancelled('the client cancelled the task'))
    if (signal.kind === 'answer' || signal.kind === 'refusal') this.#settle(signal)
    if (signal.kind === 'poll') this.#checkStore().catch(nothing)
  }

  /** Reads answers and cancellations from the store, since the process that wrote one may die before it publishes it. */
  async #checkStore(): Promise<void> {
    const { tasks } = this.#exchange.services
    const end = await tasks.endOf(this.#task.id)
    if (end?.status === 'cancelled') this.#handleSignal({ kind: 'cancel' })
    for (const key of this.#pending.keys()) {
      const answered = await tasks.findAnswer(this.#task, key)
      if (answered !== undefined) this.#settle(answered)
    }
  }

  #settle(signal: AnswerOutcome): void {
    const waiting = this.#pending.get(signal.key)
    if (signal.kind === 'answer') waiting?.resolve(signal.answer)
    else waiting?.reject(new ToolError(signal.message))
  }
}

/** Converts the outcome of the tool to the task's end, as plain JSON for the store. Never rejects. */
export async function awaitTaskEnd(
  { services, request }: TaskExchange,
  outcome: Promise<CallToolResult>,
): Promise<Omit<TaskEnd, 'at'>> {
  try {
    return written(await toTaskEnd(outcome))
  } catch (error) {
    // Getters and `toJSON` of the tool's values may throw.
    reportHostFault(services, error, request.method)
    return { status: 'failed', error: { code: ErrorCode.InternalError, message: 'Internal error' } }
  }
}

async function toTaskEnd(outcome: Promise<CallToolResult>): Promise<Omit<TaskEnd, 'at'>> {
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

/** Milliseconds between two tries while the store fails. */
const retryMs = 500

/** Retries `work` until it succeeds, so that a store failure neither loses a task's result nor makes the task run twice. */
export async function retryUntilDone<T>({ inFlight }: RequestServices, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (inFlight.closed) throw error
      await new Promise<void>((resolve) => setTimeout(() => resolve(), retryMs))
    }
  }
}
