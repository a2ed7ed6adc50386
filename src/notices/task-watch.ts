/** Tells a subscription how the tasks are that it asked for (Tasks extension, `notifications/tasks`). */

import { stringifyJson } from '../protocol/long-numbers.js'
import { lookRegularly } from '../store/looks.js'
import { type Task, toDetailedTask } from '../tasks/task.js'
import type { Tasks } from '../tasks/tasks.js'

export interface TaskReader {
  /** False: it is hidden from them now. */
  sees(task: Task): boolean
  tell(params: object): void
}

export class TaskWatch {
  readonly #tasks: Tasks
  readonly #ids: readonly string[]
  readonly #reader: TaskReader
  readonly #stops: (() => void)[] = []
  /** What was told last of each, so that nothing is told twice. */
  readonly #told = new Map<string, string>()
  /** One after the other: the state of a task is read anew for each change. */
  #last: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(tasks: Tasks, ids: readonly string[], reader: TaskReader) {
    this.#tasks = tasks
    this.#ids = ids
    this.#reader = reader
  }

  /** Tells of each task as it is now, and whenever that changes. Never throws. */
  start(): void {
    for (const id of this.#ids) {
      void this.#tasks
        .listen(id, ({ kind }) => kind !== 'look' && this.#look(id))
        .then(
          (stop) => (this.#stopped ? stop() : this.#stops.push(stop)),
          () => {}, // while the store is away, what is looked for is found
        )
      this.#stops.push(lookRegularly(() => this.#look(id)))
      this.#look(id)
    }
  }

  stop(): void {
    this.#stopped = true
    for (const stop of this.#stops) stop()
  }

  #look(id: string): void {
    this.#last = this.#last.then(() => this.#tellOf(id)).catch(nothing)
  }

  async #tellOf(id: string): Promise<void> {
    const task = await this.#tasks.find(id)
    if (task === undefined || this.#stopped || !this.#reader.sees(task)) return
    const params = toDetailedTask(task)
    const text = stringifyJson(params)
    if (this.#told.get(id) === text) return
    this.#told.set(id, text)
    this.#reader.tell(params)
  }
}

const nothing = (): void => {} // a store that is away tells of nothing
