/**
 * The notices of the last minute, in the store: whoever takes a stream from a machine that is dead finds what that one
 * has not sent.
 */

import type { LogBound, LogEntry, Store } from '../store/store.js'

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
