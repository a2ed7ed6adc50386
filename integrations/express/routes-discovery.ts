/** The routes of an Express app, 4 or 5, out of its own router's tables. Nothing is patched, nothing is called. */

import {
  type Discovered,
  endpointOf,
  joinSegments,
  markerAmong,
  markerOf,
  parametersOf,
  pathText,
  type Route,
  type RouteGuard,
  type Segment,
  samplePath,
  toTemplate,
  type Unread,
  UnreadablePath,
} from '../../src/route-adapter.js'
import {
  covers,
  type ExpressRoute,
  flat,
  type Layer,
  mountPaths,
  routePath,
  withoutSlash,
} from './routes-paths.js'

/** The part of an app that both majors have. */
export interface ExpressApp {
  (...args: never[]): unknown
  readonly mountpath: string | readonly string[]
  readonly parent?: ExpressApp | undefined
  readonly handle: unknown
  /** Express 4; a getter that throws stands at `router` there. */
  readonly _router?: { readonly stack: readonly Layer[] } | undefined
  readonly lazyrouter?: unknown
  readonly router?: { readonly stack: readonly Layer[] }
  get(setting: string): unknown
}

/** A sub-app or a router that the tables do not show. `prefix`: where it is reached, if it does not know itself. */
export interface ByHand {
  readonly app: unknown
  readonly prefix?: string | undefined
}

/** What lies below one router: paths are relative to it. */
interface Walked {
  readonly routes: readonly Found[]
  readonly unread: readonly Unread[]
}

interface Found extends Omit<Route, 'framework' | 'template' | 'schema'> {
  readonly segments: readonly Segment[]
  readonly handlers: readonly unknown[]
}

interface Walk {
  readonly byHand: readonly ByHand[]
  /** Those of `byHand` that stood where the walk came along. */
  readonly met: Set<unknown>
  /** Stacks on the way down: a router may hold itself. */
  readonly inside: Set<readonly Layer[]>
}

export type SchemaReader = (
  handlers: readonly unknown[],
  place: { readonly method: string; readonly parameters: readonly string[] },
) => Route['schema']

/** `readSchema`: what validators among a route's handlers know. */
export function discoverExpress(
  app: ExpressApp,
  byHand: readonly ByHand[],
  readSchema: SchemaReader,
): Discovered {
  const walk: Walk = { byHand, met: new Set(), inside: new Set() }
  const found = walkStack(stackOf(app) ?? [], app, walk)
  const others = byHand.filter(({ app: sub }) => !walk.met.has(sub)).map((sub) => walkByHand(sub, walk))
  const queryParser = app.get('query parser') === 'extended' ? 'extended' : 'simple'
  const routes = [found, ...others].flatMap((walked) => walked.routes)
  return {
    routes: routes.map(({ segments, handlers, ...rest }) => {
      const template = toTemplate(segments)
      const parameters = parametersOf(template).map(({ name }) => name)
      const schema = readSchema(handlers, { method: rest.method, parameters })
      return { ...rest, framework: 'express', template, schema, queryParser }
    }),
    unread: [found, ...others].flatMap((walked) => walked.unread),
  }
}

/** Every array that grows when a route is added, so that a sum of lengths tells of new ones. */
export function stacksOf(app: ExpressApp, byHand: readonly ByHand[]): (readonly unknown[])[] {
  const stacks = new Set<readonly unknown[]>()
  const visit = (stack: readonly Layer[] | undefined): void => {
    if (stack === undefined || stacks.has(stack)) return
    stacks.add(stack)
    for (const { route, handle } of stack) {
      if (route !== undefined) stacks.add(route.stack)
      else visit(stackOf(handle))
    }
  }
  visit(stackOf(app))
  for (const { app: sub } of byHand) visit(stackOf(sub))
  return [...stacks]
}

/** Whether a handler somewhere carries a mark; the stacks are those of `stacksOf`. */
export function isMarked(stacks: readonly (readonly unknown[])[]): boolean {
  return stacks.some((stack) => stack.some((layer) => markerOf((layer as Layer).handle) !== undefined))
}

/** The layers of an app or a router; `undefined`: it is neither. */
function stackOf(handle: unknown): readonly Layer[] | undefined {
  if (typeof handle !== 'function') return undefined
  if (isApp(handle)) return (handle.lazyrouter === undefined ? handle.router : handle._router)?.stack ?? []
  const { stack } = handle as { stack?: unknown }
  return Array.isArray(stack) ? stack : undefined
}

export function isApp(value: unknown): value is ExpressApp {
  const app = value as Partial<ExpressApp> | undefined
  return typeof value === 'function' && typeof app?.handle === 'function' && 'mountpath' in value
}

function walkStack(stack: readonly Layer[], app: ExpressApp | undefined, walk: Walk): Walked {
  const routes: Found[] = []
  const unread: Unread[] = []
  const passed: Layer[] = []
  if (walk.inside.has(stack)) return { routes, unread }
  walk.inside.add(stack)
  for (const layer of stack) {
    try {
      const walked = walkLayer(layer, app, walk)
      if (walked === undefined) {
        if (isGuard(layer)) passed.push(layer)
        continue
      }
      routes.push(...walked.routes.map((found) => behind(passed, found)))
      unread.push(...walked.unread)
    } catch (error) {
      const path = (error instanceof UnreadablePath ? error.path : undefined) ?? nameOf(layer)
      unread.push({ path, reason: reasonOf(error) })
    }
  }
  walk.inside.delete(stack)
  return { routes, unread }
}

/** `undefined`: a middleware. */
function walkLayer(layer: Layer, app: ExpressApp | undefined, walk: Walk): Walked | undefined {
  if (layer.route !== undefined) return walkRoute(layer.route, layer)
  const stack = stackOf(layer.handle)
  if (stack !== undefined) {
    const inner = isApp(layer.handle) ? layer.handle : app
    walk.met.add(layer.handle)
    return below(mountPaths(layer), walkStack(stack, inner, walk))
  }
  return layer.name === 'mounted_app' ? walkSubApp(layer, app, walk) : undefined
}

/** A parent keeps no way to its sub-apps; but each of them knows its parent and where it is mounted there. */
function walkSubApp(layer: Layer, parent: ExpressApp | undefined, walk: Walk): Walked {
  const paths = mountPaths(layer)
  const place = paths.map(pathText).join()
  const sub = walk.byHand
    .map(({ app }) => app)
    .filter(isApp)
    .find((app) => app.parent === parent && !walk.met.has(app) && spelled(app.mountpath, layer) === place)
  if (sub !== undefined) {
    walk.met.add(sub)
    return below(paths, walkStack(stackOf(sub) ?? [], sub, walk))
  }
  const reason = 'a sub-app: its parent cannot look into it; give it by hand, `routes: { apps: [sub] }`'
  return { routes: [], unread: paths.map((path) => ({ path: pathText(path), reason })) }
}

function spelled(mountpath: ExpressApp['mountpath'], layer: Layer): string {
  try {
    return flat(mountpath)
      .map((path) => pathText(withoutSlash(routePath(path, layer))))
      .join()
  } catch {
    return ''
  }
}

/** Nobody knows what stands in front of it. */
function walkByHand({ app, prefix }: ByHand, walk: Walk): Walked {
  const stack = stackOf(app)
  const place = prefix ?? (isApp(app) ? [app.mountpath].flat()[0] : undefined) ?? '/'
  const unknown: RouteGuard = { name: '', handle: undefined }
  try {
    if (stack === undefined) throw new UnreadablePath('expected an Express app or router in `routes.apps`')
    const at = withoutSlash(routePath(place, { handle: undefined }))
    const { routes, unread } = below([at], walkStack(stack, isApp(app) ? app : undefined, walk))
    return { routes: routes.map((found) => ({ ...found, guards: [unknown, ...found.guards] })), unread }
  } catch (error) {
    return { routes: [], unread: [{ path: place, reason: reasonOf(error) }] }
  }
}

function below(prefixes: readonly (readonly Segment[])[], { routes, unread }: Walked): Walked {
  return {
    routes: prefixes.flatMap((prefix) =>
      routes.map((found) => ({ ...found, segments: joinSegments(prefix, found.segments) })),
    ),
    unread: prefixes.flatMap((prefix) =>
      unread.map(({ path, reason }) => ({
        path: prefix.length === 0 ? path : pathText(prefix) + path,
        reason,
      })),
    ),
  }
}

function behind(passed: readonly Layer[], found: Found): Found {
  const path = samplePath(found.segments)
  const guards = passed.filter((layer) => covers(layer, path)).map(toGuard)
  return { ...found, guards: [...guards, ...found.guards] }
}

function walkRoute(route: ExpressRoute, layer: Layer): Walked {
  const routes: Found[] = []
  const unread: Unread[] = []
  for (const path of flat(route.path)) {
    try {
      const segments = routePath(path, layer)
      for (const method of methodsOf(route)) routes.push(toFound(route, method, segments))
    } catch (error) {
      unread.push({ path: String(path), reason: reasonOf(error) })
    }
  }
  return { routes, unread }
}

const everyMethod = '_all'

/**
 * What `route.all()` puts in front of methods of its own is a guard; alone it is a route for every method, as is
 * `app.all()`, which names them one by one. A HEAD beside a GET is its twin.
 */
function methodsOf({ methods }: ExpressRoute): readonly string[] {
  const named = Object.keys(methods).filter((method) => methods[method] === true && method !== everyMethod)
  const own = named.map((method) => method.toUpperCase())
  if (own.length > 15) return ['ALL']
  const twin = own.includes('GET') ? own.filter((method) => method !== 'HEAD') : own
  return twin.length === 0 ? ['ALL'] : twin
}

function toFound(route: ExpressRoute, method: string, segments: readonly Segment[]): Found {
  // `app.all()` has its handlers once for each method.
  const asked = method === 'ALL' ? 'GET' : method
  const handlers = route.stack
    .filter((layer) => layer.method === undefined || layer.method.toUpperCase() === asked)
    .map(({ handle }) => handle)
  const own = handlers.filter((handle) => markerOf(handle) === undefined)
  const handler = own.at(-1)
  return {
    segments,
    method,
    handlers,
    handlerName: functionName(handler),
    guards: own.slice(0, -1).map((handle) => toGuard({ handle })),
    marker: markerAmong(handlers),
    ends: own.some(isLast),
    obstacle: handlers.some((handle) => endpointOf(handle) !== undefined) ? 'our own endpoint' : undefined,
  }
}

/** Express hands `next` on by position; what declares no parameters at all may be a wrapper of anything. */
function isLast(handle: unknown): boolean {
  return typeof handle === 'function' && (handle.length === 1 || handle.length === 2)
}

/** What Express 4 itself puts first. */
const builtIn = new Set(['query', 'expressInit'])

function isGuard({ handle, name = '' }: Layer): boolean {
  return (
    typeof handle === 'function' &&
    !builtIn.has(name) &&
    handle.length < 4 &&
    endpointOf(handle) === undefined &&
    markerOf(handle) === undefined
  )
}

function toGuard({ handle }: { readonly handle: unknown }): RouteGuard {
  return { name: functionName(handle), handle }
}

function functionName(handler: unknown): string {
  return typeof handler === 'function' ? handler.name.replace(/^(?:bound )+/, '') : ''
}

function nameOf(layer: Layer): string {
  return String(layer.rawPath ?? layer.regexp ?? layer.name ?? 'a mount')
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
