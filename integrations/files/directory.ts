/** The definitions of one directory in one router: loaded together at the start, followed one by one after that. */

import type { Core, Entry, Log, Registration, Registry } from '../../src/internal.js'
import { failure, readFile } from './read-file.js'
import type { ImportModule } from './read-module.js'
import { type FoundFile, scan } from './scan.js'

export class Directory {
  readonly #directory: string
  readonly #registry: Registry
  readonly #log: Log
  readonly #import: ImportModule | undefined
  readonly #held = new Map<string, Registration>()
  /** Of what was read last, whether it was good or not. */
  readonly #stamps = new Map<string, string>()
  /** Of files that were not good: they are tried again after every change, and complained of once. */
  readonly #complaints = new Map<string, string>()
  #folders: readonly string[] = []
  #version = 0

  constructor({ registry, log }: Core, directory: string, importModule: ImportModule | undefined) {
    this.#directory = directory
    this.#registry = registry
    this.#log = log
    this.#import = importModule
  }

  /** As messages name them, in the order of the lists. */
  get files(): string[] {
    return [...this.#held.keys()]
  }

  /** All that were looked into. */
  get folders(): readonly string[] {
    return this.#folders
  }

  /** All of them or none. @throws Error naming every file that cannot be served. */
  async load(): Promise<void> {
    const files = await this.#scan()
    const read = await Promise.allSettled(files.map((found) => this.#read(found)))
    const errors: Error[] = read.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    for (const [index, found] of files.entries()) {
      const one = read[index]
      if (one?.status !== 'fulfilled' || errors.length > 0) continue
      try {
        this.#held.set(found.label, this.#registry.add(one.value))
      } catch (error) {
        errors.push(failure(found, error))
      }
    }
    if (errors.length === 0) return
    for (const held of this.#held.values()) this.#registry.remove(held)
    throw this.#failure(errors)
  }

  /** Brings the router up to date. What cannot be loaded is logged and keeps its last good definition. */
  async refresh(): Promise<void> {
    try {
      await this.#update(await this.#scan())
    } catch (error) {
      this.#log.error((error as Error).message)
    }
  }

  async #update(files: readonly FoundFile[]): Promise<void> {
    this.#version += 1
    const labels = new Set(files.map(({ label }) => label))
    const changed = files.filter((found) => this.#isChanged(found))
    const read = await Promise.all(changed.map((found) => this.#readOrComplain(found)))
    const gone = [...this.#held.keys()].filter((label) => !labels.has(label))
    for (const label of gone) this.#remove(label, 'was removed')
    // Names may move from one file to another: they are free before any is taken.
    const ready = read.filter((one) => one !== undefined)
    for (const { found, entry } of ready) this.#release(found.label, entry)
    for (const { found, entry } of ready) this.#put(found, entry)
    for (const label of this.#complaints.keys()) if (!labels.has(label)) this.#complaints.delete(label)
  }

  /** An empty file is one that is being written. */
  #isChanged({ label, stamp, isEmpty }: FoundFile): boolean {
    return !isEmpty && (this.#stamps.get(label) !== stamp || this.#complaints.has(label))
  }

  async #readOrComplain(found: FoundFile): Promise<{ found: FoundFile; entry: Entry } | undefined> {
    try {
      return { found, entry: await this.#read(found) }
    } catch (error) {
      this.#complain(found, error as Error)
      return undefined
    }
  }

  #read(found: FoundFile): Promise<Entry> {
    this.#stamps.set(found.label, found.stamp)
    return readFile(found, this.#registry, this.#version, this.#import)
  }

  #release(label: string, { kind, key }: Entry): void {
    const held = this.#held.get(label)
    if (held === undefined || (held.entry.kind === kind && held.entry.key === key)) return
    this.#registry.remove(held)
    this.#held.delete(label)
  }

  #put(found: FoundFile, entry: Entry): void {
    const held = this.#held.get(found.label)
    try {
      if (held === undefined || !this.#registry.holds(held))
        this.#held.set(found.label, this.#registry.add(entry))
      else this.#registry.replace(held, entry)
      this.#complaints.delete(found.label)
      this.#log.info(`${found.label} was loaded: ${entry.kind} "${entry.key}"`)
    } catch (error) {
      this.#complain(found, failure(found, error))
    }
  }

  #remove(label: string, what: string): void {
    const held = this.#held.get(label)
    this.#held.delete(label)
    this.#stamps.delete(label)
    if (held !== undefined && this.#registry.remove(held)) this.#log.info(`${label} ${what}`)
  }

  #complain({ label }: FoundFile, { message }: Error): void {
    if (this.#complaints.get(label) === message) return
    this.#complaints.set(label, message)
    this.#log.error(`loadDirectory(${this.#directory}): ${message}`)
  }

  async #scan(): Promise<readonly FoundFile[]> {
    try {
      const { files, folders } = await scan(this.#directory)
      this.#folders = folders
      return files
    } catch (error) {
      throw this.#failure([error as Error])
    }
  }

  #failure(errors: readonly Error[]): Error {
    const text = errors.map(({ message }) => message).join('\n  ')
    const cause = errors.length === 1 ? (errors[0]?.cause ?? errors[0]) : new AggregateError(errors)
    return new Error(`loadDirectory(${this.#directory}): ${text}`, { cause })
  }
}
