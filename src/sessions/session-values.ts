/** `ctx.session`: what an app keeps for one legacy session, in the store, for as long as the session lives. */

import { runtime } from '#runtime'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import { describe } from '../support/values.js'

/** Values that travel as JSON, by name. They go with the session. */
export interface Session {
  /** `undefined` when there is none. */
  get<T = unknown>(name: string): Promise<T | undefined>
  /** @throws TypeError for what JSON cannot carry. */
  set(name: string, value: unknown): Promise<void>
  /**
   * Replaces a value by what `change` makes of it, atomically: of calls that overlap, on any machine, none overwrites
   * another's. `change` gets `undefined` where there is no value, and may return `undefined` to delete it. It runs again
   * when the value changed meanwhile, so keep other effects out of it. A `set` isn't held up by an update.
   * @throws TypeError for what JSON cannot carry, Error when others kept the value busy for 10 seconds.
   */
  update<T = unknown>(name: string, change: Change<T>): Promise<T | undefined>
  /** False when there was none. */
  delete(name: string): Promise<boolean>
}

type Change<T> = (current: T | undefined) => T | undefined | PromiseLike<T | undefined>

/** More names than this are still kept, but not all of them go when the session is ended early. */
const mostNames = { entries: 10_000, bytes: 1024 * 1024 }

/** An update that died while it wrote frees the value after this time; one that is slower than half of it writes nothing. */
const lockMs = 2_000
const longestUpdateMs = 10_000

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
    await this.#write(name, toText('set', name, value))
  }

  async #write(name: string, text: string): Promise<void> {
    const ttlMs = this.#remainingMs()
    const key = this.#keyOf(name)
    if ((await this.#store.claim(key, text, ttlMs)) === undefined) {
      await this.#store.append(this.#names, name, { ...mostNames, ageMs: ttlMs })
    } else {
      await this.#store.set(key, text, ttlMs)
    }
  }

  async update<T = unknown>(name: string, change: Change<T>): Promise<T | undefined> {
    const key = this.#keyOf(name)
    const until = performance.now() + longestUpdateMs
    for (let attempt = 0; performance.now() < until; attempt += 1) {
      const before = await this.#store.get(key)
      const { text, value } = await changed(name, before, change)
      if (await this.#replace(name, before, text)) return value
      await new Promise<void>((resolve) => {
        setTimeout(() => resolve(), Math.random() * Math.min(1 + attempt, 20))
      })
    }
    throw new Error(
      `ctx.session.update(${describe(name)}): the value was busy for ${longestUpdateMs} ms; try again`,
    )
  }

  /** Writes `text` if the value is still `before`; false if it isn't, or another update is being written. */
  async #replace(name: string, before: string | undefined, text: string | undefined): Promise<boolean> {
    const key = this.#keyOf(name)
    const lock = `updating:${key}`
    const own = toBase64Url(runtime.random(9))
    const until = performance.now() + lockMs / 2
    if ((await this.#store.claim(lock, own, lockMs)) !== undefined) return false
    try {
      if ((await this.#store.get(key)) !== before) return false
      // Another update may hold the lock by the time that a later one is written.
      if (performance.now() > until) return false
      if (text === undefined) await this.#store.delete(key)
      else await this.#write(name, text)
      return true
    } finally {
      await this.#free(lock, own)
    }
  }

  /** Never rejects: what was written is written, and the lock ends by itself. */
  async #free(lock: string, own: string): Promise<void> {
    try {
      if ((await this.#store.get(lock)) === own) await this.#store.delete(lock)
    } catch {}
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
    this.#texts.set(assertName(name), toText('set', name, value))
  }

  async update<T = unknown>(name: string, change: Change<T>): Promise<T | undefined> {
    for (;;) {
      const before = this.#texts.get(assertName(name))
      const { text, value } = await changed(name, before, change)
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

interface Changed<T> {
  /** `undefined`: the value is deleted. */
  readonly text: string | undefined
  readonly value: T | undefined
}

async function changed<T>(name: string, before: string | undefined, change: Change<T>): Promise<Changed<T>> {
  const value = await change(before === undefined ? undefined : (JSON.parse(before) as T))
  return { value, text: value === undefined ? undefined : toText('update', name, value) }
}

function toText(method: string, name: string, value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {}
  if (text !== undefined) return text
  throw new TypeError(
    `ctx.session.${method}(${describe(name)}): expected a JSON value, got ${describe(value)}`,
  )
}
