/** Watches folders and reports that something changed. The listener finds out what. */

import { type FSWatcher, watch } from 'node:fs'

/** Delay after a change, because editors write a file in several steps. Milliseconds. */
const debounceMs = 50

export interface ChangeListener {
  /** Handles a change. Resolves to the folders to watch from now on. Must not reject. Calls don't overlap. */
  changed(): Promise<readonly string[]>
  /** Called for a folder that can't be watched. */
  failed(folder: string, error: Error): void
}

export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #listener: ChangeListener
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #isClosed = false

  constructor(listener: ChangeListener) {
    this.#listener = listener
  }

  /** Watches exactly these folders. */
  watch(folders: readonly string[]): void {
    if (this.#isClosed) return
    for (const folder of this.#watchers.keys()) if (!folders.includes(folder)) this.#drop(folder)
    const before = this.#watchers.size
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#open(folder)
    // Changes in a folder before it was watched weren't reported.
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
    // Timers and watchers of Deno and Bun may lack `unref`.
    this.#timer.unref?.()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return this.#schedule()
    this.#isRunning = true
    const folders = await this.#listener.changed()
    this.#isRunning = false
    this.watch(folders)
  }

  #open(folder: string): void {
    try {
      const watcher = watch(folder, () => this.#schedule())
      watcher.on('error', () => {
        // Windows reports a removed folder as an error. The next scan shows whether the folder still exists.
        this.#drop(folder)
        this.#schedule()
      })
      watcher.unref?.()
      this.#watchers.set(folder, watcher)
    } catch (error) {
      this.#listener.failed(folder, error as Error)
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }
}
