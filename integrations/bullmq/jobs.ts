/** The queue of one router: what it puts in, and what it takes out where it is to. */

import { DelayedError, type Job, Queue, WaitingError, Worker } from 'bullmq'
import type { OpenRunner, QueuedCaller, QueuedTask, Ran, RunnerHost } from '../../src/adapter.js'
import type { BullmqTasksOptions } from './options.js'

/** How long a call waits for the queue. Milliseconds. */
const enqueueMs = 5_000
/** How long a process that ends waits for the queue. Milliseconds. */
const closeMs = 1_000
/** Another process is given this long to take what this one cannot run. */
const elsewhereMs = 1_000

export class Jobs implements OpenRunner {
  readonly #options: BullmqTasksOptions
  readonly #host: RunnerHost
  readonly #name: string
  #queue: Queue<QueuedTask> | undefined
  #worker: Worker<QueuedTask> | undefined
  /** Lost connections are told of once each. */
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
    const added = this.#opened().add(task.tool, task, {
      jobId: task.taskId,
      attempts,
      backoff,
      // Results are in the store; what went wrong is in the log.
      removeOnComplete: true,
      removeOnFail: true,
      stackTraceLimit: 0,
    })
    await within(enqueueMs, added)
  }

  work(): void {
    this.#closing = false
    if (this.#options.worker === false || this.#worker !== undefined) return
    const { concurrency = 10, stalledMs = 30_000 } = this.#options
    this.#worker = new Worker<QueuedTask>(this.#name, (job, token) => this.#run(job, token), {
      ...this.#base(),
      concurrency,
      lockDuration: stalledMs,
      stalledInterval: stalledMs,
    })
    outlive(this.#worker)
    this.#worker.on('error', (error) => this.#tell(error))
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
      // Redis may be away, and BullMQ waits for it.
      await Promise.race([closed, idle.then(() => within(closeMs, closed))])
    } catch (error) {
      this.#tell(error)
      closed.catch(nothing)
      for (const part of parts) part.disconnect().catch(nothing)
    }
  }

  #opened(): Queue<QueuedTask> {
    if (this.#queue === undefined) {
      this.#queue = new Queue<QueuedTask>(this.#name, this.#base())
      outlive(this.#queue)
      this.#queue.on('error', (error) => this.#tell(error))
    }
    return this.#queue
  }

  #base(): Pick<BullmqTasksOptions, 'connection'> & { prefix?: string } {
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
    return this.#conclude(job, token, ran)
  }

  async #conclude(job: Job<QueuedTask>, token: string | undefined, ran: Ran): Promise<void> {
    if (ran === 'faulted') throw new Error('the tool failed; the log of its worker says how')
    if (ran === 'closing') {
      await job.moveToWait(token)
      throw new WaitingError()
    }
    if (ran === 'missing') {
      await job.moveToDelayed(Date.now() + elsewhereMs, token)
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
    throw new Error('expected bullmqTasks() to have `loadUser(id)`, since callers sign in; got none')
  }

  /** BullMQ does not attempt it any more: its processes ended in the middle of it. */
  async #giveUp(job: Job<QueuedTask> | undefined): Promise<void> {
    if (job?.finishedOn === undefined) return
    const { log } = this.#host
    log.error('a task was given up: the processes that ran it ended before it did', {
      taskId: job.data.taskId,
    })
    await this.#host
      .giveUp(job.data.taskId, 'The task was given up: the servers that ran it stopped')
      .catch((error: unknown) =>
        log.error('the end of a task could not be kept: the store failed', { err: error }),
      )
  }

  #tell(error: unknown): void {
    // A process that ends needs no Redis.
    if (this.#closing) return
    if (this.#options.onError !== undefined) this.#options.onError(error)
    else if (!this.#lost) this.#host.log.warn('the queue of tasks cannot be reached', { err: error })
    this.#lost = true
  }
}

/**
 * What BullMQ makes of the app's client goes on to pass its errors on when BullMQ has closed and listens no more: an error
 * that nobody hears would end the process.
 */
function outlive(part: Queue<QueuedTask> | Worker<QueuedTask>): void {
  part.backend.client.then((client) => client.on('error', nothing)).catch(nothing)
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`expected Redis to answer within ${limitMs} ms; it did not`)),
      limitMs,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function nothing(): void {}
