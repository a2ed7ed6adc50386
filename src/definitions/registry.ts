/**
 * Holds the definitions of one router and of those mounted in it. What requests read is the `catalog`: resolved once
 * after each change, so that a request only looks up.
 */

import type { Prepared } from '../support/prepared-json.js'
import type { Middleware } from './context.js'
import { checkToolName } from './define.js'
import type { Entry, EntryDefaults, EntryOf, Kind } from './entries.js'

/** One place in a router: it stays the same while its definition is updated. */
export interface Registration {
  entry: Entry
  readonly order: number
  readonly registry: Registry
}

/** An entry as one router serves it: under its full name, inside every middleware on the way. */
export interface CatalogItem<E extends Entry = Entry> {
  readonly entry: E
  /** With the prefixes of the routers in between; a resource's is its own name. */
  readonly name: string
  /** The look-up key: the full name, or the URI. */
  readonly key: string
  /** Position, stable while others come and go; compared part by part. */
  readonly order: readonly number[]
  readonly middleware: readonly Middleware[]
  readonly registration: Registration
}

export interface CatalogSection<E extends Entry = Entry> {
  readonly items: readonly CatalogItem<E>[]
  readonly byKey: ReadonlyMap<string, CatalogItem<E>>
  /** Some item shows itself to some callers only. */
  readonly perCaller: boolean
  /** Texts prepared from this section; they live as long as it does. */
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
  /** What this router gives to every definition added to it. */
  readonly defaults: EntryDefaults
  readonly #entries = new Map<string, Registration>()
  readonly #mounts: Mount[] = []
  readonly #middleware: Middleware[] = []
  readonly #parents: { prefix: string; registry: Registry }[] = []
  #next = 0
  #catalog: Catalog | undefined
  /** Told what came, went or is another now: then both are named. */
  onChange: ((entries: readonly Entry[]) => void) | undefined

  constructor(defaults: EntryDefaults) {
    this.defaults = defaults
  }

  /** Throws when the name or URI is taken, here or in a router that this one is mounted in. */
  add(entry: Entry): Registration {
    this.#assertFree(entry, entry.key)
    if (!named(entry.kind) && this.#servedTwice()) throw new Error(duplicate(entry, entry, entry.key))
    const held: Registration = { entry, order: this.#next++, registry: this }
    this.#entries.set(id(entry.kind, entry.key), held)
    this.#changed([entry])
    return held
  }

  /** Puts a changed definition in the place of the old one. */
  replace(held: Registration, entry: Entry): void {
    if (!this.holds(held))
      throw new Error(`the ${entry.kind} "${entry.key}" was removed and cannot be updated; add it anew`)
    const old = held.entry
    held.entry = entry
    this.#changed([old, entry])
  }

  /** False when it was gone already, even if another one has its name now. */
  remove(held: Registration): boolean {
    if (!this.holds(held)) return false
    this.#entries.delete(id(held.entry.kind, held.entry.key))
    this.#changed([held.entry])
    return true
  }

  holds(held: Registration): boolean {
    return this.#entries.get(id(held.entry.kind, held.entry.key)) === held
  }

  use(middleware: Middleware): void {
    this.#middleware.push(middleware)
    this.#changed([])
  }

  /** Throws when this would close a circle, or when a name or URI is taken. */
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
    this.#catalog ??= toCatalog(this.#served())
    return this.#catalog
  }

  /** All of them, mounted ones included. */
  entries(): Entry[] {
    return Object.values(this.catalog()).flatMap(({ items }: CatalogSection) =>
      items.map(({ entry }) => entry),
    )
  }

  /** The definition behind a name or URI, mounted ones included. */
  find(kind: Kind, key: string): Entry | undefined {
    const held = this.#entries.get(id(kind, key))
    if (held !== undefined) return held.entry
    for (const { prefix, registry } of this.#mounts) {
      const inner = named(kind)
        ? key.startsWith(`${prefix}_`)
          ? key.slice(prefix.length + 1)
          : undefined
        : key
      const found = inner === undefined ? undefined : registry.find(kind, inner)
      if (found !== undefined) return found
    }
    return undefined
  }

  #served(): CatalogItem[] {
    const own = [...this.#entries.values()].map(
      (held): CatalogItem => ({
        registration: held,
        entry: held.entry,
        name: held.entry.name,
        key: held.entry.key,
        order: [held.order],
        middleware: [...this.#middleware, ...held.entry.middleware],
      }),
    )
    const mounted = this.#mounts.flatMap(({ prefix, registry, order }) =>
      registry.#served().map((served): CatalogItem => {
        const name = named(served.entry.kind) ? `${prefix}_${served.name}` : served.name
        const middleware = [...this.#middleware, ...served.middleware]
        return {
          ...served,
          name,
          key: keyOf(served.entry, name),
          order: [order, ...served.order],
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
      registry.#assertFree(entry, named(entry.kind) ? `${prefix}_${key}` : key)
    }
  }

  /** Whether some router reaches this one on two ways: then a URI would be there twice. */
  #servedTwice(seen = new Set<Registry>()): boolean {
    return this.#parents.some(({ registry }) => {
      if (seen.has(registry)) return true
      seen.add(registry)
      return registry.#servedTwice(seen)
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

/** Part by part, a shorter one first: negative, 0 or positive. */
export function compareOrder(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return Math.sign(a.length - b.length)
}

/** Tools and prompts are found by name, resources and templates by URI. */
function named(kind: Kind): boolean {
  return kind === 'tool' || kind === 'prompt'
}

function keyOf(entry: Entry, name: string): string {
  return named(entry.kind) ? name : entry.key
}

function id(kind: Kind, key: string): string {
  return `${kind} ${key}`
}

function duplicate(first: Entry, second: Entry, key: string): string {
  const [a, b] = [first.place, second.place].map((place) => place ?? 'a place this runtime does not tell')
  return `two ${first.kind}s are called "${key}": one defined at ${a}, the other at ${b}; rename or remove one of them`
}

function toCatalog(served: readonly CatalogItem[]): Catalog {
  const section = <K extends Kind>(kind: K): CatalogSection<EntryOf<K>> => {
    const items = served.filter((item): item is CatalogItem<EntryOf<K>> => item.entry.kind === kind)
    const byKey = new Map(items.map((item) => [item.key, item]))
    const shaped = items.some(({ entry }) => entry.options.visible !== undefined)
    return { items, byKey, perCaller: shaped, prepared: new Map() }
  }
  return {
    tool: section('tool'),
    resource: section('resource'),
    template: section('template'),
    prompt: section('prompt'),
  }
}
