/**
 * The registry: the definitions of one router and of the routers mounted in it. Requests read its `catalog`, which is
 * rebuilt after each change.
 */

import type { Prepared } from '../support/prepared-json.js'
import type { Middleware } from './context.js'
import { checkToolName } from './define.js'
import type { Entry, EntryDefaults, EntryOf, Kind } from './entries.js'

/** A definition's place in a router. Updates replace its entry. */
export interface Registration {
  entry: Entry
  readonly order: number
  readonly registry: Registry
}

/** An entry as one router serves it: with its full name and all middleware around it. */
export interface CatalogItem<E extends Entry = Entry> {
  readonly entry: E
  /** Includes the prefixes of the routers that it is mounted through. Resources keep their own name. */
  readonly name: string
  /** The look-up key: the full name, or the URI. */
  readonly key: string
  /** Position in lists. Stays the same when other items are added or removed. Compared element by element. */
  readonly order: readonly number[]
  readonly middleware: readonly Middleware[]
  readonly registration: Registration
}

export interface CatalogSection<E extends Entry = Entry> {
  readonly items: readonly CatalogItem<E>[]
  readonly byKey: ReadonlyMap<string, CatalogItem<E>>
  /** Whether some item is visible to some callers only. */
  readonly perCaller: boolean
  /** Prepared list responses, kept as long as this section. */
  readonly prepared: Map<string, Prepared>
}

export interface Catalog {
  readonly tool: CatalogSection<EntryOf<'tool'>>
  readonly resource: CatalogSection<EntryOf<'resource'>>
  readonly template: CatalogSection<EntryOf<'template'>>
  readonly prompt: CatalogSection<EntryOf<'prompt'>>
}

interface Mount {
  readonly prefix: string
  readonly registry: Registry
  readonly order: number
}

export class Registry {
  /** Defaults and services for the definitions added to this router. */
  readonly defaults: EntryDefaults
  readonly #entries = new Map<string, Registration>()
  readonly #mounts: Mount[] = []
  readonly #middleware: Middleware[] = []
  readonly #parents: { prefix: string; registry: Registry }[] = []
  #next = 0
  #catalog: Catalog | undefined
  /** Called with the entries that were added, removed or updated. An update reports the old and the new entry. */
  onChange: ((entries: readonly Entry[]) => void) | undefined

  constructor(defaults: EntryDefaults) {
    this.defaults = defaults
  }

  /**
   * Adds an entry.
   * @throws Error if the name or URI is taken, in this router or in a router that it is mounted in.
   */
  add(entry: Entry): Registration {
    this.#assertFree(entry, entry.key)
    if (!isNamed(entry.kind) && this.#isReachedTwice()) throw new Error(duplicate(entry, entry, entry.key))
    const registration: Registration = { entry, order: this.#next++, registry: this }
    this.#entries.set(id(entry.kind, entry.key), registration)
    this.#changed([entry])
    return registration
  }

  /**
   * Replaces the entry of a registration.
   * @throws Error if the registration was removed.
   */
  replace(registration: Registration, entry: Entry): void {
    if (!this.holds(registration))
      throw new Error(`the ${entry.kind} "${entry.key}" was removed and cannot be updated; add it again`)
    const old = registration.entry
    registration.entry = entry
    this.#changed([old, entry])
  }

  /** Returns false if the registration was already removed, even if another one has its name. */
  remove(registration: Registration): boolean {
    if (!this.holds(registration)) return false
    this.#entries.delete(id(registration.entry.kind, registration.entry.key))
    this.#changed([registration.entry])
    return true
  }

  holds(registration: Registration): boolean {
    return this.#entries.get(id(registration.entry.kind, registration.entry.key)) === registration
  }

  use(middleware: Middleware): void {
    this.#middleware.push(middleware)
    this.#changed([])
  }

  /**
   * Mounts another registry.
   * @throws Error if a router would contain itself, or if a name or URI is taken.
   */
  mount(prefix: string, registry: Registry): void {
    if (registry === this || registry.#contains(this)) {
      throw new Error('use(): a router cannot be mounted in itself, nor in a router that it holds')
    }
    for (const section of Object.values(registry.catalog()) as CatalogSection[]) {
      for (const { entry, name } of section.items) this.#assertFree(entry, keyOf(entry, `${prefix}_${name}`))
    }
    this.#mounts.push({ prefix, registry, order: this.#next++ })
    registry.#parents.push({ prefix, registry: this })
    this.#changed(registry.entries())
  }

  catalog(): Catalog {
    this.#catalog ??= toCatalog(this.#resolve())
    return this.#catalog
  }

  /** Returns all entries, including mounted ones. */
  entries(): Entry[] {
    return Object.values(this.catalog()).flatMap(({ items }: CatalogSection) =>
      items.map(({ entry }) => entry),
    )
  }

  /** Returns the entry with this name or URI, including mounted ones. */
  find(kind: Kind, key: string): Entry | undefined {
    const registration = this.#entries.get(id(kind, key))
    if (registration !== undefined) return registration.entry
    for (const { prefix, registry } of this.#mounts) {
      const inner = isNamed(kind)
        ? key.startsWith(`${prefix}_`)
          ? key.slice(prefix.length + 1)
          : undefined
        : key
      const found = inner === undefined ? undefined : registry.find(kind, inner)
      if (found !== undefined) return found
    }
    return undefined
  }

  #resolve(): CatalogItem[] {
    const own = [...this.#entries.values()].map(
      (registration): CatalogItem => ({
        registration,
        entry: registration.entry,
        name: registration.entry.name,
        key: registration.entry.key,
        order: [registration.order],
        middleware: [...this.#middleware, ...registration.entry.middleware],
      }),
    )
    const mounted = this.#mounts.flatMap(({ prefix, registry, order }) =>
      registry.#resolve().map((item): CatalogItem => {
        const name = isNamed(item.entry.kind) ? `${prefix}_${item.name}` : item.name
        const middleware = [...this.#middleware, ...item.middleware]
        return {
          ...item,
          name,
          key: keyOf(item.entry, name),
          order: [order, ...item.order],
          middleware,
        }
      }),
    )
    return [...own, ...mounted].sort((a, b) => compareOrder(a.order, b.order))
  }

  #assertFree(entry: Entry, key: string): void {
    const taken = this.find(entry.kind, key)
    if (taken !== undefined) throw new Error(duplicate(taken, entry, key))
    if (entry.kind === 'tool') checkToolName(key, this.defaults.warn)
    for (const { prefix, registry } of this.#parents) {
      registry.#assertFree(entry, isNamed(entry.kind) ? `${prefix}_${key}` : key)
    }
  }

  /** Whether some router contains this one through two mounts, so that it would serve each URI twice. */
  #isReachedTwice(seen = new Set<Registry>()): boolean {
    return this.#parents.some(({ registry }) => {
      if (seen.has(registry)) return true
      seen.add(registry)
      return registry.#isReachedTwice(seen)
    })
  }

  #contains(registry: Registry): boolean {
    return this.#mounts.some((mount) => mount.registry === registry || mount.registry.#contains(registry))
  }

  #changed(entries: readonly Entry[]): void {
    this.#catalog = undefined
    if (entries.length > 0) this.onChange?.(entries)
    for (const { registry } of this.#parents) registry.#changed(entries)
  }
}

/** Compares element by element; a shorter one comes first. Returns -1, 0 or 1. */
export function compareOrder(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return Math.sign(a.length - b.length)
}

/** Whether entries of this kind are looked up by name (tools, prompts) rather than by URI (resources, templates). */
function isNamed(kind: Kind): boolean {
  return kind === 'tool' || kind === 'prompt'
}

function keyOf(entry: Entry, name: string): string {
  return isNamed(entry.kind) ? name : entry.key
}

function id(kind: Kind, key: string): string {
  return `${kind} ${key}`
}

function duplicate(first: Entry, second: Entry, key: string): string {
  const [a, b] = [first.place, second.place].map((place) => place ?? 'an unknown place')
  return `two ${first.kind}s are called "${key}": one defined at ${a}, the other at ${b}; rename or remove one of them`
}

function toCatalog(all: readonly CatalogItem[]): Catalog {
  const section = <K extends Kind>(kind: K): CatalogSection<EntryOf<K>> => {
    const items = all.filter((item): item is CatalogItem<EntryOf<K>> => item.entry.kind === kind)
    const byKey = new Map(items.map((item) => [item.key, item]))
    const perCaller = items.some(({ entry }) => entry.options.visible !== undefined)
    return { items, byKey, perCaller, prepared: new Map() }
  }
  return {
    tool: section('tool'),
    resource: section('resource'),
    template: section('template'),
    prompt: section('prompt'),
  }
}
