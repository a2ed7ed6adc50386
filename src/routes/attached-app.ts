/** The routes of one app, whatever number of mounts stand in it, as tools of their router. */

import type { Entry, EntryDefaults } from '../definitions/entries.js'
import type { Registration, Registry } from '../definitions/registry.js'
import type { RouteReport } from '../definitions/route-report.js'
import { otherRoutesOf, routeConflicts } from './discovery/route-conflicts.js'
import { type RouteStatus, toRouteReport, unreadRouteReport, warningsOf } from './discovery/route-report.js'
import {
  addressOf,
  configured,
  exclusionsOf,
  type SelectedRoute,
  selectRoutes,
  toRouteSelection,
} from './discovery/route-selection.js'
import { nameOfRoute } from './naming.js'
import { watchCookies } from './response/session-cookies.js'
import { type Discovered, type InnerResponse, labelOf, type Route, type RouteSource } from './route.js'
import type { AnyRouteOptions } from './route-options.js'
import { type RouteToolContext, routeEntry } from './route-tool.js'
import { describedBy, type RouteDocument } from './schema/route-document.js'

/** What all apps of a router share. */
export interface AppContext {
  readonly registry: Registry
  /** The router lists three tools that find the others. */
  readonly searches: boolean
  /** Names of middleware that some mount calls a check of the caller. */
  guards(): readonly string[]
  /** Says each thing once. */
  say(level: 'warn' | 'error', message: string): void
}

/** A tool as it was made: an entry that differs was updated by the app. */
interface RegisteredTool {
  readonly held: Registration
  readonly entry: Entry
}

/** What is known of all routes of the app when one of them becomes a tool. */
interface Around extends Pick<RouteToolContext, 'conflicts' | 'others'> {
  readonly guards: ReadonlySet<string>
}

export class AttachedApp {
  readonly root: object
  readonly source: RouteSource
  /** At the last discovery. */
  reports: readonly RouteReport[] = []
  /** Why routes that were to be tools are none. */
  errors: readonly Error[] = []
  readonly #context: AppContext
  /** One per mount; calls travel by the first. */
  readonly options: AnyRouteOptions[] = []
  /** Of all mounts, in their order. */
  readonly documents: RouteDocument[] = []
  readonly #watch: (response: InnerResponse) => void
  /** By address. */
  readonly #placed = new Map<string, RegisteredTool>()
  #fingerprint: string | number | undefined
  /** The states of the documents at the last discovery. */
  #states = ''
  /** False: nobody asked for its routes so far. */
  #complete = false

  constructor(root: object, source: RouteSource, context: AppContext) {
    this.root = root
    this.source = source
    this.#context = context
    this.#watch = watchCookies((message) => context.say('warn', message))
  }

  /** The wishes of one more mount. */
  add(options: AnyRouteOptions): void {
    if (this.options.includes(options)) return
    this.options.push(options)
    if (options.document !== undefined) this.documents.push(options.document)
    this.#fingerprint = undefined
  }

  /** Takes its tools away. */
  leave(): void {
    this.#removeGone([])
  }

  /**
   * Asks it whether it has changed. `all`: also where no route is to be a tool. Never throws. An app that can't be read has
   * no tools: theirs would run without the checks of the routes that are there by now.
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
      this.#complete = all || this.#isAsked()
      if (this.#complete) this.#build(this.source.discover())
    } catch (error) {
      this.#removeGone([])
      this.#warn(`routes: the app cannot be read: ${messageOf(error)}`)
    }
  }

  #build(discovered: Discovered): void {
    const { unread, patterns } = discovered
    const { routes, warnings, obstacle, errors } = describedBy(this.documents, discovered.routes)
    const choices = this.options.map(toRouteSelection)
    const exposed = selectRoutes(routes, choices, patterns).map(({ reason = obstacle, route, ...rest }) => {
      const tool = configured(route, choices)
      const isHidden = tool.marker?.hidden === true
      // As it was found: what `tools` says of a route doesn't make its mount one that shows it.
      const exclusions = () => exclusionsOf(route, choices)
      return { ...rest, route: tool, exclusions, reason: reason ?? (isHidden ? 'hidden' : undefined) }
    })
    const guards = new Set(this.#context.guards())
    const rivalsOf = routeConflicts(discovered)
    for (const error of errors) this.#context.say('error', `routes: ${error.message}`)
    this.#removeGone(exposed)
    const standings = exposed.map(({ route, reason, exclusions }, at): RouteStatus => {
      if (reason !== undefined) return { reason }
      try {
        return this.#place(route, {
          guards,
          conflicts: rivalsOf(route.method),
          others: [...otherRoutesOf(route, at, patterns), ...exclusions()],
        })
      } catch (error) {
        errors.push(error as Error)
        this.#context.say('error', `${labelOf(route)} is no tool: ${messageOf(error)}`)
        return { reason: messageOf(error) }
      }
    })
    this.errors = errors
    this.reports = [
      ...exposed.map(({ route }, index) => toRouteReport(route, standings[index] as RouteStatus, guards)), // as many
      ...unread.map(unreadRouteReport),
    ]
    const chosen = {
      options: this.options,
      exposed,
      tools: this.#placed.size,
      searches: this.#context.searches,
    }
    for (const warning of warnings) this.#warn(`routes: ${warning}`)
    for (const warning of warningsOf({ ...discovered, routes }, chosen)) this.#warn(warning)
  }

  /** Adds a route's tool, or puts it in the place of its former self. @throws Error when its name is taken. */
  #place(route: Route, { guards, ...around }: Around): RouteStatus {
    const name = nameOfRoute(route)
    const { registry } = this.#context
    const placed = this.#placed
    const [options = {}] = this.options
    const address = addressOf(route)
    const defaults: EntryDefaults = { ...registry.defaults, warn: (message) => this.#warn(message) }
    const posture = { ...toRouteReport(route, { tool: name }, guards), tool: name }
    const entry = routeEntry(route, posture, {
      source: this.source,
      options,
      defaults,
      ...around,
      watch: this.#watch,
    })
    const before = placed.get(address)
    if (before === undefined) {
      placed.set(address, { held: registry.add(entry), entry })
      return { tool: name }
    }
    const { held } = before
    if (!registry.holds(held)) return { reason: 'it was removed' }
    if (held.entry === before.entry) {
      registry.replace(held, entry)
      placed.set(address, { held, entry })
    }
    return { tool: name }
  }

  #removeGone(exposed: readonly SelectedRoute[]): void {
    const wanted = new Map(
      exposed
        .filter(({ reason }) => reason === undefined)
        .map(({ route }) => [addressOf(route), nameOfRoute(route)]),
    )
    for (const [address, { held, entry }] of this.#placed) {
      if (wanted.get(address) === entry.name) continue
      this.#context.registry.remove(held)
      this.#placed.delete(address)
    }
  }

  /** Some mount names routes, or has a document that may, or some route names itself. */
  #isAsked(): boolean {
    const asks = ({ include, document }: AnyRouteOptions): boolean => (include ?? document) !== undefined
    return this.#placed.size > 0 || this.options.some(asks) || this.source.marked?.() !== false
  }

  #warn(message: string): void {
    this.#context.say('warn', message)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
