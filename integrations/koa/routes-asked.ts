/** Which layers of a router are asked for a request, and in which order. */

export interface KoaRouter {
  readonly stack: readonly RouterLayer[]
  readonly opts?: { readonly exclusive?: unknown }
  readonly exclusive?: unknown
  readonly host?: unknown
}

export interface RouterLayer {
  /** A route's holds all prefixes; empty methods: a middleware. */
  readonly path: unknown
  readonly methods: readonly string[]
  readonly stack: readonly unknown[]
  readonly regexp: RegExp
  readonly paramNames: readonly { readonly type?: unknown }[]
  readonly opts: { readonly pathAsRegExp?: boolean }
}

export interface RouterOrder {
  /** The first that fits comes first. */
  readonly order: readonly RouterLayer[]
  /** What runs before the handlers of a layer for all these paths. */
  inFront(layer: RouterLayer, paths: readonly string[]): readonly unknown[]
  /** What is asked in the place of a layer that fits; `undefined`: all that fit are asked. */
  readonly takerOf?: (layer: RouterLayer, method: string, path: string) => RouterLayer | undefined
}

/**
 * All layers that fit run one after the other. Of an exclusive router one does: the last, or (15) by specificity the
 * first of those with the fewest parameters; and what its middleware would say is not heard.
 */
export function askedIn({ stack, exclusive, opts }: KoaRouter): RouterOrder {
  if (exclusive !== true)
    return { order: stack, inFront: (layer, paths) => middlewareOf(stack, layer, paths) }
  const bySpecificity = opts?.exclusive === 'specificity'
  const order = bySpecificity
    ? stack.toSorted((a, b) => a.paramNames.length - b.paramNames.length)
    : stack.toReversed()
  return {
    order,
    inFront: () => [],
    takerOf(layer, method, path) {
      const chosen = order.find((one) => isAsked(one, method) && fits(one, path))
      return chosen === layer ? undefined : chosen
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
    .filter((one) => one.methods.length === 0 && paths.every((path) => fits(one, path)))
    .flatMap((one) => one.stack)
}

function isAsked({ methods }: RouterLayer, method: string): boolean {
  return methods.length === 0 || methods.includes(method === 'ALL' ? 'GET' : method)
}

/** An expression of the app's own may remember where it was: that is not ours to change. */
function fits({ regexp }: RouterLayer, path: string): boolean {
  const { lastIndex } = regexp
  const found = regexp.test(path)
  regexp.lastIndex = lastIndex
  return found
}
