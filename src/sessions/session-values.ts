/** `ctx.session`: what an app keeps for one legacy session, in the store, for as long as the session lives. */

import { describe } from '../protocol/jsonrpc.js'
import type { Store } from '../store/store.js'

/** Values that travel as JSON, by name. They go with the session. */
export interface Session {
  /** `undefined` when there is none. */
  get<T = unknown>(name: string): Promise<T | undefined>
  /** @throws TypeError for what JSON cannot carry. */
  set(name: string, value: unknown): Promise<void>
  /** False when there was none. */
  delete(name: string): Promise<boolean>
}

/** More names than this are still kept, but not all of them go when the session is ended early. */
const mostNames = { entries: 10_000, bytes: 1024 * 1024 }

export class SessionValues implements Session {
  readonly #store: Store
  readonly #key: string
  readonly #remainingMs: () => number

  constructor(store: Store, key: string, remainingMs: () => number) {
    this.#store = store
    this.#key = key
    this.#remainingMs = remainingMs
  }

  async get<T = unknown>(name: string): Promise<T | undefined> {
    const text = await this.#store.get(this.#keyOf(name))
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }

  async set(name: string, value: unknown): Promise<void> {
    const text = toText(name, value)
    const ttlMs = this.#remainingMs()
    const key = this.#keyOf(name)
    if ((await this.#store.claim(key, text, ttlMs)) === undefined) {
      await this.#store.append(this.#names, name, { ...mostNames, ageMs: ttlMs })
    } else {
      await this.#store.set(key, text, ttlMs)
    }
  }

  delete(name: string): Promise<boolean> {
    return this.#store.delete(this.#keyOf(name))
  }

  /** The session is over. */
  async clear(): Promise<void> {
    const names = (await this.#store.read(this.#names)) ?? []
    await Promise.all(names.map(({ value }) => this.delete(value)))
  }

  get #names(): string {
    return `values:${this.#key}`
  }

  #keyOf(name: string): string {
    return `value:${this.#key}:${assertName(name)}`
  }
}

/** The same for a client whose session is its connection: nothing of it outlives the connection, or leaves the process. */
export class ConnectionValues implements Session {
  readonly #texts = new Map<string, string>()

  async get<T = unknown>(name: string): Promise<T | undefined> {
    const text = this.#texts.get(assertName(name))
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }

  async set(name: string, value: unknown): Promise<void> {
    this.#texts.set(assertName(name), toText(name, value))
  }

  async delete(name: string): Promise<boolean> {
    return this.#texts.delete(assertName(name))
  }
}

function assertName(name: string): string {
  if (typeof name !== 'string') throw new TypeError(`ctx.session: expected a name, got ${describe(name)}`)
  return name
}

function toText(name: string, value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {}
  if (text !== undefined) return text
  throw new TypeError(`ctx.session.set(${describe(name)}): expected a JSON value, got ${describe(value)}`)
}
