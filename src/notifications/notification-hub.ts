/** Delivers notifications from any machine to the listeners on this machine. */

import { runtime } from '#runtime'
import type { Entry } from '../definitions/entries.js'
import type { Params } from '../protocol/types.js'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import type { Log } from '../support/logger.js'
import { type ListName, listChanged, Notification, NotificationLog } from './notification.js'

/** A channel for server notifications to one client: a session's streams, a subscription, or a connection. */
export interface Listener {
  /** Sends a notification, if the client wants it. Never throws. */
  deliver(notification: Notification): void
  /** Ends the channel. */
  close(): void
}

/** A message between machines about which of them holds a session (see `session-holders.ts`). */
export interface ControlMessage {
  /** The sending machine. */
  readonly by?: string | undefined
  /** The key of the session that the sender takes. */
  readonly take?: string | undefined
  /** The previous holder according to the store. */
  readonly from?: string | undefined
  /** The id of the takeover. */
  readonly turn?: string | undefined
  /** The id of the stream that the client resumes. */
  readonly stream?: string | undefined
  /** The id of a takeover that the holder has received: it writes its last events now. */
  readonly hears?: string | undefined
  /** The id of a takeover for which the holder has written all its events. */
  readonly gave?: string | undefined
  /** The key of the session that the sender releases. */
  readonly free?: string | undefined
}

interface HubMessage {
  readonly control?: ControlMessage
  readonly id?: string
  /** The id of its entry in the log. */
  readonly at?: string | undefined
  readonly method: string
  readonly params?: Params
}

const channel = 'notices'
/** More publications than a store has in flight. */
const maxLocalOnly = 1_000
/** Changes of definitions come in bursts; a burst becomes one notification. */
const debounceMs = 20

export class NotificationHub {
  readonly #store: Store
  readonly #log: Log
  /** `undefined` if no other machine shares the store. */
  readonly #sharedLog: NotificationLog | undefined
  readonly #listeners = new Set<Listener>()
  /** The changed lists with their changed definitions; `undefined` for a change that everybody sees. */
  readonly #changed = new Map<ListName, Entry[] | undefined>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #listening: Promise<(() => void) | undefined> | undefined
  /** Whether notifications of this machine come back through the store. */
  #receivesOwn = false
  #closed = false
  /** Created when first needed: Workers have no randomness while routers are created. */
  #machineId: string | undefined
  #count = 0
  /** Ids of notifications that were delivered locally after an error of the store, in case the store delivers them later. */
  readonly #localOnlyIds = new Set<string>()
  #onControl: (control: ControlMessage) => void = () => {}

  constructor(store: Store, log: Log, shared: boolean) {
    this.#store = store
    this.#log = log
    this.#sharedLog = shared ? new NotificationLog(store) : undefined
  }

  /** Resolves once this machine listens to others. Call it before the first `add`. Never rejects. */
  ready(): Promise<unknown> {
    this.#listening ??= this.#listen().then((stop) => {
      // If the store fails, the next client tries again.
      if (stop === undefined) this.#listening = undefined
      return stop
    })
    return this.#listening
  }

  /** The log id of the last received notification; `undefined` if unknown or without a shared store. */
  get lastLogId(): string | undefined {
    return this.#sharedLog?.last
  }

  /** Resolves to the notifications of all machines after a log id. Never rejects. */
  async after(logId: string): Promise<readonly Notification[]> {
    const entries = (await this.#sharedLog?.after(logId)) ?? []
    return entries.map(({ id, value }) => {
      const { method, params } = JSON.parse(value) as HubMessage
      return new Notification(method, params, undefined, id)
    })
  }

  add(listener: Listener): void {
    this.#listeners.add(listener)
    if (this.#closed) listener.close()
  }

  delete(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** Sends a notification to the listeners on every machine. Never rejects. */
  async publish(notification: Notification): Promise<void> {
    const { method, params } = notification
    this.#machineId ??= toBase64Url(runtime.random(9))
    const id = `${this.#machineId}${this.#count++}`
    const at = await this.#sharedLog?.append(JSON.stringify({ method, params }))
    try {
      await this.#store.publish(channel, JSON.stringify({ id, at, method, params }))
      if (!this.#receivesOwn) this.#deliverLocally(notification)
    } catch (error) {
      this.#log.warn('the store failed; a notification reaches the clients of this machine only', {
        err: error,
      })
      this.#localOnlyIds.add(id)
      const [oldest = ''] = this.#localOnlyIds
      if (this.#localOnlyIds.size > maxLocalOnly) this.#localOnlyIds.delete(oldest)
      this.#deliverLocally(notification)
    }
  }

  /** Sets the listener for control messages. They arrive in one order with notifications. */
  onControl(listener: (control: ControlMessage) => void): void {
    this.#onControl = listener
  }

  /** Sends a control message to every machine, including this one. Rejects if the store fails. */
  sendControl(control: ControlMessage): Promise<void> {
    return this.#store.publish(channel, JSON.stringify({ control }))
  }

  /** Notifies this machine's clients soon that `definition` changed a list. Does nothing without clients. */
  changed(name: ListName, definition: Entry): void {
    if (this.#listeners.size === 0 || this.#closed) return
    const earlier = this.#changed.has(name) ? this.#changed.get(name) : []
    this.#changed.set(
      name,
      definition.options.visible === undefined ? undefined : earlier?.concat(definition),
    )
    this.#timer ??= setTimeout(() => this.#flush(), debounceMs)
  }

  /** Ends every listener. Doesn't wait for the store. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const listener of [...this.#listeners]) listener.close()
    void this.#listening?.then((stop) => stop?.())
  }

  #flush(): void {
    this.#timer = undefined
    const changes = [...this.#changed]
    this.#changed.clear()
    for (const [name, definitions] of changes)
      this.#deliverLocally(new Notification(listChanged[name], undefined, definitions))
  }

  #deliverLocally(notification: Notification): void {
    for (const listener of [...this.#listeners]) listener.deliver(notification)
  }

  async #listen(): Promise<(() => void) | undefined> {
    try {
      const stop = await this.#store.subscribe(channel, (message) => {
        const { control, id = '', at, method, params } = JSON.parse(message) as HubMessage
        if (at !== undefined) this.#sharedLog?.received(at)
        if (control !== undefined) this.#onControl(control)
        else if (!this.#localOnlyIds.delete(id))
          this.#deliverLocally(new Notification(method, params, undefined, at))
      })
      this.#receivesOwn = true
      await this.#sharedLog?.start()
      return stop
    } catch (error) {
      this.#log.warn('the store failed; notifications from other machines do not arrive', { err: error })
      return undefined
    }
  }
}
