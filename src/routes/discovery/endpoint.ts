/** How discovery knows our own endpoints among the handlers of an app: by identity, wherever they are mounted. */

/** No symbol, so that wrappers which copy the properties of a handler copy it. */
const key = 'mcp-router.endpoint'

/** Marks a handler of a mount as ours. */
export function markEndpoint<H extends object>(handler: H, router: object): H {
  Object.defineProperty(handler, key, { value: router, enumerable: true })
  return handler
}

/** The router that a handler serves; `undefined`: it is not ours. Works across copies of the package. */
export function endpointOf<Router extends object = object>(handler: unknown): Router | undefined {
  return isHolder(handler) ? (handler[key] as Router | undefined) : undefined
}

function isHolder(value: unknown): value is { readonly [key]?: object } {
  return (typeof value === 'function' || typeof value === 'object') && value !== null
}
