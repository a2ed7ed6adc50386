/** Tells of changes in some folders. What changed is for the listener to find out. */

import { type FSWatcher, watch } from 'node:fs'

/** Editors write a file in several steps. Milliseconds. */
const debounceMs = 50

export interface Follower {
  /** Something changed; returns the folders to follow from now on. Never rejects, and runs one at a time. */
  changed(): Promise<readonly string[]>
  /** A folder cannot be followed. */
  failed(folder: string, error: Error): void
}

export class Watch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #follower: Follower
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #isClosed = false

  constructor(follower: Follower) {
    this.#follower = follower
  }

  follow(folders: readonly string[]): void {
    if (this.#isClosed) return
    for (const folder of this.#watchers.keys()) if (!folders.includes(folder)) this.#drop(folder)
    const before = this.#watchers.size
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#open(folder)
    // What came into a folder before it was followed was told to nobody.
    if (this.#watchers.size > before) this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const folder of this.#watchers.keys()) this.#drop(folder)
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#run(), debounceMs)
    // Deno and Bun have timers and watchers without it.
    this.#timer.unref?.()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return this.#schedule()
    this.#isRunning = true
    const folders = await this.#follower.changed()
    this.#isRunning = false
    this.follow(folders)
  }

  #open(folder: string): void {
    try {
      const watcher = watch(folder, () => this.#schedule())
      watcher.on('error', () => {
        // So Windows tells that it was removed; whether it is there, the next look shows.
        this.#drop(folder)
        this.#schedule()
      })
      watcher.unref?.()
      this.#watchers.set(folder, watcher)
    } catch (error) {
      this.#follower.failed(folder, error as Error)
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }
}
