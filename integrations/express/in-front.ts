/** Looks once at what stands in front of a mount in the tables of its app, for mistakes that no request would show. */

import type { McpRouter } from '../../src/adapter.js'
import { logOf, warnOfLogin } from '../../src/internal.js'
import type { ExpressRequest } from './host.js'
import { type ExpressApp, handlerName, isApp, isGuard, stackOf, toGuard } from './routes-layers.js'
import { covers, restOf } from './routes-matching.js'
import type { HandlerLayer, Layer } from './routes-paths.js'

/** Both handlers of a mount. */
type Own = readonly [serve: unknown, refuse: unknown]

interface Mount {
  readonly own: Own
  readonly router: McpRouter<object>
  readonly hasCors: boolean
}

/** Logs a warning for parsers whose errors the mount never gets, and for logins that refuse preflights. `req` has reached the mount. */
export function lookInFront(req: ExpressRequest, { own, router, hasCors }: Mount): void {
  if (!isApp(req.app)) return
  const { layers, outOfReach } = inFrontOf(req.app, { url: req.originalUrl ?? '/', own })
  const [parser] = outOfReach.filter((layer) => parsers.has(handlerName(layer)))
  if (parser !== undefined) logOf(router).warn(unreached(handlerName(parser), req))
  if (hasCors) warnOfLogin(router, layers.filter(isGuard).map(toGuard))
}

const parsers: ReadonlySet<string> = new Set(['jsonParser', 'urlencodedParser', 'rawParser', 'textParser'])

function unreached(parser: string, { baseUrl = '', route, path = '' }: ExpressRequest): string {
  const at = `${baseUrl}${route === undefined ? '' : path}`.replace(/\/$/, '')
  const prefix = at === '' ? '' : `'${at}', `
  return `what \`${parser}\` of the app throws, as at broken JSON, is answered with the app's own error page: it stands in front of the ${route === undefined ? 'router' : 'route'} that the endpoint is in, whose error handlers Express does not ask then; write \`const [serve, refuse] = mcp(router)\` and \`app.use(${prefix}refuse)\` behind the parser`
}

interface HandlersInFront {
  /** Those that the request passes, from the outside in. */
  readonly layers: readonly HandlerLayer[]
  /** Those whose errors never come to our error handler. */
  readonly outOfReach: readonly HandlerLayer[]
}

const nothing: HandlersInFront = { layers: [], outOfReach: [] }

function inFrontOf(app: ExpressApp, { url, own }: { url: string; own: Own }): HandlersInFront {
  const path = url.split('?')[0] as string
  const inner = search(stackOf(app) ?? [], below(app, path), own) ?? nothing
  return aroundSubApps(app, path, { inner, own })
}

/** The layers in front of our handler; `undefined`: it is not in this stack, nor below it. A router may be in itself. */
function search(
  stack: readonly Layer[],
  path: string,
  own: Own,
  around: readonly unknown[] = [],
): HandlersInFront | undefined {
  if (around.includes(stack)) return undefined
  const passed: Layer[] = []
  for (const layer of stack) {
    if (!covers(layer, path)) continue
    const inner = inside(layer, path, { own, around: [...around, stack] })
    if (inner !== undefined) return within(stack, passed, { inner, own })
    passed.push(layer)
  }
  return undefined
}

function inside(
  layer: Layer,
  path: string,
  { own, around }: { own: Own; around: readonly unknown[] },
): HandlersInFront | undefined {
  const { handle, route } = layer
  const [serve] = own
  if (handle === serve) return nothing
  if (route !== undefined) {
    const at = route.stack.findIndex((one) => one.handle === serve)
    return at < 0 ? undefined : { layers: route.stack.slice(0, at), outOfReach: [] }
  }
  const stack = stackOf(handle)
  const rest = stack && restOf(layer, path)
  return stack && rest !== undefined ? search(stack, rest, own, around) : undefined
}

function within(
  stack: readonly Layer[],
  passed: readonly Layer[],
  { inner, own: [, refuse] }: { inner: HandlersInFront; own: Own },
): HandlersInFront {
  const isReached = stack.some(({ handle }) => handle === refuse)
  return {
    layers: [...passed, ...inner.layers],
    outOfReach: [...(isReached ? [] : passed), ...inner.outOfReach],
  }
}

/** A parent keeps no way to its sub-apps, which know it. */
function aroundSubApps(
  app: ExpressApp,
  path: string,
  { inner, own }: { inner: HandlersInFront; own: Own },
): HandlersInFront {
  const { parent } = app
  if (parent === undefined) return inner
  const stack = stackOf(parent) ?? []
  const asked = stack.filter((layer) => covers(layer, below(parent, path)))
  const end = asked.findIndex(({ name }) => name === 'mounted_app')
  const outer = within(stack, asked.slice(0, Math.max(end, 0)), { inner, own })
  return aroundSubApps(parent, path, { inner: outer, own })
}

function below(app: ExpressApp, path: string): string {
  const rest = path.slice(app.path().length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
