/** Handles: describe a definition and let the app update or remove it while clients are connected. */

import { checkOptions } from '../support/check-options.js'
import { isThenable } from '../support/maybe-promise.js'
import { describe } from '../support/values.js'
import { type AnyDefinition, type DefinitionParts, definition, ownerOf, partsOf } from './define.js'
import type { Entry } from './entries.js'
import type { Registration } from './registry.js'
import { labelText, type RouteReport } from './route-report.js'
import { tables } from './tables.js'
import { toEntry } from './to-entry.js'

/** The kinds of definitions. */
export type HandleKind = 'tool' | 'resource' | 'prompt'
/** The kinds of listed items. `route`: an existing route that isn't a tool. */
export type ListedKind = HandleKind | 'route'

/** A definition in a router. Its members always return the current values. */
export interface Handle<K extends ListedKind = HandleKind> {
  readonly kind: K
  /** Includes the prefixes of the routers that it is mounted through. */
  readonly name: string
  /** Resources only: the URI or the URI template. */
  readonly uri: string | undefined
  readonly title: string | undefined
  readonly description: string | undefined
  /** Tools only: the published schema. */
  readonly inputSchema: object | undefined
  readonly outputSchema: object | undefined
  readonly annotations: object | undefined
  /** Set if an existing route implements it, or, for kind `route`, the route itself. */
  readonly route: RouteReport | undefined
  /**
   * Changes the given options and keeps the others. Takes effect with the next request.
   * @throws TypeError or Error, as the definition does.
   */
  update(changes: object): void
  /** Returns false if the definition was already removed. */
  remove(): boolean
}

export function toHandle(registration: Registration, name: string): Handle {
  const { registry } = registration
  const listed = (key: string): unknown => registration.entry.listed[key]
  return {
    kind: kindOf(registration.entry),
    name,
    uri: uriOf(registration.entry),
    get title() {
      return listed('title') as string | undefined
    },
    get description() {
      return registration.entry.options.description as string | undefined
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
      return registration.entry.kind === 'tool' ? registration.entry.route : undefined
    },
    update: (changes) => registry.replace(registration, rebuild(registration, changes)),
    remove: () => registry.remove(registration),
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
      `${ownerOf(kind, entry.key)}: update() cannot change \`name\`; remove it and add it again`,
    )
  }
  const options = { ...entry.options, ...changes }
  const parts = partsOf(
    definition({ kind, uri: uriOf(entry), name: entry.name, place: entry.place }, options),
  )
  const updated = toEntry(parts as DefinitionParts, entry.name, registry.defaults)
  return entry.kind === 'tool' && entry.route !== undefined
    ? ({ ...updated, route: entry.route } as Entry)
    : updated
}

/** Creates the handle of a route that isn't a tool. */
export function toRouteHandle(route: RouteReport): Handle<'route'> {
  const name = labelText(route.method, route.path, route.constraints)
  const noDetails = { uri: undefined, title: undefined, description: undefined } as const
  return {
    ...noDetails,
    kind: 'route',
    name,
    inputSchema: undefined,
    outputSchema: undefined,
    annotations: undefined,
    route,
    update() {
      throw new TypeError(`${name} is not a tool and cannot be updated: ${route.reason}`)
    },
    remove: () => false,
  }
}

/**
 * Returns the definitions in `holder`: a single definition, the members of an object under their keys, or the members
 * of an array, which have their own names.
 * @throws TypeError if there are none.
 */
export function membersOf(holder: unknown): (readonly [name: string | undefined, member: AnyDefinition])[] {
  if (isDefinition(holder)) return [[undefined, holder]]
  const named = !Array.isArray(holder)
  const members = Object.entries(holder ?? {}).filter((member): member is [string, AnyDefinition] =>
    isDefinition(member[1]),
  )
  if (members.length === 0) throw new TypeError(`add(): ${noDefinitions(holder)}`)
  return members.map(([key, member]) => [named && key !== 'default' ? key : undefined, member])
}

/** Describes why `holder` contains no definition, for common mistakes. */
function noDefinitions(holder: unknown): string {
  if (isThenable(holder)) return 'expected definitions, got a promise; did you forget `await`?'
  if (typeof holder === 'function')
    return `expected definitions, got ${describe(holder)}; a class is added as an instance, \`new …\``
  return `expected tool(), resource() or prompt(), alone or as members; got ${describe(holder)} without definitions`
}

function isDefinition(value: unknown): value is AnyDefinition {
  return partsOf(value) !== undefined
}
