/** The queue and the worker of one router. */

import { DelayedError, type Job, Queue, WaitingError, Worker } from 'bullmq'
import type { OpenRunner, QueuedCaller, QueuedTask, Ran, RunnerHost } from '../../src/adapter.js'
import type { BullmqTasksOptions } from './options.js'

/** How long a call waits for its job to be added. Milliseconds. */
const enqueueMs = 5_000
/** How long a closing process waits for the queue to close. Milliseconds. */
const closeMs = 1_000
/** How long a job is delayed so that another process takes it, if this process doesn't have the tool. Milliseconds. */
const missingToolDelayMs = 1_000

export class TaskQueue implements OpenRunner {
  readonly #options: BullmqTasksOptions
  readonly #host: RunnerHost
  readonly #name: string
  #queue: Queue<QueuedTask> | undefined
  #worker: Worker<QueuedTask> | undefined
  /** Set while the connection is lost, so that each loss is logged once. */
  #lost = false
  #closing = false

  constructor(options: BullmqTasksOptions, host: RunnerHost) {
    this.#options = options
    this.#host = host
    this.#name = options.queue ?? `mcp-router-${host.name.replaceAll(':', '-')}`
  }

  async enqueue(task: QueuedTask): Promise<void> {
    const { attempts = 1, backoff = { type: 'exponential', delay: 1_000 } } = this.#options
    if (task.caller.id !== undefined) this.#assertLoadsUsers()
    const added = this.#openQueue().add(task.tool, task, {
      jobId: task.taskId,
      attempts,
      backoff,
      // The store keeps the results, and the log the errors.
      removeOnComplete: true,
      removeOnFail: true,
      stackTraceLimit: 0,
    })
    await withTimeout(enqueueMs, added)
  }

  work(): void {
    this.#closing = false
    if (this.#options.worker === false || this.#worker !== undefined) return
    const { concurrency = 10, stalledMs = 30_000 } = this.#options
    this.#worker = new Worker<QueuedTask>(this.#name, (job, token) => this.#run(job, token), {
      ...this.#connectionOptions(),
      concurrency,
      lockDuration: stalledMs,
      stalledInterval: stalledMs,
    })
    ignoreLateErrors(this.#worker)
    this.#worker.on('error', (error) => this.#reportError(error))
    this.#worker.on('ready', () => {
      this.#lost = false
    })
    this.#worker.on('failed', (job) => void this.#giveUp(job))
  }

  async close(idle: Promise<unknown>): Promise<void> {
    this.#closing = true
    const parts = [this.#worker, this.#queue].filter((part) => part !== undefined)
    this.#worker = undefined
    this.#queue = undefined
    const closed = Promise.all(parts.map((part) => part.close()))
    try {
      // BullMQ would wait for an unreachable Redis without limit.
      await Promise.race([closed, idle.then(() => withTimeout(closeMs, closed))])
    } catch (error) {
      this.#reportError(error)
      closed.catch(nothing)
      for (const part of parts) part.disconnect().catch(nothing)
    }
  }

  #openQueue(): Queue<QueuedTask> {
    if (this.#queue === undefined) {
      this.#queue = new Queue<QueuedTask>(this.#name, this.#connectionOptions())
      ignoreLateErrors(this.#queue)
      this.#queue.on('error', (error) => this.#reportError(error))
    }
    return this.#queue
  }

  #connectionOptions(): Pick<BullmqTasksOptions, 'connection'> & { prefix?: string } {
    const { connection, prefix } = this.#options
    return { connection, ...(prefix !== undefined && { prefix }) }
  }

  async #run(job: Job<QueuedTask>, token: string | undefined): Promise<void> {
    const { attempts = 1 } = job.opts
    const ran = await this.#host.run(job.data, {
      last: job.attemptsMade + 1 >= attempts,
      missingToolMs: this.#options.missingToolMs ?? 60_000,
      restore: (caller) => this.#restore(caller),
    })
    return this.#finish(job, token, ran)
  }

  async #finish(job: Job<QueuedTask>, token: string | undefined, ran: Ran): Promise<void> {
    if (ran === 'faulted') throw new Error('the tool failed; the log of its worker has the error')
    if (ran === 'closing') {
      await job.moveToWait(token)
      throw new WaitingError()
    }
    if (ran === 'missing') {
      await job.moveToDelayed(Date.now() + missingToolDelayMs, token)
      throw new DelayedError()
    }
  }

  async #restore(caller: QueuedCaller): Promise<{ user: unknown; context: object | undefined }> {
    const known = { id: caller.id, tenant: caller.tenant, auth: caller.auth }
    const { loadUser, context } = this.#options
    if (caller.id !== undefined) this.#assertLoadsUsers()
    const user = caller.id === undefined ? undefined : await loadUser?.(caller.id, known)
    return { user, context: await context?.(known) }
  }

  #assertLoadsUsers(): void {
    if (this.#options.loadUser !== undefined) return
    throw new Error('expected bullmqTasks() to have `loadUser(id)`, because callers sign in; got none')
  }

  /** Fails the task of a job that BullMQ won't attempt again because its processes stopped while they ran it. */
  async #giveUp(job: Job<QueuedTask> | undefined): Promise<void> {
    if (job?.finishedOn === undefined) return
    const { log } = this.#host
    log.error('a task was given up: the processes that ran it stopped before it ended', {
      taskId: job.data.taskId,
    })
    await this.#host
      .giveUp(job.data.taskId, 'The task was given up: the servers that ran it stopped')
      .catch((error: unknown) =>
        log.error('the result of a task could not be stored: the store failed', { err: error }),
      )
  }

  #reportError(error: unknown): void {
    // A closing process doesn't need Redis any more.
    if (this.#closing) return
    if (this.#options.onError !== undefined) this.#options.onError(error)
    else if (!this.#lost) this.#host.log.warn('the task queue cannot be reached', { err: error })
    this.#lost = true
  }
}

/**
 * Adds an error listener that stays. BullMQ wraps the app's client; after BullMQ has closed and removed its listeners, the
 * wrapper still emits `error`, and without a listener that would end the process.
 */
function ignoreLateErrors(part: Queue<QueuedTask> | Worker<QueuedTask>): void {
  part.backend.client.then((client) => client.on('error', nothing)).catch(nothing)
}

async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`expected Redis to answer within ${limitMs} ms; it did not`)),
      limitMs,
    )
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function nothing(): void {}
