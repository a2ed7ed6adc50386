/** The definitions of one directory in one router: loads all files together, then reloads changed files one by one. */

import type { Core, Entry, Log, Registration, Registry } from '../../src/internal.js'
import { fileError, readFile } from './read-file.js'
import type { ImportModule } from './read-module.js'
import { type FoundFile, scan } from './scan.js'

export class Directory {
  readonly #directory: string
  readonly #registry: Registry
  readonly #log: Log
  readonly #import: ImportModule | undefined
  readonly #registrations = new Map<string, Registration>()
  /** The stamp of each file when it was last read, successfully or not. */
  readonly #stamps = new Map<string, string>()
  /** The last error of each failed file. Any change retries these files; a repeated error isn't logged again. */
  readonly #errors = new Map<string, string>()
  #folders: readonly string[] = []
  #version = 0

  constructor({ registry, log }: Core, directory: string, importModule: ImportModule | undefined) {
    this.#directory = directory
    this.#registry = registry
    this.#log = log
    this.#import = importModule
  }

  /** The loaded files, as messages name them. */
  get files(): string[] {
    return [...this.#registrations.keys()]
  }

  /** All scanned folders. */
  get folders(): readonly string[] {
    return this.#folders
  }

  /** Loads all files, or none if one fails. @throws Error naming every file that can't be loaded. */
  async load(): Promise<void> {
    const files = await this.#scan()
    const results = await Promise.allSettled(files.map((found) => this.#read(found)))
    const errors: Error[] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    for (const [index, found] of files.entries()) {
      const result = results[index]
      if (result?.status !== 'fulfilled' || errors.length > 0) continue
      try {
        this.#registrations.set(found.label, this.#registry.add(result.value))
      } catch (error) {
        errors.push(fileError(found, error))
      }
    }
    if (errors.length === 0) return
    for (const registration of this.#registrations.values()) this.#registry.remove(registration)
    throw this.#errorFrom(errors)
  }

  /** Updates the router after changes. A file that can't be loaded is logged and keeps its last valid definition. */
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
    const read = await Promise.all(changed.map((found) => this.#readOrReport(found)))
    const removed = [...this.#registrations.keys()].filter((label) => !labels.has(label))
    for (const label of removed) this.#remove(label)
    // Names may move from one file to another, so all old names are released before new ones are registered.
    const ready = read.filter((file) => file !== undefined)
    for (const { found, entry } of ready) this.#release(found.label, entry)
    for (const { found, entry } of ready) this.#register(found, entry)
    for (const label of this.#errors.keys()) if (!labels.has(label)) this.#errors.delete(label)
  }

  /** Whether a file must be read again. An empty file is probably still being written. */
  #isChanged({ label, stamp, isEmpty }: FoundFile): boolean {
    return !isEmpty && (this.#stamps.get(label) !== stamp || this.#errors.has(label))
  }

  async #readOrReport(found: FoundFile): Promise<{ found: FoundFile; entry: Entry } | undefined> {
    try {
      return { found, entry: await this.#read(found) }
    } catch (error) {
      this.#reportError(found, error as Error)
      return undefined
    }
  }

  #read(found: FoundFile): Promise<Entry> {
    this.#stamps.set(found.label, found.stamp)
    return readFile(found, this.#registry, this.#version, this.#import)
  }

  #release(label: string, { kind, key }: Entry): void {
    const current = this.#registrations.get(label)
    if (current === undefined || (current.entry.kind === kind && current.entry.key === key)) return
    this.#registry.remove(current)
    this.#registrations.delete(label)
  }

  #register(found: FoundFile, entry: Entry): void {
    const current = this.#registrations.get(found.label)
    try {
      if (current === undefined || !this.#registry.holds(current))
        this.#registrations.set(found.label, this.#registry.add(entry))
      else this.#registry.replace(current, entry)
      this.#errors.delete(found.label)
      this.#log.info(`${found.label} was loaded: ${entry.kind} "${entry.key}"`)
    } catch (error) {
      this.#reportError(found, fileError(found, error))
    }
  }

  #remove(label: string): void {
    const registration = this.#registrations.get(label)
    this.#registrations.delete(label)
    this.#stamps.delete(label)
    if (registration !== undefined && this.#registry.remove(registration))
      this.#log.info(`${label} was removed`)
  }

  #reportError({ label }: FoundFile, { message }: Error): void {
    if (this.#errors.get(label) === message) return
    this.#errors.set(label, message)
    this.#log.error(`loadDirectory(${this.#directory}): ${message}`)
  }

  async #scan(): Promise<readonly FoundFile[]> {
    try {
      const { files, folders } = await scan(this.#directory)
      this.#folders = folders
      return files
    } catch (error) {
      throw this.#errorFrom([error as Error])
    }
  }

  #errorFrom(errors: readonly Error[]): Error {
    const text = errors.map(({ message }) => message).join('\n  ')
    const cause = errors.length === 1 ? (errors[0]?.cause ?? errors[0]) : new AggregateError(errors)
    return new Error(`loadDirectory(${this.#directory}): ${text}`, { cause })
  }
}
