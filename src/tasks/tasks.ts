/**
 * Tasks in the store. The process that runs a task writes it; any machine may read it, answer its requests, or cancel it.
 */

import { runtime } from '#runtime'
import type { InputRequest } from '../client-requests/client-request.js'
import { ErrorCode, refusal } from '../errors/errors.js'
import { PerCaller } from '../sessions/per-caller.js'
import { poll, Retries } from '../store/retries.js'
import type { Store } from '../store/store.js'
import { bytesOf, toBase64Url } from '../support/base64.js'
import { longestTimer } from '../support/in-flight.js'
import type { Log } from '../support/logger.js'
import { parseJson, stringifyJson } from '../support/long-numbers.js'
import { anonymousFactor, type KeptLimits, KeptTasks } from './kept-tasks.js'
import type { RunningTask, Task, TaskEnd } from './task.js'

/** A message about a task to its runner and to those who wait for it. */
export type TaskSignal =
  | { readonly kind: 'cancel' }
  | { readonly kind: 'answer'; readonly key: string; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly key: string; readonly message: string }
  /** The task changed or ended. */
  | { readonly kind: 'change' | 'end' }
  /** Sent regularly within this process: time to check the store, because a message may have been lost. */
  | { readonly kind: 'poll' }

/** The client's answer to one request, or its refusal to answer. */
export type AnswerOutcome = Extract<TaskSignal, { readonly key: string }>

export interface NewTask {
  readonly tool: string
  readonly owner: string | null
  readonly network?: string | undefined
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

/**
 * Milliseconds that keys outlive the TTL, since clocks differ. A task's end and answers get the full TTL, too, rather than
 * the rest of it by the task's age: the system clock may have been set since.
 */
const graceMs = 5_000

export interface TaskLimits extends KeptLimits {
  /** Maximum number of running tasks of one caller. */
  readonly maxRunning: number
}

export class Tasks {
  readonly #store: Store
  readonly #log: Log
  readonly #limits: TaskLimits
  readonly #running: PerCaller
  readonly #runningAnonymous: PerCaller
  readonly #kept: KeptTasks
  /** Signals that couldn't be published. The store already has the data they announce. */
  readonly #unsentSignals = new Retries()
  /** Functions that release the slots of tasks that this machine created and that run elsewhere. */
  readonly #releases = new Set<() => void>()

  constructor(store: Store, log: Log, limits: TaskLimits) {
    this.#store = store
    this.#log = log
    this.#limits = limits
    this.#running = new PerCaller(limits.maxRunning)
    this.#runningAnonymous = new PerCaller(limits.maxRunning * anonymousFactor)
    this.#kept = new KeptTasks(limits, (id, keys) => void this.#drop(id, keys))
  }

  /** Takes a slot for a running task. Throws if the caller has too many. Call `releaseSlot` once the task has ended. */
  acquireSlot(task: TaskCaller): void {
    const { maxRunning } = this.#limits
    const caller = callerKeyOf(task)
    if (!this.#running.acquire(caller)) throw tooManyTasks(`${maxRunning} of one caller`)
    if (this.#runningAnonymous.acquire(anonymousKeyOf(task))) return
    this.#running.release(caller)
    throw tooManyTasks(`${maxRunning * anonymousFactor} of all anonymous callers`)
  }

  releaseSlot(task: TaskCaller): void {
    this.#running.release(callerKeyOf(task))
    this.#runningAnonymous.release(anonymousKeyOf(task))
  }

  /** Releases the slot of a new task that runs elsewhere, once it has ended or its TTL is over. */
  async releaseSlotAtEnd(task: RunningTask): Promise<void> {
    const timer = setTimeout(() => release(), Math.min(task.ttlMs, longestTimer))
    ;(timer as { unref?: () => void }).unref?.()
    let stop: () => void = () => {}
    const release = (): void => {
      clearTimeout(timer)
      stop()
      this.#releases.delete(release)
      this.releaseSlot(task)
    }
    this.#releases.add(release)
    try {
      stop = await this.listen(task.id, async ({ kind }) => {
        const isOver = kind === 'end' || kind === 'cancel'
        const ended = isOver || (kind === 'poll' && (await this.endOf(task.id)) !== undefined)
        if (!ended) return
        this.#kept.end(task.id)
        if (this.#releases.has(release)) release()
      })
    } catch (error) {
      release()
      throw error
    }
  }

  /** Releases all slots of tasks that run elsewhere and stops retries. */
  close(): void {
    for (const left of [...this.#releases]) left()
    this.#unsentSignals.close()
  }

  /** Creates a task. Resolves once the store has it. */
  async create(newTask: NewTask): Promise<RunningTask> {
    const now = new Date().toISOString()
    const id = toBase64Url(runtime.random(18))
    const task: RunningTask = { ...newTask, id, createdAt: now, lastUpdatedAt: now, inputRequests: {} }
    this.#countWrite(task, taskKey(id), JSON.stringify(task))
    await this.#write(task, task.ttlMs)
    return task
  }

  /** Resolves to the task, or to `undefined` if it's unknown or expired. */
  async find(id: string): Promise<Task | undefined> {
    // Keys of ends and answers start with the key of their task: an id must not contain a colon.
    if (!/^[\w-]{24}$/.test(id)) return undefined
    const text = await this.#store.get(taskKey(id))
    if (text === undefined) return undefined
    const task = JSON.parse(text) as RunningTask
    const end = await this.endOf(id)
    if (end !== undefined) return { ...task, inputRequests: {}, answered: [], end }
    return { ...task, ...(await this.#splitRequests(task)), end: undefined }
  }

  /** Resolves to the task's end, if it has ended. */
  async endOf(id: string): Promise<TaskEnd | undefined> {
    const end = await this.#store.get(endKey(id))
    return end === undefined ? undefined : (parseJson(end) as TaskEnd)
  }

  /** Writes a running task. Only its runner may call this. */
  async update(task: RunningTask, leftMs: number): Promise<void> {
    await this.#write(task, leftMs)
    await this.#publish(task.id, { kind: 'change' })
  }

  /**
   * Records answers to the task's requests and ignores other keys. The first answer to a request counts; a second one
   * publishes the first one again.
   */
  async answer(task: Task, answers: Readonly<Record<string, unknown>>): Promise<void> {
    for (const key of [...Object.keys(task.inputRequests), ...task.answered]) {
      if (Object.hasOwn(answers, key))
        await this.#recordAnswer(task, { kind: 'answer', key, answer: answers[key] })
    }
  }

  /** Resolves to the recorded answer to a request of this task, also one from an earlier attempt. */
  async findAnswer({ id }: RunningTask, key: string): Promise<AnswerOutcome | undefined> {
    const text = await this.#store.get(answerKey(id, key))
    return text === undefined ? undefined : (JSON.parse(text) as AnswerOutcome)
  }

  /** Records that the client refuses to answer a request. */
  async refuse(task: Task, key: string, message: string): Promise<void> {
    await this.#recordAnswer(task, { kind: 'refusal', key, message })
  }

  async #recordAnswer(task: Task, signal: AnswerOutcome): Promise<void> {
    const text = JSON.stringify(signal)
    const key = answerKey(task.id, signal.key)
    const existing = await this.#store.claim(key, text, task.ttlMs + graceMs)
    if (existing === undefined) this.#countWrite(task, key, text)
    await this.#publish(task.id, existing === undefined ? signal : (JSON.parse(existing) as AnswerOutcome))
  }

  /**
   * Ends a task. Resolves to `false` if the task had already ended: then its first end stays and is published again.
   * `leftMs` is the rest of the TTL, if known.
   */
  async end(task: RunningTask, end: Omit<TaskEnd, 'at'>, leftMs: number = task.ttlMs): Promise<boolean> {
    const text = this.#serializeEnd({ ...end, at: new Date().toISOString() })
    const existing = await this.#store.claim(endKey(task.id), text, leftMs + graceMs)
    if (existing === undefined) this.#countWrite(task, endKey(task.id), text)
    this.#kept.end(task.id)
    await this.publishEnd(task.id, existing === undefined ? end : (JSON.parse(existing) as TaskEnd))
    return existing === undefined
  }

  /** Publishes that a task has ended, to its runner and those who wait for it. */
  publishEnd(id: string, { status }: Pick<TaskEnd, 'status'>): Promise<void> {
    return this.#publish(id, { kind: status === 'cancelled' ? 'cancel' : 'end' })
  }

  /** Serializes a task's end. A result larger than `maxKeptBytes` makes the task `failed`. */
  #serializeEnd(end: TaskEnd): string {
    const text = stringifyJson(end)
    const { maxKeptBytes } = this.#limits
    const bytes = bytesOf(text)
    if (bytes <= maxKeptBytes) return text
    const message = `The result of the task is too large to keep: ${bytes} bytes; expected at most ${maxKeptBytes} (\`tasks.maxKeptBytes\`)`
    const error = { code: ErrorCode.InternalError, message }
    return JSON.stringify({ status: 'failed', at: end.at, error } satisfies TaskEnd)
  }

  #countWrite(task: RunningTask, key: string, text: string): void {
    const { id, owner, ttlMs } = task
    this.#kept.add(id, { caller: callerKeyOf(task), anonymous: owner === null, key, text, ttlMs })
  }

  /** Deletes a task from the store. Deletes the task's key first: without its end, it would count as running. Never rejects. */
  async #drop(id: string, keys: ReadonlySet<string>): Promise<void> {
    try {
      await this.#store.delete(taskKey(id))
      const others = new Set([endKey(id), ...keys])
      others.delete(taskKey(id))
      await Promise.all([...others].map((key) => this.#store.delete(key)))
    } catch {} // The keys expire anyway.
  }

  /** Subscribes to the signals of one task, including regular `poll` signals. Call the returned function to unsubscribe. */
  async listen(id: string, listener: (signal: TaskSignal) => unknown): Promise<() => void> {
    const stop = await this.#store.subscribe(taskKey(id), (text) => listener(JSON.parse(text) as TaskSignal))
    const stopPolling = poll(() => listener({ kind: 'poll' }))
    return () => {
      stopPolling()
      stop()
    }
  }

  async #splitRequests({
    id,
    inputRequests,
  }: RunningTask): Promise<Pick<Task, 'inputRequests' | 'answered'>> {
    const open: Record<string, InputRequest> = {}
    const answered: string[] = []
    const entries = Object.entries(inputRequests)
    const answers = await Promise.all(entries.map(([key]) => this.#store.get(answerKey(id, key))))
    for (const [index, [key, request]] of entries.entries()) {
      if (answers[index] === undefined) open[key] = request
      else answered.push(key)
    }
    return { inputRequests: open, answered }
  }

  #write(task: RunningTask, leftMs: number): Promise<void> {
    return this.#store.set(taskKey(task.id), JSON.stringify(task), leftMs + graceMs)
  }

  /** Publishes a signal, with retries. Never rejects: the store already has the data that the signal announces. */
  async #publish(id: string, signal: TaskSignal): Promise<void> {
    const text = JSON.stringify(signal)
    const send = (): Promise<void> => this.#store.publish(taskKey(id), text)
    try {
      await send()
    } catch (error) {
      this.#log.warn('the store failed; those who wait for a task are notified once it works again', {
        err: error,
      })
      this.#unsentSignals.add(
        'key' in signal ? answerKey(id, signal.key) : `${taskKey(id)}:${signal.kind}`,
        send,
      )
    }
  }
}

/** The members of a task that identify its caller for limits. */
type TaskCaller = Pick<NewTask, 'owner' | 'network'>

/** The key that counts the caller's tasks; `undefined` for an anonymous caller whose address is unknown. */
function callerKeyOf({ owner, network }: TaskCaller): string | undefined {
  return owner ?? network
}
function anonymousKeyOf({ owner }: TaskCaller): string | undefined {
  return owner === null ? 'anonymous' : undefined
}
function tooManyTasks(limit: string): Error {
  return refusal(
    ErrorCode.InvalidRequest,
    `Too many tasks: expected at most ${limit} at once; wait until one has ended, or cancel one`,
  )
}
function taskKey(id: string): string {
  return `task:${id}`
}
function endKey(id: string): string {
  return `task:${id}:end`
}
function answerKey(id: string, key: string): string {
  return `task:${id}:answer:${key}`
}
