/** The routes of an Express app, 4 or 5, out of its own router's tables. Nothing is patched, and nothing called but its parser of queries. */

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
  after,
  behind,
  below,
  nothing,
  passedThrough,
  reasonOf,
  type Walked,
  walkRoute,
} from './routes-found.js'
import { type ExpressApp, isApp, isGuard, nameOf, stackOf } from './routes-layers.js'
import { layerAt } from './routes-matching.js'
import { flat, type Layer, mountPaths, routePath, withoutSlash } from './routes-paths.js'
import { patternOf } from './routes-patterns.js'

/** A sub-app or a router that the tables do not show. `prefix`: where it is reached, if it does not know itself. */
export interface ByHand {
  readonly app: unknown
  readonly prefix?: string | undefined
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
  const parse = app.get('query parser fn')
  const queryParser =
    typeof parse === 'function' ? queryParserOf(parse as (query: string) => unknown) : 'simple'
  const { routes, unread, patterns } = [found, ...others].reduce(after)
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

function walkStack(stack: readonly Layer[], app: ExpressApp | undefined, walk: Walk): Walked {
  let all: Walked = nothing
  const passed: Layer[] = []
  if (walk.inside.has(stack)) return nothing
  walk.inside.add(stack)
  for (const layer of stack) {
    try {
      const walked = walkLayer(layer, app, walk)
      if (walked !== undefined) {
        all = after(all, { ...walked, routes: walked.routes.map((found) => behind(passed, found)) })
        passed.push(...passedThrough(layer))
      } else if (isGuard(layer) || markerOf(layer.handle) !== undefined) passed.push(layer)
    } catch (error) {
      const path = (error instanceof UnreadablePath ? error.path : undefined) ?? nameOf(layer)
      all = after(all, {
        routes: [],
        unread: [{ path, reason: reasonOf(error) }],
        patterns: [patternOf(layer)],
      })
    }
  }
  walk.inside.delete(stack)
  return all
}

/** `undefined`: a middleware. */
function walkLayer(layer: Layer, app: ExpressApp | undefined, walk: Walk): Walked | undefined {
  if (layer.route !== undefined) return walkRoute(layer.route, layer)
  const stack = stackOf(layer.handle)
  if (stack !== undefined) {
    const inner = isApp(layer.handle) ? layer.handle : app
    walk.met.add(layer.handle)
    return below(mountPaths(layer), walkStack(stack, inner, walk), layer)
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
    return below(paths, walkStack(stackOf(sub) ?? [], sub, walk), layer)
  }
  const reason = 'a sub-app: its parent cannot look into it; give it by hand, `routes: { apps: [sub] }`'
  return { ...nothing, unread: paths.map((path) => ({ path: pathText(path), reason })) }
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
    const inside = walkStack(stack, isApp(app) ? app : undefined, walk)
    const { routes, ...others } = below([at], inside, layerAt(at))
    return { ...others, routes: routes.map((found) => ({ ...found, guards: [unknown, ...found.guards] })) }
  } catch (error) {
    return { ...nothing, unread: [{ path: place, reason: reasonOf(error) }] }
  }
}
