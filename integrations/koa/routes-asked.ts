/** Determines which layers of a router run for a request, and in which order. */

export interface KoaRouter {
  readonly stack: readonly RouterLayer[]
  readonly opts?: { readonly exclusive?: unknown }
  readonly exclusive?: unknown
  readonly host?: unknown
}

export interface RouterLayer {
  /** A route's path has all prefixes. Without methods, the layer is a middleware. */
  readonly path: unknown
  readonly methods: readonly string[]
  readonly stack: readonly unknown[]
  readonly regexp: RegExp
  readonly paramNames: readonly { readonly type?: unknown }[]
  readonly opts: { readonly pathAsRegExp?: boolean }
}

export interface RouterOrder {
  /** The layers in order of precedence. */
  readonly order: readonly RouterLayer[]
  /** Returns the middleware that runs before the handlers of a layer for all these paths. */
  inFront(layer: RouterLayer, paths: readonly string[]): readonly unknown[]
  /** Returns the layer that runs instead of a matching one. `undefined`: all matching layers run. */
  readonly replacedBy?: (layer: RouterLayer, method: string, path: string) => RouterLayer | undefined
}

/**
 * Returns the order of a router's layers. All matching layers run one after the other. With the option `exclusive`,
 * only one runs: the last, or with `exclusive: 'specificity'` (15) the first one with the fewest parameters. Then the
 * router's middleware is ignored.
 */
export function routerOrder({ stack, exclusive, opts }: KoaRouter): RouterOrder {
  if (exclusive !== true)
    return { order: stack, inFront: (layer, paths) => middlewareOf(stack, layer, paths) }
  const bySpecificity = opts?.exclusive === 'specificity'
  const order = bySpecificity
    ? stack.toSorted((a, b) => a.paramNames.length - b.paramNames.length)
    : stack.toReversed()
  return {
    order,
    inFront: () => [],
    replacedBy(layer, method, path) {
      const winner = order.find((one) => hasMethod(one, method) && matchesPath(one, path))
      return winner === layer ? undefined : winner
    },
  }
}

function middlewareOf(
  stack: readonly RouterLayer[],
  layer: RouterLayer,
  paths: readonly string[],
): readonly unknown[] {
  return stack
    .slice(0, stack.indexOf(layer))
    .filter((one) => one.methods.length === 0 && paths.every((path) => matchesPath(one, path)))
    .flatMap((one) => one.stack)
}

function hasMethod({ methods }: RouterLayer, method: string): boolean {
  return methods.length === 0 || methods.includes(method === 'ALL' ? 'GET' : method)
}

/**
 * Matches without changing `lastIndex` of the app's own expression: stateful flags (`g`, `y`) would affect later
 * requests.
 */
function matchesPath({ regexp }: RouterLayer, path: string): boolean {
  const { lastIndex } = regexp
  const found = regexp.test(path)
  regexp.lastIndex = lastIndex
  return found
}
