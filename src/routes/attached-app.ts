/** The routes of one app, registered as tools of a router. All mounts in the app share one `AttachedApp`. */

import type { Entry, EntryDefaults } from '../definitions/entries.js'
import type { Registration, Registry } from '../definitions/registry.js'
import type { RouteReport } from '../definitions/route-report.js'
import { otherRoutesOf, routeConflicts } from './discovery/route-conflicts.js'
import { type RouteStatus, toRouteReport, unreadRouteReport, warningsOf } from './discovery/route-report.js'
import {
  addressOf,
  exclusionsOf,
  type SelectedRoute,
  selectRoutes,
  toRouteSelection,
  withToolOptions,
} from './discovery/route-selection.js'
import { nameOfRoute } from './naming.js'
import { cookieWatcher } from './response/session-cookies.js'
import { type Discovered, type InnerResponse, labelOf, type Route, type RouteSource } from './route.js'
import type { AnyRouteOptions } from './route-options.js'
import { type RouteToolContext, routeEntry } from './route-tool.js'
import { applyDocuments, type RouteDocument } from './schema/route-document.js'

/** Context that all apps of a router share. */
export interface AppContext {
  readonly registry: Registry
  /** Whether the router lists search tools instead of all its tools (`toolSearch`). */
  readonly searches: boolean
  /** Names of middleware that a mount declares as checks of the caller. */
  guards(): readonly string[]
  /** Logs each message once. */
  logOnce(level: 'warn' | 'error', message: string): void
}

/**
 * A registered tool with the entry it was registered with. If the registration has another entry, the app updated it.
 */
interface RegisteredTool {
  readonly registration: Registration
  readonly entry: Entry
}

/** Information about the whole app that a route needs to become a tool. */
interface RegistrationContext extends Pick<RouteToolContext, 'conflicts' | 'others'> {
  readonly guards: ReadonlySet<string>
}

export class AttachedApp {
  readonly root: object
  readonly source: RouteSource
  /** The reports of the last discovery. */
  reports: readonly RouteReport[] = []
  /** Errors of routes that could not become tools. */
  errors: readonly Error[] = []
  readonly #context: AppContext
  /** The options of each mount. Calls use the first ones. */
  readonly options: AnyRouteOptions[] = []
  /** The documents of all mounts, in their order. */
  readonly documents: RouteDocument[] = []
  readonly #onResponse: (response: InnerResponse) => void
  /** By route address. */
  readonly #registered = new Map<string, RegisteredTool>()
  #fingerprint: string | number | undefined
  /** The states of the documents at the last discovery. */
  #states = ''
  /** False until somebody asks for the app's routes. */
  #complete = false

  constructor(root: object, source: RouteSource, context: AppContext) {
    this.root = root
    this.source = source
    this.#context = context
    this.#onResponse = cookieWatcher((message) => context.logOnce('warn', message))
  }

  /** Adds the options of a mount. */
  add(options: AnyRouteOptions): void {
    if (this.options.includes(options)) return
    this.options.push(options)
    if (options.document !== undefined) this.documents.push(options.document)
    this.#fingerprint = undefined
  }

  /** Removes the app's tools. */
  removeTools(): void {
    this.#removeGone([])
  }

  /**
   * Updates the tools if the app has changed. `all`: reads the app even if none of its routes can become a tool. Never
   * throws. An app that can't be read gets no tools, because they would run without the checks of the app's current
   * routes.
   */
  refresh(all: boolean): void {
    try {
      let states = ''
      for (const document of this.documents) {
        document.open()
        states += document.state
      }
      const fingerprint = this.source.fingerprint()
      const isSame = fingerprint === this.#fingerprint && states === this.#states
      if (isSame && (this.#complete || !all)) return
      this.#fingerprint = fingerprint
      this.#states = states
      this.#complete = all || this.#mayHaveTools()
      if (this.#complete) this.#build(this.source.discover())
    } catch (error) {
      this.#removeGone([])
      this.#warn(`routes: the app cannot be read: ${messageOf(error)}`)
    }
  }

  #build(discovered: Discovered): void {
    const { unread, patterns } = discovered
    const { routes, warnings, obstacle, errors } = applyDocuments(this.documents, discovered.routes)
    const choices = this.options.map(toRouteSelection)
    const exposed = selectRoutes(routes, choices, patterns).map(({ reason = obstacle, route, ...rest }) => {
      const tool = withToolOptions(route, choices)
      const isHidden = tool.marker?.hidden === true
      // Uses the route as discovered: an entry in a mount's `tools` doesn't make that mount expose the route.
      const exclusions = () => exclusionsOf(route, choices)
      return { ...rest, route: tool, exclusions, reason: reason ?? (isHidden ? 'hidden' : undefined) }
    })
    const guards = new Set(this.#context.guards())
    const conflictsFor = routeConflicts(discovered)
    for (const error of errors) this.#context.logOnce('error', `routes: ${error.message}`)
    this.#removeGone(exposed)
    const statuses = exposed.map(({ route, reason, exclusions }, at): RouteStatus => {
      if (reason !== undefined) return { reason }
      try {
        return this.#registerTool(route, {
          guards,
          conflicts: conflictsFor(route.method),
          others: [...otherRoutesOf(route, at, patterns), ...exclusions()],
        })
      } catch (error) {
        errors.push(error as Error)
        this.#context.logOnce('error', `${labelOf(route)} is not a tool: ${messageOf(error)}`)
        return { reason: messageOf(error) }
      }
    })
    this.errors = errors
    this.reports = [
      ...exposed.map(({ route }, index) => toRouteReport(route, statuses[index] as RouteStatus, guards)), // same length
      ...unread.map(unreadRouteReport),
    ]
    const selection = {
      options: this.options,
      exposed,
      tools: this.#registered.size,
      searches: this.#context.searches,
    }
    for (const warning of warnings) this.#warn(`routes: ${warning}`)
    for (const warning of warningsOf({ ...discovered, routes }, selection)) this.#warn(warning)
  }

  /**
   * Adds a route's tool, or replaces the tool that the route had previous.
   * @throws Error if the tool's name is taken.
   */
  #registerTool(route: Route, { guards, ...around }: RegistrationContext): RouteStatus {
    const name = nameOfRoute(route)
    const { registry } = this.#context
    const placed = this.#registered
    const [options = {}] = this.options
    const address = addressOf(route)
    const defaults: EntryDefaults = { ...registry.defaults, warn: (message) => this.#warn(message) }
    const report = { ...toRouteReport(route, { tool: name }, guards), tool: name }
    const entry = routeEntry(route, report, {
      source: this.source,
      options,
      defaults,
      ...around,
      onResponse: this.#onResponse,
    })
    const previous = placed.get(address)
    if (previous === undefined) {
      placed.set(address, { registration: registry.add(entry), entry })
      return { tool: name }
    }
    const { registration } = previous
    if (!registry.holds(registration)) return { reason: 'it was removed' }
    if (registration.entry === previous.entry) {
      registry.replace(registration, entry)
      placed.set(address, { registration, entry })
    }
    return { tool: name }
  }

  #removeGone(exposed: readonly SelectedRoute[]): void {
    const wanted = new Map(
      exposed
        .filter(({ reason }) => reason === undefined)
        .map(({ route }) => [addressOf(route), nameOfRoute(route)]),
    )
    for (const [address, { registration, entry }] of this.#registered) {
      if (wanted.get(address) === entry.name) continue
      this.#context.registry.remove(registration)
      this.#registered.delete(address)
    }
  }

  /** Whether a mount includes routes, has a document that may mark some, or the app may contain marked routes. */
  #mayHaveTools(): boolean {
    const selects = ({ include, document }: AnyRouteOptions): boolean => (include ?? document) !== undefined
    return this.#registered.size > 0 || this.options.some(selects) || this.source.marked?.() !== false
  }

  #warn(message: string): void {
    this.#context.logOnce('warn', message)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
