/**
 * The routes of mounted apps as tools of one router. Discovery is asked once, and again when an app has grown; a router
 * without apps pays one comparison per request.
 */

import type { Registry } from '../definitions/registry.js'
import type { RouteReport } from '../definitions/route-report.js'
import type { Log } from '../support/logger.js'
import { describe } from '../support/values.js'
import type { AppContext, AttachedApp } from './attached-app.js'
import type { RouteSource } from './route.js'
import type { AnyRouteOptions, RouteOptions } from './route-options.js'
import type { RouteDocument } from './schema/route-document.js'

/** How a framework's mount reads its apps. */
export interface RouteReader {
  /**
   * The app that holds this one and all others, as far as that is known by now; `undefined`: no app of this framework.
   */
  rootOf(app: unknown): object | undefined
  /** `from`: the app that the mount stands in, which may be a part of `root`. */
  open(root: object, options: AnyRouteOptions, from: unknown): RouteSource
  /** The option `openapi`. @throws Error for what can be seen to be none. */
  document?(given: NonNullable<RouteOptions['openapi']>): RouteDocument
}

/** What reads one app. Mounts bring it along: a process without any need not load it. */
export type AppClass = new (root: object, source: RouteSource, context: AppContext) => AttachedApp

export class RouteTools {
  readonly #registry: Registry
  readonly #searches: boolean
  readonly #context: AppContext
  readonly #readers: { readonly reader: RouteReader; readonly options: AnyRouteOptions }[] = []
  #App: AppClass | undefined
  readonly #attached: AttachedApp[] = []
  readonly #below: RouteTools[] = []
  /** Apps that were only looked into. */
  readonly #opened = new WeakMap<object, RouteSource>()

  constructor(registry: Registry, log: Log, { searches }: { readonly searches: boolean }) {
    this.#registry = registry
    this.#searches = searches
    const said = new Set<string>()
    this.#context = {
      registry,
      searches,
      guards: () => this.#readers.flatMap(({ options }) => options.guards ?? []),
      say(level, message) {
        if (said.has(message)) return
        said.add(message)
        log[level](message)
      },
    }
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
  offer(reader: RouteReader, options: AnyRouteOptions, App: AppClass): void {
    this.#readers.push({ reader, options })
    this.#App = App
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

  /** An app of a reader that was offered. */
  attach(reader: RouteReader, options: AnyRouteOptions, app: unknown): void {
    const App = this.#App as AppClass
    const root = reader.rootOf(app)
    if (root === undefined)
      throw new TypeError(`\`app\`: expected an app of the mount's framework, got ${describe(app)}`)
    this.#leave(reader)
    const attached =
      this.#attached.find((one) => one.root === root) ??
      new App(root, reader.open(root, options, app), this.#context)
    if (!this.#attached.includes(attached)) this.#attached.push(attached)
    attached.add(options)
  }

  /** Apps that were taken for roots, and are parts of others. */
  #leave(reader: RouteReader): void {
    for (const attached of this.#attached.filter(({ root }) => (reader.rootOf(root) ?? root) !== root)) {
      attached.leave()
      this.#attached.splice(this.#attached.indexOf(attached), 1)
    }
  }

  /**
   * Refreshes the tools before a request is served; the returned promise resolves when documents have been read. Only the
   * call of a tool that isn't a route's can skip this: the checks of a route's tool depend on all routes of its app.
   */
  notice(called: unknown): Promise<void> | undefined {
    if (!this.#searches && typeof called === 'string') {
      const served = this.#registry.catalog().tool.byKey.get(called)
      if (served !== undefined && served.entry.route === undefined) return undefined
    }
    this.refresh()
    return this.settled()
  }

  /** Resolves when no document is being read any more; `undefined`: none is. */
  settled(): Promise<void> | undefined {
    const pending = this.#pending()
    if (pending === undefined) return undefined
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

  /** The options of all mounts in an app, and of those that may stand in it: no request came to them so far. */
  optionsOf(app: unknown): readonly AnyRouteOptions[] {
    const waiting = this.#readers.filter(
      ({ reader, options }) =>
        reader.rootOf(app) !== undefined && !this.#attached.some((one) => one.options.includes(options)),
    )
    return [...(this.#attachedFor(app)?.options ?? []), ...waiting.map(({ options }) => options)]
  }

  /** Waits for documents: what they hide isn't known before. */
  async reportsOf(app: unknown): Promise<readonly RouteReport[]> {
    this.refresh({ all: true })
    await this.settled()
    return this.#attachedFor(app)?.reports ?? []
  }

  /**
   * Asks every app whether it has grown. Never throws: one unreadable app hides no other. `all`: also those where no
   * route is to be a tool, for the report.
   */
  refresh({ all = false }: { readonly all?: boolean } = {}): void {
    for (const attached of this.#attached) attached.refresh(all)
    for (const below of this.#below) below.refresh({ all })
  }

  /** Every route of every app, tools or not, and what could not be read. */
  reports(): RouteReport[] {
    return [
      ...this.#attached.flatMap(({ reports }) => reports),
      ...this.#below.flatMap((one) => one.reports()),
    ]
  }

  #attachedFor(app: unknown): AttachedApp | undefined {
    const roots = this.#readers.map(({ reader }) => reader.rootOf(app)).filter((root) => root !== undefined)
    return this.#attached.find(({ root }) => roots.includes(root))
  }

  /**
   * The documents that are being read, those of mounts without a request so far included: operations of `addOpenApi` depend
   * on them. Allocates nothing while there are none: every call of a route's tool asks.
   */
  #pending(pending?: Promise<void>[]): Promise<void>[] | undefined {
    let found = pending
    for (const { options } of this.#readers) {
      const read = options.document?.open()
      if (read !== undefined) found = [...(found ?? []), read]
    }
    for (const below of this.#below) found = below.#pending(found)
    return found
  }
}
