/**
 * The routes of mounted apps as tools of one router. Discovery is asked once, and again when an app has grown; a router
 * without apps pays one comparison per request.
 */

import type { Entry, EntryDefaults } from '../definitions/entries.js'
import type { Held, Registry } from '../definitions/registry.js'
import type { Log } from '../log.js'
import { describe } from '../protocol/jsonrpc.js'
import { watchCookies } from './answer-cookies.js'
import { addressOf, type Exposed, expose, toChoice } from './exposure.js'
import { nameOfRoute } from './naming.js'
import type { Rival } from './path-builder.js'
import { type RoutePosture, type Standing, toPosture, unreadPosture } from './posture.js'
import { rivalsIn } from './rivals.js'
import type { Discovered, InnerResponse, Route, RouteSource } from './route.js'
import type { AnyRouteOptions } from './route-options.js'
import { routeEntry } from './route-tool.js'
import { warningsOf } from './route-warnings.js'

/** How a framework's mount reads its apps. */
export interface RouteReader {
  /** The app that holds this one and all others; `undefined`: no app of this framework. */
  rootOf(app: unknown): object | undefined
  /** `from`: the app that the mount stands in, which may be a part of `root`. */
  open(root: object, options: AnyRouteOptions, from: unknown): RouteSource
}

/** One app, whatever number of mounts stand in it. */
interface Attached {
  readonly root: object
  readonly source: RouteSource
  /** One per mount; calls travel by the first. */
  readonly options: AnyRouteOptions[]
  readonly watch: (response: InnerResponse) => void
  /** By address. */
  readonly placed: Map<string, Placed>
  fingerprint: string | number | undefined
  /** False: nobody asked for its routes so far. */
  complete: boolean
  postures: readonly RoutePosture[]
  /** Why routes that were to be tools are none. */
  errors: readonly Error[]
}

/** A tool as it was made: an entry that differs was updated by the app. */
interface Placed {
  readonly held: Held
  readonly entry: Entry
}

export class RouteTools {
  readonly #registry: Registry
  readonly #log: Log
  readonly #searches: boolean
  readonly #readers: { readonly reader: RouteReader; readonly options: AnyRouteOptions }[] = []
  readonly #attached: Attached[] = []
  readonly #below: RouteTools[] = []
  readonly #said = new Set<string>()

  constructor(registry: Registry, log: Log, { searches }: { readonly searches: boolean }) {
    this.#registry = registry
    this.#log = log
    this.#searches = searches
  }

  /** Whether there is an app to ask. */
  get active(): boolean {
    return this.#attached.length > 0 || this.#below.some((one) => one.active)
  }

  /** Names that were taken and schemas that could not be read, at the last discovery. */
  get errors(): readonly Error[] {
    return [...this.#attached.flatMap(({ errors }) => errors), ...this.#below.flatMap((one) => one.errors)]
  }

  /** A mount of a framework; its apps are read in its way. */
  offer(reader: RouteReader, options: AnyRouteOptions): void {
    this.#readers.push({ reader, options })
  }

  /** The routes of a router that is mounted in this one. */
  include(below: RouteTools): void {
    this.#below.push(below)
  }

  /** Reads an app from now on. @throws TypeError when no mount of this router can. */
  open(app: unknown): void {
    const found = this.#readers.filter(({ reader }) => reader.rootOf(app) !== undefined)
    for (const { reader, options } of found) this.attach(reader, options, app)
    if (found.length > 0) return
    throw new TypeError(
      `{ app }: expected an app of the framework that this router is mounted in, mounted before it is read; got ${describe(app)}`,
    )
  }

  attach(reader: RouteReader, options: AnyRouteOptions, app: unknown): void {
    const root = reader.rootOf(app)
    if (root === undefined) throw new TypeError(`expected an app, got ${describe(app)}`)
    const known = this.#attached.find((one) => one.root === root)
    if (known === undefined) {
      this.#attached.push({
        root,
        source: reader.open(root, options, app),
        options: [options],
        watch: watchCookies(this.#log.warn),
        placed: new Map(),
        fingerprint: undefined,
        complete: false,
        postures: [],
        errors: [],
      })
    } else if (!known.options.includes(options)) {
      known.options.push(options)
      known.fingerprint = undefined
    }
  }

  /** Before a request is served. A call of a tool that is there, by its own name, needs to know of no other. */
  notice(called: unknown): void {
    if (!this.#searches && typeof called === 'string' && this.#registry.catalog().tool.byKey.has(called))
      return
    this.refresh()
  }

  /**
   * Asks every app whether it has grown. Never throws: one unreadable app hides no other. `all`: also those where no
   * route is to be a tool, for the report.
   */
  refresh({ all = false }: { readonly all?: boolean } = {}): void {
    for (const attached of this.#attached) this.#read(attached, all)
    for (const below of this.#below) below.refresh({ all })
  }

  /** Every route of every app, tools or not, and what could not be read. */
  postures(): RoutePosture[] {
    return [
      ...this.#attached.flatMap(({ postures }) => postures),
      ...this.#below.flatMap((one) => one.postures()),
    ]
  }

  #read(attached: Attached, all: boolean): void {
    try {
      const fingerprint = attached.source.fingerprint()
      if (fingerprint === attached.fingerprint && (attached.complete || !all)) return
      attached.fingerprint = fingerprint
      attached.complete = all || isAsked(attached)
      if (!attached.complete) return
      this.#build(attached, attached.source.discover())
    } catch (error) {
      this.#warn(`routes: the app cannot be read: ${messageOf(error)}`)
    }
  }

  #build(attached: Attached, discovered: Discovered): void {
    const { routes, unread } = discovered
    const choices = attached.options.map(toChoice)
    const exposed = expose(routes, choices)
    const guards = new Set(attached.options.flatMap((options) => options.guards ?? []))
    const errors: Error[] = []
    const rivalsOf = rivalsIn(discovered)
    this.#removeGone(attached, exposed)
    const standings = exposed.map(({ route, reason }): Standing => {
      if (reason !== undefined) return { reason }
      try {
        return this.#place(attached, route, { guards, rivals: rivalsOf(route.method) })
      } catch (error) {
        errors.push(error as Error)
        this.#log.error(`${route.method} ${route.template.text} is no tool: ${messageOf(error)}`)
        return { reason: messageOf(error) }
      }
    })
    attached.errors = errors
    attached.postures = [
      ...exposed.map(({ route }, index) => toPosture(route, standings[index] as Standing, guards)), // as many
      ...unread.map(unreadPosture),
    ]
    const chosen = { options: attached.options, tools: attached.placed.size, searches: this.#searches }
    for (const warning of warningsOf(discovered, chosen)) this.#warn(warning)
  }

  /** Adds a route's tool, or puts it in the place of its former self. @throws Error when its name is taken. */
  #place(
    attached: Attached,
    route: Route,
    around: { readonly guards: ReadonlySet<string>; readonly rivals: readonly Rival[] },
  ): Standing {
    const name = nameOfRoute(route)
    const { source, watch, placed } = attached
    const [options = {}] = attached.options
    const address = addressOf(route)
    const defaults: EntryDefaults = { ...this.#registry.defaults, warn: (message) => this.#warn(message) }
    const posture = { ...toPosture(route, { tool: name }, around.guards), tool: name }
    const entry = routeEntry(route, posture, {
      source,
      options,
      defaults,
      rivals: around.rivals,
      watch,
    })
    const before = placed.get(address)
    if (before === undefined) {
      placed.set(address, { held: this.#registry.add(entry), entry })
      return { tool: name }
    }
    const { held } = before
    if (!this.#registry.holds(held)) return { reason: 'it was removed' }
    if (held.entry === before.entry) {
      this.#registry.replace(held, entry)
      placed.set(address, { held, entry })
    }
    return { tool: name }
  }

  #removeGone({ placed }: Attached, exposed: readonly Exposed[]): void {
    const wanted = new Map(
      exposed
        .filter(({ reason }) => reason === undefined)
        .map(({ route }) => [addressOf(route), nameOfRoute(route)]),
    )
    for (const [address, { held, entry }] of placed) {
      if (wanted.get(address) === entry.name) continue
      this.#registry.remove(held)
      placed.delete(address)
    }
  }

  #warn(message: string): void {
    if (this.#said.has(message)) return
    this.#said.add(message)
    this.#log.warn(message)
  }
}

/** Some mount names routes, or some route names itself. */
function isAsked({ options, placed, source }: Attached): boolean {
  if (placed.size > 0 || options.some(({ include }) => include !== undefined)) return true
  return source.marked?.() !== false
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
