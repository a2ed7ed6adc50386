/** Tasks in the store: whoever runs one writes it, anybody may ask for it, answer it or cancel it, on any machine. */

import { runtime } from '#runtime'
import { toBase64Url } from '../base64.js'
import type { InputRequest } from '../conversation/question.js'
import { ErrorCode, refusal } from '../errors.js'
import type { Log } from '../log.js'
import { longestTimer } from '../running.js'
import { lookRegularly } from '../store/looks.js'
import { Retries } from '../store/retries.js'
import type { Store } from '../store/store.js'
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
export type Answered = Extract<TaskSignal, { readonly key: string }>

export interface NewTask {
  readonly tool: string
  readonly owner: string | null
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

/**
 * Kept a little longer than promised: clocks differ. What is said of a task is kept no shorter than the task itself, and
 * never by its age: the time of day may have been set since. Milliseconds.
 */
const grace = 5_000

export class Tasks {
  readonly #store: Store
  readonly #log: Log
  readonly #maxRunning: number
  /** What the store keeps and did not pass on. */
  readonly #untold = new Retries()
  /** Here, by their owner. */
  readonly #running = new Map<string | null, number>()
  /** One for each that this machine began and that runs elsewhere. */
  readonly #watching = new Set<() => void>()

  constructor(store: Store, log: Log, maxRunning: number) {
    this.#store = store
    this.#log = log
    this.#maxRunning = maxRunning
  }

  /** Throws where a caller has too many of them already; else call `leave` when it has ended. */
  enter(owner: string | null): void {
    const count = this.#running.get(owner) ?? 0
    if (count >= this.#maxRunning) {
      throw refusal(
        ErrorCode.InvalidRequest,
        `Too many tasks: expected at most ${this.#maxRunning} of one caller at once; wait until one has ended, or cancel one`,
      )
    }
    this.#running.set(owner, count + 1)
  }

  leave(owner: string | null): void {
    const count = (this.#running.get(owner) ?? 1) - 1
    if (count > 0) this.#running.set(owner, count)
    else this.#running.delete(owner)
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
      this.leave(task.owner)
    }
    this.#watching.add(left)
    try {
      stop = await this.listen(task.id, async ({ kind }) => {
        const over = kind === 'end' || kind === 'cancel'
        const ended = over || (kind === 'look' && (await this.endOf(task.id)) !== undefined)
        if (ended && this.#watching.has(left)) left()
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
    return end === undefined ? undefined : (JSON.parse(end) as TaskEnd)
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
  async answered({ id }: RunningTask, key: string): Promise<Answered | undefined> {
    const text = await this.#store.get(answerKey(id, key))
    return text === undefined ? undefined : (JSON.parse(text) as Answered)
  }

  /** The client will not answer this one. */
  async refuse(task: Task, key: string, message: string): Promise<void> {
    await this.#settle(task, { kind: 'refusal', key, message })
  }

  async #settle(task: Task, signal: Answered): Promise<void> {
    const text = JSON.stringify(signal)
    const taken = await this.#store.claim(answerKey(task.id, signal.key), text, task.ttlMs + grace)
    await this.#tell(task.id, taken === undefined ? signal : (JSON.parse(taken) as Answered))
  }

  /** False: it had ended before, stays as it was, and that is told again. `leftMs`: how long it still had, where that is known. */
  async end(task: RunningTask, end: Omit<TaskEnd, 'at'>, leftMs: number = task.ttlMs): Promise<boolean> {
    const text = JSON.stringify({ ...end, at: new Date().toISOString() })
    const taken = await this.#store.claim(endKey(task.id), text, leftMs + grace)
    await this.tellEnd(task.id, taken === undefined ? end : (JSON.parse(taken) as TaskEnd))
    return taken === undefined
  }

  /** Tells whoever runs it, or waits for it, that it has ended. */
  tellEnd(id: string, { status }: Pick<TaskEnd, 'status'>): Promise<void> {
    return this.#tell(id, { kind: status === 'cancelled' ? 'cancel' : 'end' })
  }

  /** Hears what concerns one task, and when to look for oneself; call what it resolves to, to stop. */
  async listen(id: string, listener: (signal: TaskSignal) => unknown): Promise<() => void> {
    const stop = await this.#store.subscribe(taskKey(id), (text) => listener(JSON.parse(text) as TaskSignal))
    const stopLooking = lookRegularly(() => listener({ kind: 'look' }))
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

function taskKey(id: string): string {
  return `task:${id}`
}
function endKey(id: string): string {
  return `task:${id}:end`
}
function answerKey(id: string, key: string): string {
  return `task:${id}:answer:${key}`
}
