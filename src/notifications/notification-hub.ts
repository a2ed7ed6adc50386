/** Who listens on this machine, and how a notice that was sent on any machine reaches them. */

import { runtime } from '#runtime'
import type { Entry } from '../definitions/entries.js'
import type { Params } from '../protocol/types.js'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import type { Log } from '../support/logger.js'
import { type ListName, listChanged, NoticeLog, Notification } from './notification.js'

/** A client that can be told something outside of its calls: a session's streams, a subscription, a connection. */
export interface Listener {
  /** Sends it, where the client wants it. Never throws. */
  deliver(notice: Notification): void
  /** The server ends it. */
  close(): void
}

/** What machines say to each other about who has a session. */
export interface Control {
  /** The machine that says so. */
  readonly by?: string | undefined
  /** The session that it takes, */
  readonly take?: string | undefined
  /** from this machine, as the store has it, */
  readonly from?: string | undefined
  /** under this name. */
  readonly turn?: string | undefined
  /** The stream that the client goes on with. */
  readonly stream?: string | undefined
  /** The turn that the holder writes its last events for; */
  readonly hears?: string | undefined
  /** and the one that it wrote them all for. */
  readonly gave?: string | undefined
  /** The session that it lets go of. */
  readonly free?: string | undefined
}

interface Message {
  readonly control?: Control
  readonly id?: string
  /** Its place in the log. */
  readonly at?: string | undefined
  readonly method: string
  readonly params?: Params
}

const channel = 'notices'
/** More than the store can have in flight. */
const mostToldAlone = 1_000
/** Changes of definitions come in bursts; a burst is one notice. */
const debounceMs = 20

export class NotificationHub {
  readonly #store: Store
  readonly #log: Log
  /** `undefined`: there are no other machines. */
  readonly #kept: NoticeLog | undefined
  readonly #listeners = new Set<Listener>()
  /** By the lists that changed; `undefined`: by something that everybody sees. */
  readonly #changed = new Map<ListName, Entry[] | undefined>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #listening: Promise<(() => void) | undefined> | undefined
  /** Notices of this machine come back through the store. */
  #hearsItself = false
  #closed = false
  /** Made when first needed: where routers are made, Workers have no randomness yet. */
  #machine: string | undefined
  #count = 0
  /** Ids of notices that the store seemed to refuse: should it pass them on all the same, they were told already. */
  readonly #toldAlone = new Set<string>()
  #onControl: (control: Control) => void = () => {}

  constructor(store: Store, log: Log, shared: boolean) {
    this.#store = store
    this.#log = log
    this.#kept = shared ? new NoticeLog(store) : undefined
  }

  /** Resolves once other machines are heard. Ask before the first `add`; never rejects. */
  ready(): Promise<unknown> {
    this.#listening ??= this.#listen().then((stop) => {
      // Where the store is away, the next client tries again.
      if (stop === undefined) this.#listening = undefined
      return stop
    })
    return this.#listening
  }

  /** The place of the last notice that was heard. `undefined`: not known, or nobody would ask. */
  get last(): string | undefined {
    return this.#kept?.last
  }

  /** The notices after a place, on whatever machine they were sent. Never rejects. */
  async after(at: string): Promise<readonly Notification[]> {
    const entries = (await this.#kept?.after(at)) ?? []
    return entries.map(({ id, value }) => {
      const { method, params } = JSON.parse(value) as Message
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

  /** To the listeners of every machine. Never rejects. */
  async publish(notice: Notification): Promise<void> {
    const { method, params } = notice
    this.#machine ??= toBase64Url(runtime.random(9))
    const id = `${this.#machine}${this.#count++}`
    const at = await this.#kept?.append(JSON.stringify({ method, params }))
    try {
      await this.#store.publish(channel, JSON.stringify({ id, at, method, params }))
      if (!this.#hearsItself) this.#tell(notice)
    } catch (error) {
      this.#log.warn('the store failed; a notice reaches the clients of this machine only', { err: error })
      this.#toldAlone.add(id)
      const [oldest = ''] = this.#toldAlone
      if (this.#toldAlone.size > mostToldAlone) this.#toldAlone.delete(oldest)
      this.#tell(notice)
    }
  }

  /** Calls `listener` with what machines say to each other, in one order with the notices. */
  onControl(listener: (control: Control) => void): void {
    this.#onControl = listener
  }

  /** To every machine, this one too. Rejects where the store fails. */
  control(control: Control): Promise<void> {
    return this.#store.publish(channel, JSON.stringify({ control }))
  }

  /** A list changed on this machine, whose own clients are told soon. Before the first client nobody is. */
  changed(name: ListName, by: Entry): void {
    if (this.#listeners.size === 0 || this.#closed) return
    const known = this.#changed.has(name) ? this.#changed.get(name) : []
    this.#changed.set(name, by.options.visible === undefined ? undefined : known?.concat(by))
    this.#timer ??= setTimeout(() => this.#flush(), debounceMs)
  }

  /** Ends every listener. A store that is away is not waited for. */
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
    for (const [name, about] of changes) this.#tell(new Notification(listChanged[name], undefined, about))
  }

  #tell(notice: Notification): void {
    for (const listener of [...this.#listeners]) listener.deliver(notice)
  }

  async #listen(): Promise<(() => void) | undefined> {
    try {
      const stop = await this.#store.subscribe(channel, (message) => {
        const { control, id = '', at, method, params } = JSON.parse(message) as Message
        if (at !== undefined) this.#kept?.heard(at)
        if (control !== undefined) this.#onControl(control)
        else if (!this.#toldAlone.delete(id)) this.#tell(new Notification(method, params, undefined, at))
      })
      this.#hearsItself = true
      await this.#kept?.begin()
      return stop
    } catch (error) {
      this.#log.warn('the store failed; notices of other machines are not heard', { err: error })
      return undefined
    }
  }
}
