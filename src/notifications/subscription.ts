/** A `subscriptions/listen` of a 2026-07-28 client, and its notifications of tasks. */

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

/** The notifications that a client subscribes to. */
export interface SubscriptionFilter {
  readonly lists: readonly ListName[]
  /** URIs of resources; `undefined` if not requested. */
  readonly uris: ReadonlySet<string> | undefined
  /** Ids of tasks; `undefined` if not requested. */
  readonly tasks: readonly string[] | undefined
}

export const listFields: Readonly<Record<ListName, string>> = {
  tools: 'toolsListChanged',
  resources: 'resourcesListChanged',
  prompts: 'promptsListChanged',
}

/** The channel that a subscription sends its messages through. */
export interface Channel {
  /** Sends a notification. Returns false if that fails or the reader is too slow. */
  notify(json: string): boolean
  /** Sends the last message. */
  finish(json: string): void
}

export class Subscription implements Listener {
  readonly #services: NotificationServices
  readonly #id: RequestId
  readonly #filter: SubscriptionFilter
  #visibility: VisibilityFilter
  #channel: Channel | undefined
  #tasks: TaskNotifications | undefined

  constructor(
    services: NotificationServices,
    id: RequestId,
    { filter, visibility }: { filter: SubscriptionFilter; visibility: VisibilityFilter },
  ) {
    this.#services = services
    this.#id = id
    this.#filter = filter
    this.#visibility = visibility
  }

  /** Opens the subscription: acknowledges the granted notifications and starts to send them. */
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
      if (tasks !== undefined && this.#channel !== undefined) this.#notifyOfTasks(tasks)
    } else {
      this.close()
    }
  }

  /** Replaces the visibility filter after the caller was authenticated again. */
  renew(visibility: VisibilityFilter): void {
    this.#visibility = visibility
  }

  /** Stops sending, after the client has disconnected. */
  stop(): void {
    this.#channel = undefined
    this.#services.notifications.delete(this)
    this.#tasks?.stop()
  }

  #notifyOfTasks(tasks: readonly string[]): void {
    this.#tasks = new TaskNotifications(this.#services.tasks, tasks, {
      canSee: (task) => this.#visibility.allowsTask(task),
      notify: (params) => {
        if (!this.#send(taskNotification, params)) this.close()
      },
    })
    this.#tasks.start()
  }

  deliver(notification: Notification): void {
    const { method, params, uri } = notification
    const { lists, uris } = this.#filter
    const isWanted =
      method === resourceUpdated
        ? uris?.has(uri ?? '') === true
        : lists.some((name) => listChanged[name] === method)
    // Ends the subscription of a slow reader, which would miss notifications without knowing it.
    if (isWanted && this.#visibility.allows(notification) && !this.#send(method, params)) this.close()
  }

  close(): void {
    const channel = this.#channel
    this.stop()
    const result = { resultType: 'complete', _meta: { ...this.#meta, ...this.#services.serverMeta } }
    channel?.finish(jsonText({ jsonrpc: '2.0', id: this.#id, result }))
  }

  /** The `_meta` of every message: the id of the request, in its own JSON type. */
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
  /** Whether the task is visible to the client now. */
  canSee(task: Task): boolean
  notify(params: object): void
}

/** A task whose changes the client gets. */
interface WatchedTask {
  readonly id: string
  readonly stops: (() => void)[]
  /** The state that was sent last, so that it isn't sent twice. */
  lastState: string | undefined
  /** Whether a check is already queued. It covers all changes until then. */
  isQueued: boolean
  isStopped: boolean
}

/** Sends a client the changes of tasks. */
export class TaskNotifications {
  readonly #tasks: Tasks
  readonly #watchedTasks: readonly WatchedTask[]
  readonly #reader: TaskReader
  /** Checks run one after the other, because each reads the whole task, which may be large. */
  #queue: Promise<void> = Promise.resolve()

  constructor(tasks: Tasks, ids: readonly string[], reader: TaskReader) {
    this.#tasks = tasks
    this.#watchedTasks = [...new Set(ids)].map((id) => ({
      id,
      stops: [],
      lastState: undefined,
      isQueued: false,
      isStopped: false,
    }))
    this.#reader = reader
  }

  /** Sends the current state of each task, then every change until the task has ended. Never throws. */
  start(): void {
    for (const watched of this.#watchedTasks) {
      const check = (): void => this.#queueCheck(watched)
      void this.#tasks.listen(watched.id, check).then(
        (stop) => (watched.isStopped ? stop() : watched.stops.push(stop)),
        // If the store can't subscribe, polling finds the changes.
        () => watched.isStopped || watched.stops.push(poll(check)),
      )
      check()
    }
  }

  stop(): void {
    for (const watched of this.#watchedTasks) stopWatching(watched)
  }

  #queueCheck(watched: WatchedTask): void {
    if (watched.isQueued || watched.isStopped) return
    watched.isQueued = true
    this.#queue = this.#queue.then(() => this.#notifyIfChanged(watched)).catch(nothing)
  }

  async #notifyIfChanged(watched: WatchedTask): Promise<void> {
    watched.isQueued = false
    if (watched.isStopped) return
    const task = await this.#tasks.find(watched.id)
    if (watched.isStopped) return
    // Ids are never reused, so a missing task stays missing.
    if (task === undefined || task.end !== undefined) stopWatching(watched)
    if (task === undefined || !this.#reader.canSee(task)) return
    const state = stateOf(task)
    if (watched.lastState === state) return
    watched.lastState = state
    this.#reader.notify(toDetailedTask(task))
  }
}

function stopWatching(watched: WatchedTask): void {
  watched.isStopped = true
  for (const stop of watched.stops.splice(0)) stop()
}

/** A string that changes with the notified state. Keys of requests are never reused, and an end is written once. */
function stateOf(task: Task): string {
  const { lastUpdatedAt, statusMessage, inputRequests } = task
  return JSON.stringify([statusOf(task), lastUpdatedAt, statusMessage, Object.keys(inputRequests)])
}

const nothing = (): void => {}
