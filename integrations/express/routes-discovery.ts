/**
 * Discovers the routes of an Express 4 or 5 app in its router's tables. Patches nothing, and calls only its query
 * parser.
 */

import {
  type Discovered,
  markerOf,
  parametersOf,
  passThroughGuards,
  pathText,
  queryParserOf,
  type Route,
  type RouteGuard,
  toTemplate,
  UnreadablePath,
} from '../../src/internal.js'
import {
  concatResults,
  emptyResult,
  passedMiddleware,
  reasonOf,
  type WalkResult,
  walkRoute,
  withGuardsInFront,
  withPrefixes,
} from './routes-found.js'
import { type ExpressApp, isApp, isGuard, nameOf, stackOf } from './routes-layers.js'
import { layerForPrefix } from './routes-matching.js'
import { flattenPaths, type Layer, mountPaths, routePath, withoutSlash } from './routes-paths.js'
import { patternOf } from './routes-patterns.js'

/**
 * A sub-app or router of `routes.apps`, which the app's tables don't show. `prefix`: its path, unless it's a mounted
 * app.
 */
export interface GivenApp {
  readonly app: unknown
  readonly prefix?: string | undefined
}

interface WalkState {
  readonly givenApps: readonly GivenApp[]
  /** Members of `givenApps` that the walk has reached. */
  readonly reached: Set<unknown>
  /** Stacks that the walk is inside of: a router may contain itself. */
  readonly inside: Set<readonly Layer[]>
}

export type SchemaReader = (
  handlers: readonly unknown[],
  place: { readonly method: string; readonly parameters: readonly string[] },
) => Route['schema']

/** Discovers the routes. `readSchema`: reads schemas from validators among a route's handlers. */
export function discoverExpress(
  app: ExpressApp,
  givenApps: readonly GivenApp[],
  readSchema: SchemaReader,
): Discovered {
  const walk: WalkState = { givenApps, reached: new Set(), inside: new Set() }
  const found = walkStack(stackOf(app) ?? [], app, walk)
  const others = givenApps
    .filter(({ app: sub }) => !walk.reached.has(sub))
    .map((sub) => walkGivenApp(sub, walk))
  const parse = app.get('query parser fn')
  const queryParser =
    typeof parse === 'function' ? queryParserOf(parse as (query: string) => unknown) : 'simple'
  const { routes, unread, patterns } = [found, ...others].reduce(concatResults)
  return passThroughGuards({
    routes: routes.map(({ segments, handlers, ...rest }) => {
      const template = toTemplate(segments)
      const parameters = parametersOf(template).map(({ name }) => name)
      const schema = readSchema(handlers, { method: rest.method, parameters })
      return { ...rest, framework: 'express', template, schema, queryParser }
    }),
    unread,
    patterns,
  })
}

function walkStack(stack: readonly Layer[], app: ExpressApp | undefined, walk: WalkState): WalkResult {
  let all: WalkResult = emptyResult
  const passed: Layer[] = []
  if (walk.inside.has(stack)) return emptyResult
  walk.inside.add(stack)
  for (const layer of stack) {
    try {
      const walked = walkLayer(layer, app, walk)
      if (walked !== undefined) {
        all = concatResults(all, {
          ...walked,
          routes: walked.routes.map((found) => withGuardsInFront(passed, found)),
        })
        passed.push(...passedMiddleware(layer))
      } else if (isGuard(layer) || markerOf(layer.handle) !== undefined) passed.push(layer)
    } catch (error) {
      const path = (error instanceof UnreadablePath ? error.path : undefined) ?? nameOf(layer)
      all = concatResults(all, {
        routes: [],
        unread: [{ path, reason: reasonOf(error) }],
        patterns: [patternOf(layer)],
      })
    }
  }
  walk.inside.delete(stack)
  return all
}

/** Walks into a route, router or sub-app. `undefined`: the layer is a middleware. */
function walkLayer(layer: Layer, app: ExpressApp | undefined, walk: WalkState): WalkResult | undefined {
  if (layer.route !== undefined) return walkRoute(layer.route, layer)
  const stack = stackOf(layer.handle)
  if (stack !== undefined) {
    const inner = isApp(layer.handle) ? layer.handle : app
    walk.reached.add(layer.handle)
    return withPrefixes(mountPaths(layer), walkStack(stack, inner, walk), layer)
  }
  return layer.name === 'mounted_app' ? walkSubApp(layer, app, walk) : undefined
}

/**
 * Finds a mounted sub-app among `givenApps`. A parent doesn't list its sub-apps, but each knows its parent and mount
 * path.
 */
function walkSubApp(layer: Layer, parent: ExpressApp | undefined, walk: WalkState): WalkResult {
  const paths = mountPaths(layer)
  const place = paths.map(pathText).join()
  const sub = walk.givenApps
    .map(({ app }) => app)
    .filter(isApp)
    .find(
      (app) =>
        app.parent === parent && !walk.reached.has(app) && mountPathText(app.mountpath, layer) === place,
    )
  if (sub !== undefined) {
    walk.reached.add(sub)
    return withPrefixes(paths, walkStack(stackOf(sub) ?? [], sub, walk), layer)
  }
  const reason = 'a sub-app, whose routes its parent does not list; add it with `routes: { apps: [sub] }`'
  return { ...emptyResult, unread: paths.map((path) => ({ path: pathText(path), reason })) }
}

function mountPathText(mountpath: ExpressApp['mountpath'], layer: Layer): string {
  try {
    return flattenPaths(mountpath)
      .map((path) => pathText(withoutSlash(routePath(path, layer))))
      .join()
  } catch {
    return ''
  }
}

/** Walks an app of `routes.apps`. The middleware in front of it is unknown, so its routes get an unknown guard. */
function walkGivenApp({ app, prefix }: GivenApp, walk: WalkState): WalkResult {
  const stack = stackOf(app)
  const place = prefix ?? (isApp(app) ? [app.mountpath].flat()[0] : undefined) ?? '/'
  const unknown: RouteGuard = { name: '', handle: undefined }
  try {
    if (stack === undefined) throw new UnreadablePath('expected an Express app or router in `routes.apps`')
    const at = withoutSlash(routePath(place, { handle: undefined }))
    const inside = walkStack(stack, isApp(app) ? app : undefined, walk)
    const { routes, ...others } = withPrefixes([at], inside, layerForPrefix(at))
    return { ...others, routes: routes.map((found) => ({ ...found, guards: [unknown, ...found.guards] })) }
  } catch (error) {
    return { ...emptyResult, unread: [{ path: place, reason: reasonOf(error) }] }
  }
}
