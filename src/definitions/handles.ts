/** What a definition hands back: what it says, and the ways to change or remove it while clients are connected. */

import { checkOptions } from '../support/check-options.js'
import { isThenable } from '../support/maybe-promise.js'
import { describe } from '../support/values.js'
import { type AnyDefinition, type DefinitionParts, definition, ownerOf, partsOf } from './define.js'
import type { Entry } from './entries.js'
import type { Registration } from './registry.js'
import { labelText, type RouteReport } from './route-report.js'
import { tables } from './tables.js'
import { toEntry } from './to-entry.js'

/** What can be defined. */
export type HandleKind = 'tool' | 'resource' | 'prompt'
/** `route`: an existing route that is no tool. */
export type ListedKind = HandleKind | 'route'

/** Reads as the definition is now. */
export interface Handle<K extends ListedKind = HandleKind> {
  readonly kind: K
  /** With the prefixes of the routers in between. */
  readonly name: string
  /** Resources only: the URI or the URI template. */
  readonly uri: string | undefined
  readonly title: string | undefined
  readonly description: string | undefined
  /** Tools only: as published. */
  readonly inputSchema: object | undefined
  readonly outputSchema: object | undefined
  readonly annotations: object | undefined
  /** Where an existing route is behind it, or would be. */
  readonly route: RouteReport | undefined
  /** Changes some of its options; the others stay. Takes effect with the next request. @throws as the definition did. */
  update(changes: object): void
  /** False when it was gone already. */
  remove(): boolean
}

export function toHandle(held: Registration, name: string): Handle {
  const { registry } = held
  const listed = (key: string): unknown => held.entry.listed[key]
  return {
    kind: kindOf(held.entry),
    name,
    uri: uriOf(held.entry),
    get title() {
      return listed('title') as string | undefined
    },
    get description() {
      return held.entry.options.description as string | undefined
    },
    get inputSchema() {
      return listed('inputSchema') as object | undefined
    },
    get outputSchema() {
      return listed('outputSchema') as object | undefined
    },
    get annotations() {
      return listed('annotations') as object | undefined
    },
    get route() {
      return held.entry.kind === 'tool' ? held.entry.route : undefined
    },
    update: (changes) => registry.replace(held, rebuild(held, changes)),
    remove: () => registry.remove(held),
  }
}

function kindOf({ kind }: Entry): HandleKind {
  return kind === 'template' ? 'resource' : kind
}

function uriOf({ kind, key }: Entry): string | undefined {
  return kind === 'resource' || kind === 'template' ? key : undefined
}

function rebuild({ entry, registry }: Registration, changes: object): Entry {
  const kind = kindOf(entry)
  checkOptions(`update() of ${ownerOf(kind, entry.key)}`, changes, tables[kind])
  if ('name' in changes) {
    throw new TypeError(
      `${ownerOf(kind, entry.key)}: update() cannot change \`name\`; remove it and add it anew`,
    )
  }
  const options = { ...entry.options, ...changes }
  const parts = partsOf(
    definition({ kind, uri: uriOf(entry), name: entry.name, place: entry.place }, options),
  )
  const made = toEntry(parts as DefinitionParts, entry.name, registry.defaults)
  return entry.kind === 'tool' && entry.route !== undefined
    ? ({ ...made, route: entry.route } as Entry)
    : made
}

/** A route that is no tool, as the router lists it. */
export function toRouteHandle(route: RouteReport): Handle<'route'> {
  const name = labelText(route.method, route.path, route.constraints)
  const nothing = { uri: undefined, title: undefined, description: undefined } as const
  return {
    ...nothing,
    kind: 'route',
    name,
    inputSchema: undefined,
    outputSchema: undefined,
    annotations: undefined,
    route,
    update() {
      throw new TypeError(`${name} is no tool and cannot be updated: ${route.reason}`)
    },
    remove: () => false,
  }
}

/**
 * A definition by itself, own members under their keys, or an array's, which have names of their own.
 * @throws TypeError when there is none.
 */
export function membersOf(holder: unknown): (readonly [name: string | undefined, member: AnyDefinition])[] {
  if (isDefinition(holder)) return [[undefined, holder]]
  const named = !Array.isArray(holder)
  const members = Object.entries(holder ?? {}).filter((member): member is [string, AnyDefinition] =>
    isDefinition(member[1]),
  )
  if (members.length === 0) throw new TypeError(`add(): ${nothingIn(holder)}`)
  return members.map(([key, member]) => [named && key !== 'default' ? key : undefined, member])
}

/** Why there is no definition in it, for the usual slips. */
function nothingIn(holder: unknown): string {
  if (isThenable(holder)) return 'expected definitions, got a promise; did you forget `await`?'
  if (typeof holder === 'function')
    return `expected definitions, got ${describe(holder)}; a class is added as an instance, \`new …\``
  return `expected tool(), resource() or prompt(), alone or as members; got ${describe(holder)} without any`
}

function isDefinition(value: unknown): value is AnyDefinition {
  return partsOf(value) !== undefined
}
