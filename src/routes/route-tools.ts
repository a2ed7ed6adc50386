/**
 * The routes of all mounted apps, as tools of one router. Apps are read once, and again when their routes change. A
 * router without apps pays one comparison per request.
 */

import type { Registry } from '../definitions/registry.js'
import type { RouteReport } from '../definitions/route-report.js'
import type { Log } from '../support/logger.js'
import { describe } from '../support/values.js'
import type { AppContext, AttachedApp } from './attached-app.js'
import type { RouteSource } from './route.js'
import type { AnyRouteOptions, RouteOptions } from './route-options.js'
import type { RouteDocument } from './schema/route-document.js'

/** Reads the apps of one framework. */
export interface RouteReader {
  /**
   * Returns the root app that contains this one, as far as known, or `undefined` if it isn't an app of this framework.
   */
  rootOf(app: unknown): object | undefined
  /** Opens a root app. `from`: the app that contains the mount, `root` itself or a sub-app. */
  open(root: object, options: AnyRouteOptions, from: unknown): RouteSource
  /**
   * Opens the option `openapi`.
   * @throws Error if it can't be a document.
   */
  document?(given: NonNullable<RouteOptions['openapi']>): RouteDocument
}

/** The class that reads an app. Mounts pass it in, so that processes without routes don't load it. */
export type AppClass = new (root: object, source: RouteSource, context: AppContext) => AttachedApp

export class RouteTools {
  readonly #registry: Registry
  readonly #searches: boolean
  readonly #context: AppContext
  readonly #readers: { readonly reader: RouteReader; readonly options: AnyRouteOptions }[] = []
  #App: AppClass | undefined
  readonly #attached: AttachedApp[] = []
  readonly #mounted: RouteTools[] = []
  /** Sources of apps that were opened without being attached. */
  readonly #opened = new WeakMap<object, RouteSource>()

  constructor(registry: Registry, log: Log, { searches }: { readonly searches: boolean }) {
    this.#registry = registry
    this.#searches = searches
    const logged = new Set<string>()
    this.#context = {
      registry,
      searches,
      guards: () => this.#readers.flatMap(({ options }) => options.guards ?? []),
      logOnce(level, message) {
        if (logged.has(message)) return
        logged.add(message)
        log[level](message)
      },
    }
  }

  /** Whether any app is attached. */
  get active(): boolean {
    return this.#attached.length > 0 || this.#mounted.some((one) => one.active)
  }

  /** Errors of the last discovery: duplicate names and unreadable schemas. */
  get errors(): readonly Error[] {
    return [...this.#attached.flatMap(({ errors }) => errors), ...this.#mounted.flatMap((one) => one.errors)]
  }

  /** Adds the reader of a mount. */
  addReader(reader: RouteReader, options: AnyRouteOptions, App: AppClass): void {
    this.#readers.push({ reader, options })
    this.#App = App
  }

  /** Adds the routes of a router that is mounted in this one. */
  addMounted(below: RouteTools): void {
    this.#mounted.push(below)
  }

  /**
   * Attaches an app.
   * @throws TypeError if no mount of this router can read it.
   */
  open(app: unknown): void {
    const matching = this.#readers.filter(({ reader }) => reader.rootOf(app) !== undefined)
    for (const { reader, options } of matching) this.attach(reader, options, app)
    if (matching.length > 0) return
    throw new TypeError(
      `{ app }: expected an app of the framework that this router is mounted in, mounted before this call; got ${describe(app)}`,
    )
  }

  /** Attaches an app with a reader that was added before. */
  attach(reader: RouteReader, options: AnyRouteOptions, app: unknown): void {
    const App = this.#App as AppClass
    const root = reader.rootOf(app)
    if (root === undefined)
      throw new TypeError(`\`app\`: expected an app of the mount's framework, got ${describe(app)}`)
    this.#detachSubApps(reader)
    const attached =
      this.#attached.find((one) => one.root === root) ??
      new App(root, reader.open(root, options, app), this.#context)
    if (!this.#attached.includes(attached)) this.#attached.push(attached)
    attached.add(options)
  }

  /** Detaches apps that were attached as roots and turn out to be sub-apps. */
  #detachSubApps(reader: RouteReader): void {
    for (const attached of this.#attached.filter(({ root }) => (reader.rootOf(root) ?? root) !== root)) {
      attached.removeTools()
      this.#attached.splice(this.#attached.indexOf(attached), 1)
    }
  }

  /**
   * Refreshes the tools before a request is served. The returned promise resolves when all documents are read. Only
   * calls of tools that aren't routes skip this: the checks of a route's tool depend on all routes of its app.
   */
  refreshFor(called: unknown): Promise<void> | undefined {
    if (!this.#searches && typeof called === 'string') {
      const item = this.#registry.catalog().tool.byKey.get(called)
      if (item !== undefined && item.entry.route === undefined) return undefined
    }
    this.refresh()
    return this.whenDocumentsRead()
  }

  /** Resolves when all documents are read. `undefined`: no document is being read. */
  whenDocumentsRead(): Promise<void> | undefined {
    const pending = this.#pending()
    if (pending === undefined) return undefined
    return Promise.all(pending).then(() => this.refresh())
  }

  /** Returns the source of an app. */
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

  /**
   * Returns the options of all mounts in an app, including mounts that belong to it but haven't received a request yet.
   */
  optionsOf(app: unknown): readonly AnyRouteOptions[] {
    const waiting = this.#readers.filter(
      ({ reader, options }) =>
        reader.rootOf(app) !== undefined && !this.#attached.some((one) => one.options.includes(options)),
    )
    return [...(this.#attachedFor(app)?.options ?? []), ...waiting.map(({ options }) => options)]
  }

  /** Returns the reports on an app's routes. Waits for documents first, because they may hide routes. */
  async reportsOf(app: unknown): Promise<readonly RouteReport[]> {
    this.refresh({ all: true })
    await this.whenDocumentsRead()
    return this.#attachedFor(app)?.reports ?? []
  }

  /**
   * Updates the tools of every app that changed. Never throws, so that an unreadable app doesn't affect the others.
   * `all`: includes apps without any selected route, for reports.
   */
  refresh({ all = false }: { readonly all?: boolean } = {}): void {
    for (const attached of this.#attached) attached.refresh(all)
    for (const below of this.#mounted) below.refresh({ all })
  }

  /** Returns the reports on all routes of all apps, including unreadable ones. */
  reports(): RouteReport[] {
    return [
      ...this.#attached.flatMap(({ reports }) => reports),
      ...this.#mounted.flatMap((one) => one.reports()),
    ]
  }

  #attachedFor(app: unknown): AttachedApp | undefined {
    const roots = this.#readers.map(({ reader }) => reader.rootOf(app)).filter((root) => root !== undefined)
    return this.#attached.find(({ root }) => roots.includes(root))
  }

  /**
   * Returns the promises of documents that are being read, including those of mounts without a request so far, because
   * operations of `addOpenApi` depend on them. Runs on every call of a route's tool, so it allocates only if there are
   * any.
   */
  #pending(pending?: Promise<void>[]): Promise<void>[] | undefined {
    let found = pending
    for (const { options } of this.#readers) {
      const read = options.document?.open()
      if (read !== undefined) found = [...(found ?? []), read]
    }
    for (const below of this.#mounted) found = below.#pending(found)
    return found
  }
}
