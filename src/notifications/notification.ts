/** Notices: what clients are told without having asked in a call. */

import type { Entry } from '../definitions/entries.js'
import { notification } from '../protocol/jsonrpc.js'
import type { Params } from '../protocol/types.js'
import type { LogBound, LogEntry, Store } from '../store/store.js'
import { jsonText } from '../support/long-numbers.js'

/** The lists that change. */
export type ListName = 'tools' | 'resources' | 'prompts'

export const resourceUpdated = 'notifications/resources/updated'

/** Tasks extension. */
export const taskNotification = 'notifications/tasks'

export const listChanged: Readonly<Record<ListName, string>> = {
  tools: 'notifications/tools/list_changed',
  resources: 'notifications/resources/list_changed',
  prompts: 'notifications/prompts/list_changed',
}

export const listNames: readonly ListName[] = ['tools', 'resources', 'prompts']

/** One notice on its way to many clients: what is the same for several of them is made once. */
export class Notification {
  readonly method: string
  readonly params: Params | undefined
  /** The definitions that are the reason for it, where each of them shows itself to some callers only. */
  readonly about: readonly Entry[] | undefined
  /** Its place in the log of notices, where it is in there. */
  readonly at: string | undefined
  #text: string | undefined

  constructor(method: string, params?: Params, about?: readonly Entry[], at?: string) {
    this.method = method
    this.params = params
    this.about = about
    this.at = at
  }

  /** The resource it is about, where it is an update of one. */
  get uri(): string | undefined {
    return this.method === resourceUpdated ? (this.params?.uri as string) : undefined
  }

  /** As clients before 2026-07-28 get it. */
  get text(): string {
    this.#text ??= jsonText(
      this.params === undefined
        ? { jsonrpc: '2.0', method: this.method }
        : notification(this.method, this.params),
    )
    return this.#text
  }
}

/** Whether it is one of the protocol's own, or one that an app made up: those are for legacy clients. */
export function isOwn({ method }: Notification): boolean {
  return method === resourceUpdated || Object.values(listChanged).includes(method)
}

const name = 'notices'
const bound: LogBound = { entries: 1_000, bytes: 1024 * 1024, ageMs: 60_000 }

export class NoticeLog {
  readonly #store: Store
  #last: string | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** The place of the last notice that was heard, empty before the first; `undefined`: not known. */
  get last(): string | undefined {
    return this.#last
  }

  /** Begins to follow it. Never rejects. */
  async begin(): Promise<void> {
    const kept = await this.#store.read(name).catch(nothing)
    this.#last ??= kept === undefined ? undefined : (kept.at(-1)?.id ?? '')
  }

  heard(at: string): void {
    this.#last = at
  }

  /** Resolves to its place; `undefined`: the store did not keep it. Never rejects. */
  append(text: string): Promise<string | undefined> {
    return this.#store.append(name, text, bound).catch(nothing)
  }

  /** What came after a place. Never rejects: what is not kept is not found. */
  async after(at: string): Promise<readonly LogEntry[]> {
    const read = (after?: string) => this.#store.read(name, after).catch(nothing)
    // Where the place is gone, everything that is left came later.
    return (at === '' ? undefined : await read(at)) ?? (await read()) ?? []
  }
}

function nothing(): undefined {
  return undefined
}
