/** Checks the middleware in front of a mount once, for mistakes that no request would reveal. */

import type { McpRouter } from '../../src/adapter.js'
import { logOf, warnOfLogin } from '../../src/internal.js'
import type { ExpressRequest } from './host.js'
import { type ExpressApp, handlerName, isApp, isGuard, stackOf, toGuard } from './routes-layers.js'
import { matchesPath, pathBehind } from './routes-matching.js'
import type { HandlerLayer, Layer } from './routes-paths.js'

/** Both handlers of the mount. */
type MountHandlers = readonly [serve: unknown, refuse: unknown]

interface Mount {
  readonly own: MountHandlers
  readonly router: McpRouter<object>
  readonly hasCors: boolean
}

/**
 * Warns about body parsers whose errors the mount never gets, and logins that refuse preflights. `req` has reached
 * the mount.
 */
export function checkLayersInFront(req: ExpressRequest, { own, router, hasCors }: Mount): void {
  if (!isApp(req.app)) return
  const { layers, outOfReach } = handlersInFront(req.app, { url: req.originalUrl ?? '/', own })
  const [parser] = outOfReach.filter((layer) => parsers.has(handlerName(layer)))
  if (parser !== undefined) logOf(router).warn(unreachedWarning(handlerName(parser), req))
  if (hasCors) warnOfLogin(router, layers.filter(isGuard).map(toGuard))
}

const parsers: ReadonlySet<string> = new Set(['jsonParser', 'urlencodedParser', 'rawParser', 'textParser'])

function unreachedWarning(parser: string, { baseUrl = '', route, path = '' }: ExpressRequest): string {
  const at = `${baseUrl}${route === undefined ? '' : path}`.replace(/\/$/, '')
  const prefix = at === '' ? '' : `'${at}', `
  return `errors of \`${parser}\`, for example for invalid JSON, are answered with the app's own error page: the parser is in front of the ${route === undefined ? 'router' : 'route'} that has the endpoint, and Express doesn't pass them to error handlers inside; use \`const [serve, refuse] = mcp(router)\` and add \`app.use(${prefix}refuse)\` after the parser`
}

interface HandlersInFront {
  /** Layers that the request passes, from the outside in. */
  readonly layers: readonly HandlerLayer[]
  /** Layers whose errors never reach the mount's error handler. */
  readonly outOfReach: readonly HandlerLayer[]
}

const noHandlers: HandlersInFront = { layers: [], outOfReach: [] }

function handlersInFront(
  app: ExpressApp,
  { url, own }: { url: string; own: MountHandlers },
): HandlersInFront {
  const path = url.split('?')[0] as string
  const inner = search(stackOf(app) ?? [], pathBelow(app, path), own) ?? noHandlers
  return aroundSubApps(app, path, { inner, own })
}

/**
 * Returns the layers in front of the mount's handler. `undefined`: the handler isn't in this stack or below. Detects
 * cycles.
 */
function search(
  stack: readonly Layer[],
  path: string,
  own: MountHandlers,
  around: readonly unknown[] = [],
): HandlersInFront | undefined {
  if (around.includes(stack)) return undefined
  const passed: Layer[] = []
  for (const layer of stack) {
    if (!matchesPath(layer, path)) continue
    const inner = searchLayer(layer, path, { own, around: [...around, stack] })
    if (inner !== undefined) return addPassedLayers(stack, passed, { inner, own })
    passed.push(layer)
  }
  return undefined
}

function searchLayer(
  layer: Layer,
  path: string,
  { own, around }: { own: MountHandlers; around: readonly unknown[] },
): HandlersInFront | undefined {
  const { handle, route } = layer
  const [serve] = own
  if (handle === serve) return noHandlers
  if (route !== undefined) {
    const at = route.stack.findIndex((one) => one.handle === serve)
    return at < 0 ? undefined : { layers: route.stack.slice(0, at), outOfReach: [] }
  }
  const stack = stackOf(handle)
  const rest = stack && pathBehind(layer, path)
  return stack && rest !== undefined ? search(stack, rest, own, around) : undefined
}

function addPassedLayers(
  stack: readonly Layer[],
  passed: readonly Layer[],
  { inner, own: [, refuse] }: { inner: HandlersInFront; own: MountHandlers },
): HandlersInFront {
  const isReached = stack.some(({ handle }) => handle === refuse)
  return {
    layers: [...passed, ...inner.layers],
    outOfReach: [...(isReached ? [] : passed), ...inner.outOfReach],
  }
}

/** Adds the layers of parent apps. Sub-apps know their parent, but a parent doesn't list its sub-apps. */
function aroundSubApps(
  app: ExpressApp,
  path: string,
  { inner, own }: { inner: HandlersInFront; own: MountHandlers },
): HandlersInFront {
  const { parent } = app
  if (parent === undefined) return inner
  const stack = stackOf(parent) ?? []
  const matching = stack.filter((layer) => matchesPath(layer, pathBelow(parent, path)))
  const end = matching.findIndex(({ name }) => name === 'mounted_app')
  const outer = addPassedLayers(stack, matching.slice(0, Math.max(end, 0)), { inner, own })
  return aroundSubApps(parent, path, { inner: outer, own })
}

function pathBelow(app: ExpressApp, path: string): string {
  const rest = path.slice(app.path().length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
