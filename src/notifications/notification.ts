/** Server notifications outside of calls, and the log that machines share them through. */

import type { Entry } from '../definitions/entries.js'
import { notification } from '../protocol/jsonrpc.js'
import type { Params } from '../protocol/types.js'
import type { LogBound, LogEntry, Store } from '../store/store.js'
import { jsonText } from '../support/long-numbers.js'

/** The lists that have a `list_changed` notification. */
export type ListName = 'tools' | 'resources' | 'prompts'

export const resourceUpdated = 'notifications/resources/updated'

/** The method of the tasks extension. */
export const taskNotification = 'notifications/tasks'

export const listChanged: Readonly<Record<ListName, string>> = {
  tools: 'notifications/tools/list_changed',
  resources: 'notifications/resources/list_changed',
  prompts: 'notifications/prompts/list_changed',
}

export const listNames: readonly ListName[] = ['tools', 'resources', 'prompts']

/** A notification for many clients. Its text is created once for all of them. */
export class Notification {
  readonly method: string
  readonly params: Params | undefined
  /** The changed definitions, if each of them is visible to some callers only. */
  readonly definitions: readonly Entry[] | undefined
  /** The id of its entry in the log of notifications, if it has one. */
  readonly logId: string | undefined
  #text: string | undefined

  constructor(method: string, params?: Params, definitions?: readonly Entry[], logId?: string) {
    this.method = method
    this.params = params
    this.definitions = definitions
    this.logId = logId
  }

  /** The URI of the updated resource, for a `notifications/resources/updated`. */
  get uri(): string | undefined {
    return this.method === resourceUpdated ? (this.params?.uri as string) : undefined
  }

  /** The JSON text for clients before 2026-07-28. */
  get text(): string {
    this.#text ??= jsonText(
      this.params === undefined
        ? { jsonrpc: '2.0', method: this.method }
        : notification(this.method, this.params),
    )
    return this.#text
  }
}

/** Whether this is a notification of the protocol. Custom ones go to legacy clients only. */
export function isProtocolNotification({ method }: Notification): boolean {
  return method === resourceUpdated || Object.values(listChanged).includes(method)
}

const logName = 'notices'
const logBound: LogBound = { entries: 1_000, bytes: 1024 * 1024, ageMs: 60_000 }

/** The log of recent notifications in a shared store. */
export class NotificationLog {
  readonly #store: Store
  #last: string | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** The id of the last received notification; empty if there was none, `undefined` if unknown. */
  get last(): string | undefined {
    return this.#last
  }

  /** Reads the id of the last entry. Never rejects. */
  async start(): Promise<void> {
    const kept = await this.#store.read(logName).catch(nothing)
    this.#last ??= kept === undefined ? undefined : (kept.at(-1)?.id ?? '')
  }

  /** Sets the id of the last received notification. */
  received(id: string): void {
    this.#last = id
  }

  /** Appends a notification. Resolves to its id, or to `undefined` if the store fails. Never rejects. */
  append(text: string): Promise<string | undefined> {
    return this.#store.append(logName, text, logBound).catch(nothing)
  }

  /** Resolves to the kept entries after an id, or to none if the store fails. Never rejects. */
  async after(id: string): Promise<readonly LogEntry[]> {
    const read = (after?: string) => this.#store.read(logName, after).catch(nothing)
    // If the entry has been dropped, all remaining entries came after it.
    return (id === '' ? undefined : await read(id)) ?? (await read()) ?? []
  }
}

function nothing(): undefined {
  return undefined
}
