/** One `subscriptions/listen` of a 2026-07-28 client: open until the client leaves, or the server ends it. */

import { notification } from '../protocol/jsonrpc.js'
import type { RequestId } from '../protocol/types.js'
import { poll } from '../store/retries.js'
import { jsonText } from '../support/long-numbers.js'
import { statusOf, type Task, toDetailedTask } from '../tasks/task.js'
import type { Tasks } from '../tasks/tasks.js'
import {
  type ListName,
  listChanged,
  type Notification,
  resourceUpdated,
  taskNotification,
} from './notification.js'
import type { Listener } from './notification-hub.js'
import type { NotificationServices } from './services.js'
import type { VisibilityFilter } from './visibility-filter.js'

/** What a client is told of: lists, and the URIs of resources. */
export interface Filter {
  readonly lists: readonly ListName[]
  /** `undefined`: not asked for. */
  readonly uris: ReadonlySet<string> | undefined
  /** Ids of tasks; `undefined`: not asked for. */
  readonly tasks: readonly string[] | undefined
}

export const listFields: Readonly<Record<ListName, string>> = {
  tools: 'toolsListChanged',
  resources: 'resourcesListChanged',
  prompts: 'promptsListChanged',
}

/** What a subscription is read from. */
export interface Channel {
  /** False: it cannot be sent, or the reader is too far behind. */
  notify(json: string): boolean
  /** The last message. */
  finish(json: string): void
}

export class Subscription implements Listener {
  readonly #services: NotificationServices
  readonly #id: RequestId
  readonly #filter: Filter
  #visibility: VisibilityFilter
  #channel: Channel | undefined
  #tasks: TaskNotifications | undefined

  constructor(
    services: NotificationServices,
    id: RequestId,
    { filter, sight }: { filter: Filter; sight: VisibilityFilter },
  ) {
    this.#services = services
    this.#id = id
    this.#filter = filter
    this.#visibility = sight
  }

  /** Begins with what is honoured. */
  start(channel: Channel): void {
    this.#channel = channel
    const { lists, uris, tasks } = this.#filter
    const notifications = {
      ...Object.fromEntries(lists.map((name) => [listFields[name], true])),
      ...(uris !== undefined && { resourceSubscriptions: [...uris] }),
      ...(tasks !== undefined && { taskIds: tasks }),
    }
    if (this.#send('notifications/subscriptions/acknowledged', { notifications })) {
      this.#services.notifications.add(this)
      if (tasks !== undefined && this.#channel !== undefined) this.#watch(tasks)
    } else {
      this.close()
    }
  }

  /** Its reader is known anew. */
  renew(sight: VisibilityFilter): void {
    this.#visibility = sight
  }

  /** Nobody reads it any more. */
  stop(): void {
    this.#channel = undefined
    this.#services.notifications.delete(this)
    this.#tasks?.stop()
  }

  #watch(tasks: readonly string[]): void {
    this.#tasks = new TaskNotifications(this.#services.tasks, tasks, {
      sees: (task) => this.#visibility.allowsTask(task),
      notify: (params) => {
        if (!this.#send(taskNotification, params)) this.close()
      },
    })
    this.#tasks.start()
  }

  deliver(notice: Notification): void {
    const { method, params, uri } = notice
    const { lists, uris } = this.#filter
    const isWanted =
      method === resourceUpdated
        ? uris?.has(uri ?? '') === true
        : lists.some((name) => listChanged[name] === method)
    // A reader too far behind would miss some without knowing it: it is told that the subscription is over.
    if (isWanted && this.#visibility.allows(notice) && !this.#send(method, params)) this.close()
  }

  close(): void {
    const channel = this.#channel
    this.stop()
    const result = { resultType: 'complete', _meta: { ...this.#meta, ...this.#services.serverMeta } }
    channel?.finish(jsonText({ jsonrpc: '2.0', id: this.#id, result }))
  }

  /** Of every message: the id of the request, in its own JSON type. */
  get #meta(): Record<string, RequestId> {
    return { 'io.modelcontextprotocol/subscriptionId': this.#id }
  }

  #send(method: string, params: object | undefined): boolean {
    const text = jsonText(notification(method, { ...params, _meta: this.#meta }))
    try {
      return this.#channel?.notify(text) === true
    } catch {
      return false
    }
  }
}

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
        () => watched.isOver || watched.stops.push(poll(look)),
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
