/** `ctx.session`: the app's values for one session, kept in the store, or in memory for sessions that are connections. */

import { runtime } from '#runtime'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import { describe } from '../support/values.js'

/** The app's values for a session, by name. They're stored as JSON and deleted with the session. */
export interface Session {
  /** Resolves to the value, or to `undefined` if there is none. */
  get<T = unknown>(name: string): Promise<T | undefined>
  /**
   * Sets a value.
   * @throws TypeError if the value can't be serialized as JSON.
   */
  set(name: string, value: unknown): Promise<void>
  /**
   * Atomically replaces a value by the return value of `change` and resolves to the new value. Updates that overlap, on any
   * machine, never overwrite each other. `change` gets `undefined` if there is no value, and may return `undefined` to
   * delete it. It runs again if the value changed in the meantime, so it must have no other effects. `set` doesn't wait for
   * updates.
   * @throws TypeError if the new value can't be serialized as JSON.
   * @throws Error if other updates kept the value busy for 10 seconds.
   */
  update<T = unknown>(name: string, change: Change<T>): Promise<T | undefined>
  /** Deletes a value. Resolves to `false` if there was none. */
  delete(name: string): Promise<boolean>
}

type Change<T> = (current: T | undefined) => T | undefined | PromiseLike<T | undefined>

/** Limits of the list of names. Values beyond it are kept, too, but aren't deleted if the session ends early. */
const namesBound = { entries: 10_000, bytes: 1024 * 1024 }

/** The lock of a process that dies during an update expires after this time. An update that takes over half of it doesn't write. */
const lockMs = 2_000
const maxUpdateMs = 10_000

/** The values of a session with an id, in the store. */
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
    await this.#write(name, toJsonText('set', name, value))
  }

  async #write(name: string, text: string): Promise<void> {
    const ttlMs = this.#remainingMs()
    const key = this.#keyOf(name)
    if ((await this.#store.claim(key, text, ttlMs)) === undefined) {
      await this.#store.append(this.#names, name, { ...namesBound, ageMs: ttlMs })
    } else {
      await this.#store.set(key, text, ttlMs)
    }
  }

  async update<T = unknown>(name: string, change: Change<T>): Promise<T | undefined> {
    const key = this.#keyOf(name)
    const until = performance.now() + maxUpdateMs
    for (let attempt = 0; performance.now() < until; attempt += 1) {
      const before = await this.#store.get(key)
      const { text, value } = await applyChange(name, before, change)
      if (await this.#replace(name, before, text)) return value
      await new Promise<void>((resolve) => {
        setTimeout(() => resolve(), Math.random() * Math.min(1 + attempt, 20))
      })
    }
    throw new Error(
      `ctx.session.update(${describe(name)}): the value was busy for ${maxUpdateMs} ms; try again`,
    )
  }

  /** Writes `text` if the value is still `before`. Resolves to false if it isn't, or another update holds the lock. */
  async #replace(name: string, before: string | undefined, text: string | undefined): Promise<boolean> {
    const key = this.#keyOf(name)
    const lock = `updating:${key}`
    const lockToken = toBase64Url(runtime.random(9))
    const until = performance.now() + lockMs / 2
    if ((await this.#store.claim(lock, lockToken, lockMs)) !== undefined) return false
    try {
      if ((await this.#store.get(key)) !== before) return false
      // A later write could finish after the lock has expired and another update has taken it.
      if (performance.now() > until) return false
      if (text === undefined) await this.#store.delete(key)
      else await this.#write(name, text)
      return true
    } finally {
      await this.#unlock(lock, lockToken)
    }
  }

  /** Releases the lock if this update still holds it. Never rejects: the lock expires anyway. */
  async #unlock(lock: string, lockToken: string): Promise<void> {
    try {
      if ((await this.#store.get(lock)) === lockToken) await this.#store.delete(lock)
    } catch {}
  }

  delete(name: string): Promise<boolean> {
    return this.#store.delete(this.#keyOf(name))
  }

  /** Deletes all values, when the session ends. */
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

/** The values of a client whose session is its connection: in memory, and dropped with the connection. */
export class ConnectionValues implements Session {
  readonly #texts = new Map<string, string>()

  async get<T = unknown>(name: string): Promise<T | undefined> {
    const text = this.#texts.get(assertName(name))
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }

  async set(name: string, value: unknown): Promise<void> {
    this.#texts.set(assertName(name), toJsonText('set', name, value))
  }

  async update<T = unknown>(name: string, change: Change<T>): Promise<T | undefined> {
    for (;;) {
      const before = this.#texts.get(assertName(name))
      const { text, value } = await applyChange(name, before, change)
      if (this.#texts.get(name) !== before) continue
      if (text === undefined) this.#texts.delete(name)
      else this.#texts.set(name, text)
      return value
    }
  }

  async delete(name: string): Promise<boolean> {
    return this.#texts.delete(assertName(name))
  }
}

function assertName(name: string): string {
  if (typeof name !== 'string') throw new TypeError(`ctx.session: expected a name, got ${describe(name)}`)
  return name
}

interface ChangedValue<T> {
  /** The value as JSON; `undefined` to delete it. */
  readonly text: string | undefined
  readonly value: T | undefined
}

async function applyChange<T>(
  name: string,
  before: string | undefined,
  change: Change<T>,
): Promise<ChangedValue<T>> {
  const value = await change(before === undefined ? undefined : (JSON.parse(before) as T))
  return { value, text: value === undefined ? undefined : toJsonText('update', name, value) }
}

function toJsonText(method: string, name: string, value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {}
  if (text !== undefined) return text
  throw new TypeError(
    `ctx.session.${method}(${describe(name)}): expected a JSON value, got ${describe(value)}`,
  )
}
