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
import { describedBy, type RouteDocument } from './route-document.js'
import type { AnyRouteOptions, RouteOptions } from './route-options.js'
import { routeEntry } from './route-tool.js'
import { warningsOf } from './route-warnings.js'

/** How a framework's mount reads its apps. */
export interface RouteReader {
  /** The app that holds this one and all others; `undefined`: no app of this framework. */
  rootOf(app: unknown): object | undefined
  /** `from`: the app that the mount stands in, which may be a part of `root`. */
  open(root: object, options: AnyRouteOptions, from: unknown): RouteSource
  /** The option `openapi`. @throws Error for what can be seen to be none. */
  document?(given: NonNullable<RouteOptions['openapi']>): RouteDocument
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
  /** Apps that were only looked into. */
  readonly #opened = new WeakMap<object, RouteSource>()

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

  /**
   * Before a request is served. A call of a tool that is there, by its own name, needs to know of no other. What comes
   * back is there to wait for.
   */
  notice(called: unknown): Promise<void> | undefined {
    if (!this.#searches && typeof called === 'string' && this.#registry.catalog().tool.byKey.has(called))
      return undefined
    this.refresh()
    return this.settled()
  }

  /** Resolves when no document is being read any more; `undefined`: none is. */
  settled(): Promise<void> | undefined {
    const pending = this.#documents().flatMap((document) => document.open() ?? [])
    if (pending.length === 0) return undefined
    return Promise.all(pending).then(() => this.refresh())
  }

  /** An app as one of the mounts reads it. */
  sourceOf(app: unknown): RouteSource | undefined {
    const attached = this.#attachedFor(app)
    if (attached !== undefined) return attached.source
    for (const { reader, options } of this.#readers) {
      const root = reader.rootOf(app)
      if (root === undefined) continue
      const source = this.#opened.get(root) ?? reader.open(root, options, app)
      this.#opened.set(root, source)
      return source
    }
    return undefined
  }

  posturesOf(app: unknown): readonly RoutePosture[] {
    this.refresh({ all: true })
    return this.#attachedFor(app)?.postures ?? []
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

  #attachedFor(app: unknown): Attached | undefined {
    const roots = this.#readers.map(({ reader }) => reader.rootOf(app)).filter((root) => root !== undefined)
    return this.#attached.find(({ root }) => roots.includes(root))
  }

  #documents(): readonly RouteDocument[] {
    const own = this.#attached.flatMap(documentsOf)
    return [...own, ...this.#below.flatMap((one) => one.#documents())]
  }

  #read(attached: Attached, all: boolean): void {
    try {
      const documents = documentsOf(attached)
      for (const document of documents) document.open()
      const states = documents.map(({ state }) => state)
      const fingerprint = [attached.source.fingerprint(), ...states].join()
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
    const { unread } = discovered
    const { routes, warnings, obstacle, errors } = describedBy(documentsOf(attached), discovered.routes)
    const choices = attached.options.map(toChoice)
    const exposed = expose(routes, choices).map(({ route, reason = obstacle }) => ({ route, reason }))
    const guards = new Set(
      [...this.#readers.map(({ options }) => options), ...attached.options].flatMap(
        (options) => options.guards ?? [],
      ),
    )
    const rivalsOf = rivalsIn(discovered)
    for (const error of errors) this.#say('error', `routes: ${error.message}`)
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
    for (const warning of warnings) this.#warn(`routes: ${warning}`)
    for (const warning of warningsOf({ ...discovered, routes }, chosen)) this.#warn(warning)
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
    this.#say('warn', message)
  }

  #say(level: 'warn' | 'error', message: string): void {
    if (this.#said.has(message)) return
    this.#said.add(message)
    this.#log[level](message)
  }
}

function documentsOf({ options }: Attached): RouteDocument[] {
  return options.flatMap(({ document }) => document ?? [])
}

/** Some mount names routes, or has a document that may, or some route names itself. */
function isAsked({ options, placed, source }: Attached): boolean {
  const asks = ({ include, document }: AnyRouteOptions): boolean => (include ?? document) !== undefined
  if (placed.size > 0 || options.some(asks)) return true
  return source.marked?.() !== false
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
