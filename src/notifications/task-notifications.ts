/** Tells a subscription how the tasks are that it asked for (Tasks extension, `notifications/tasks`). */

import { lookRegularly } from '../store/looks.js'
import { statusOf, type Task, toDetailedTask } from '../tasks/task.js'
import type { Tasks } from '../tasks/tasks.js'

export interface TaskReader {
  /** False: it is hidden from them now. */
  sees(task: Task): boolean
  notify(params: object): void
}

/** A task that somebody waits for. */
interface Watched {
  readonly id: string
  readonly stops: (() => void)[]
  /** What was told last, so that nothing is told twice. */
  told: string | undefined
  /** It waits to be read, and what changes meanwhile is read with it. */
  isDue: boolean
  isOver: boolean
}

export class TaskNotifications {
  readonly #tasks: Tasks
  readonly #watched: readonly Watched[]
  readonly #reader: TaskReader
  /** One after the other: the state of a task is read anew for each change, and may be large. */
  #last: Promise<void> = Promise.resolve()

  constructor(tasks: Tasks, ids: readonly string[], reader: TaskReader) {
    this.#tasks = tasks
    this.#watched = [...new Set(ids)].map((id) => ({
      id,
      stops: [],
      told: undefined,
      isDue: false,
      isOver: false,
    }))
    this.#reader = reader
  }

  /** Tells of each task as it is now, and whenever that changes, until it has ended. Never throws. */
  start(): void {
    for (const watched of this.#watched) {
      const look = (): void => this.#look(watched)
      void this.#tasks.listen(watched.id, look).then(
        (stop) => (watched.isOver ? stop() : watched.stops.push(stop)),
        // While the store is away, what is looked for is found.
        () => watched.isOver || watched.stops.push(lookRegularly(look)),
      )
      look()
    }
  }

  stop(): void {
    for (const watched of this.#watched) stopWatching(watched)
  }

  #look(watched: Watched): void {
    if (watched.isDue || watched.isOver) return
    watched.isDue = true
    this.#last = this.#last.then(() => this.#tellOf(watched)).catch(nothing)
  }

  async #tellOf(watched: Watched): Promise<void> {
    watched.isDue = false
    if (watched.isOver) return
    const task = await this.#tasks.find(watched.id)
    if (watched.isOver) return
    // Its id is never used again.
    if (task === undefined || task.end !== undefined) stopWatching(watched)
    if (task === undefined || !this.#reader.sees(task)) return
    const state = stateOf(task)
    if (watched.told === state) return
    watched.told = state
    this.#reader.notify(toDetailedTask(task))
  }
}

function stopWatching(watched: Watched): void {
  watched.isOver = true
  for (const stop of watched.stops.splice(0)) stop()
}

/** Changes whenever what is told of it does. Keys of questions are never used again, and an end is written once. */
function stateOf(task: Task): string {
  const { lastUpdatedAt, statusMessage, inputRequests } = task
  return JSON.stringify([statusOf(task), lastUpdatedAt, statusMessage, Object.keys(inputRequests)])
}

const nothing = (): void => {} // a store that is away tells of nothing
