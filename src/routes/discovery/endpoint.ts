/** Marks the handlers of our own endpoints, so that discovery recognizes them wherever they are mounted. */

/** A string rather than a symbol, so that wrappers that copy a handler's properties copy it too. */
const key = 'mcp-router.endpoint'

/** Marks a mount's handler as our own. */
export function markEndpoint<H extends object>(handler: H, router: object): H {
  Object.defineProperty(handler, key, { value: router, enumerable: true })
  return handler
}

/**
 * Returns the router that a handler serves, or `undefined` if the handler isn't ours. Works across copies of the
 * package.
 */
export function endpointOf<Router extends object = object>(handler: unknown): Router | undefined {
  return isHolder(handler) ? (handler[key] as Router | undefined) : undefined
}

function isHolder(value: unknown): value is { readonly [key]?: object } {
  return (typeof value === 'function' || typeof value === 'object') && value !== null
}
