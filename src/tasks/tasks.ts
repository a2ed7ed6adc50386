/** Tasks in the store: whoever runs one writes it, anybody may ask for it, answer it or cancel it, on any machine. */

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
import { anonymousShare, type KeptLimits, KeptTasks } from './kept-tasks.js'
import type { RunningTask, Task, TaskEnd } from './task.js'

/** What the runner of a task hears. */
export type TaskSignal =
  | { readonly kind: 'cancel' }
  | { readonly kind: 'answer'; readonly key: string; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly key: string; readonly message: string }
  /** Something changed, or it has ended: for those who wait for that. */
  | { readonly kind: 'change' | 'end' }
  /** Nobody said anything: time to look for oneself. */
  | { readonly kind: 'look' }

/** What was said to one question. */
export type AnswerOutcome = Extract<TaskSignal, { readonly key: string }>

export interface NewTask {
  readonly tool: string
  readonly owner: string | null
  readonly network?: string | undefined
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

/**
 * Kept a little longer than promised: clocks differ. What is said of a task is kept no shorter than the task itself, and
 * never by its age: the time of day may have been set since. Milliseconds.
 */
const grace = 5_000

export interface TaskLimits extends KeptLimits {
  /** Of one caller. */
  readonly maxRunning: number
}

export class Tasks {
  readonly #store: Store
  readonly #log: Log
  readonly #limits: TaskLimits
  readonly #running: PerCaller
  readonly #ofAnonymous: PerCaller
  readonly #kept: KeptTasks
  /** What the store keeps and did not pass on. */
  readonly #untold = new Retries()
  /** One for each that this machine began and that runs elsewhere. */
  readonly #watching = new Set<() => void>()

  constructor(store: Store, log: Log, limits: TaskLimits) {
    this.#store = store
    this.#log = log
    this.#limits = limits
    this.#running = new PerCaller(limits.maxRunning)
    this.#ofAnonymous = new PerCaller(limits.maxRunning * anonymousShare)
    this.#kept = new KeptTasks(limits, (id, keys) => void this.#drop(id, keys))
  }

  /** Throws where a caller has too many of them already; else call `leave` when it has ended. */
  enter(task: Holder): void {
    const { maxRunning } = this.#limits
    const caller = callerOf(task)
    if (!this.#running.take(caller)) throw tooMany(`${maxRunning} of one caller`)
    if (this.#ofAnonymous.take(anonymousOf(task))) return
    this.#running.give(caller)
    throw tooMany(`${maxRunning * anonymousShare} of all anonymous callers`)
  }

  leave(task: Holder): void {
    this.#running.give(callerOf(task))
    this.#ofAnonymous.give(anonymousOf(task))
  }

  /** Calls `leave` for one that was just created and runs elsewhere: once it has ended, or its time is over. */
  async leaveAtEnd(task: RunningTask): Promise<void> {
    const timer = setTimeout(() => left(), Math.min(task.ttlMs, longestTimer))
    ;(timer as { unref?: () => void }).unref?.()
    let stop: () => void = () => {}
    const left = (): void => {
      clearTimeout(timer)
      stop()
      this.#watching.delete(left)
      this.leave(task)
    }
    this.#watching.add(left)
    try {
      stop = await this.listen(task.id, async ({ kind }) => {
        const over = kind === 'end' || kind === 'cancel'
        const ended = over || (kind === 'look' && (await this.endOf(task.id)) !== undefined)
        if (!ended) return
        this.#kept.end(task.id)
        if (this.#watching.has(left)) left()
      })
    } catch (error) {
      left()
      throw error
    }
  }

  /** Of those that run elsewhere nothing is heard any more. */
  close(): void {
    for (const left of [...this.#watching]) left()
    this.#untold.close()
  }

  /** Resolves once anybody would find it. */
  async create(about: NewTask): Promise<RunningTask> {
    const now = new Date().toISOString()
    const id = toBase64Url(runtime.random(18))
    const task: RunningTask = { ...about, id, createdAt: now, lastUpdatedAt: now, inputRequests: {} }
    this.#count(task, taskKey(id), JSON.stringify(task))
    await this.#write(task, task.ttlMs)
    return task
  }

  /** `undefined`: unknown or expired. */
  async find(id: string): Promise<Task | undefined> {
    // Other keys of ours begin like that of a task.
    if (!/^[\w-]{24}$/.test(id)) return undefined
    const text = await this.#store.get(taskKey(id))
    if (text === undefined) return undefined
    const task = JSON.parse(text) as RunningTask
    const end = await this.endOf(id)
    if (end !== undefined) return { ...task, inputRequests: {}, answered: [], end }
    return { ...task, ...(await this.#asked(task)), end: undefined }
  }

  /** How it ended, where it has. */
  async endOf(id: string): Promise<TaskEnd | undefined> {
    const end = await this.#store.get(endKey(id))
    return end === undefined ? undefined : (parseJson(end) as TaskEnd)
  }

  /** For the one that runs it alone, and knows how long it still has. */
  async update(task: RunningTask, leftMs: number): Promise<void> {
    await this.#write(task, leftMs)
    await this.#tell(task.id, { kind: 'change' })
  }

  /** Takes the answers to what is asked; ignores those to anything else. A second one passes the first one on again. */
  async answer(task: Task, answers: Readonly<Record<string, unknown>>): Promise<void> {
    for (const key of [...Object.keys(task.inputRequests), ...task.answered]) {
      if (Object.hasOwn(answers, key)) await this.#settle(task, { kind: 'answer', key, answer: answers[key] })
    }
  }

  /** What was said to a question of this task before, whoever asked it then. */
  async answered({ id }: RunningTask, key: string): Promise<AnswerOutcome | undefined> {
    const text = await this.#store.get(answerKey(id, key))
    return text === undefined ? undefined : (JSON.parse(text) as AnswerOutcome)
  }

  /** The client will not answer this one. */
  async refuse(task: Task, key: string, message: string): Promise<void> {
    await this.#settle(task, { kind: 'refusal', key, message })
  }

  async #settle(task: Task, signal: AnswerOutcome): Promise<void> {
    const text = JSON.stringify(signal)
    const key = answerKey(task.id, signal.key)
    const taken = await this.#store.claim(key, text, task.ttlMs + grace)
    if (taken === undefined) this.#count(task, key, text)
    await this.#tell(task.id, taken === undefined ? signal : (JSON.parse(taken) as AnswerOutcome))
  }

  /** False: it had ended before, stays as it was, and that is told again. `leftMs`: how long it still had, where that is known. */
  async end(task: RunningTask, end: Omit<TaskEnd, 'at'>, leftMs: number = task.ttlMs): Promise<boolean> {
    const text = this.#fitting({ ...end, at: new Date().toISOString() })
    const taken = await this.#store.claim(endKey(task.id), text, leftMs + grace)
    if (taken === undefined) this.#count(task, endKey(task.id), text)
    this.#kept.end(task.id)
    await this.tellEnd(task.id, taken === undefined ? end : (JSON.parse(taken) as TaskEnd))
    return taken === undefined
  }

  /** Tells whoever runs it, or waits for it, that it has ended. */
  tellEnd(id: string, { status }: Pick<TaskEnd, 'status'>): Promise<void> {
    return this.#tell(id, { kind: status === 'cancelled' ? 'cancel' : 'end' })
  }

  /** As JSON: a result that is larger than everything that a caller may keep makes the task a failed one. */
  #fitting(end: TaskEnd): string {
    const text = stringifyJson(end)
    const { maxKeptBytes } = this.#limits
    const bytes = bytesOf(text)
    if (bytes <= maxKeptBytes) return text
    const message = `The result of the task is too large to be kept: ${bytes} bytes; expected at most ${maxKeptBytes} (\`tasks.maxKeptBytes\`)`
    const error = { code: ErrorCode.InternalError, message }
    return JSON.stringify({ status: 'failed', at: end.at, error } satisfies TaskEnd)
  }

  #count(task: RunningTask, key: string, text: string): void {
    const { id, owner, ttlMs } = task
    this.#kept.add(id, { caller: callerOf(task), anonymous: owner === null, key, text, ttlMs })
  }

  /** Never rejects. The task goes first: without its end it would be a running one again. */
  async #drop(id: string, keys: ReadonlySet<string>): Promise<void> {
    try {
      await this.#store.delete(taskKey(id))
      const others = new Set([endKey(id), ...keys])
      others.delete(taskKey(id))
      await Promise.all([...others].map((key) => this.#store.delete(key)))
    } catch {} // it goes when its time is over
  }

  /** Hears what concerns one task, and when to look for oneself; call what it resolves to, to stop. */
  async listen(id: string, listener: (signal: TaskSignal) => unknown): Promise<() => void> {
    const stop = await this.#store.subscribe(taskKey(id), (text) => listener(JSON.parse(text) as TaskSignal))
    const stopLooking = poll(() => listener({ kind: 'look' }))
    return () => {
      stopLooking()
      stop()
    }
  }

  async #asked({ id, inputRequests }: RunningTask): Promise<Pick<Task, 'inputRequests' | 'answered'>> {
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
    return this.#store.set(taskKey(task.id), JSON.stringify(task), leftMs + grace)
  }

  /** Never rejects: what is told is in the store already. */
  async #tell(id: string, signal: TaskSignal): Promise<void> {
    const text = JSON.stringify(signal)
    const work = (): Promise<void> => this.#store.publish(taskKey(id), text)
    try {
      await work()
    } catch (error) {
      this.#log.warn('the store failed; who waits for a task is told once it works again', { err: error })
      this.#untold.add('key' in signal ? answerKey(id, signal.key) : `${taskKey(id)}:${signal.kind}`, work)
    }
  }
}

/** Whom a task counts for. */
type Holder = Pick<NewTask, 'owner' | 'network'>

/** `undefined`: an anonymous caller whose address nobody knows. */
function callerOf({ owner, network }: Holder): string | undefined {
  return owner ?? network
}
function anonymousOf({ owner }: Holder): string | undefined {
  return owner === null ? 'anonymous' : undefined
}
function tooMany(most: string): Error {
  return refusal(
    ErrorCode.InvalidRequest,
    `Too many tasks: expected at most ${most} at once; wait until one has ended, or cancel one`,
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
