/** Finds the routers that are mounted in an app of any framework, by the mark on their handlers. */

import type { McpRouter } from '../../../src/adapter.js'
import { endpointOf } from '../../../src/internal.js'

/** The properties in which frameworks keep handlers and the objects that contain them. */
const containers = [
  '_router',
  'router',
  'stack',
  'middleware',
  'handle',
  'route',
  'mcp',
  'mcpRouter',
] as const

/** The depth at which the search stops. Real apps nest less. */
const maxDepth = 24

/** Returns the mounted routers, outermost first. */
export function routersIn(app: unknown): McpRouter<object>[] {
  const found = new Set<McpRouter<object>>()
  visit(app, found, { seen: new Set(), depth: 0 })
  return [...found]
}

interface VisitState {
  readonly seen: Set<unknown>
  readonly depth: number
}

function visit(value: unknown, found: Set<McpRouter<object>>, { seen, depth }: VisitState): void {
  if (!isObjectOrFunction(value) || seen.has(value) || depth > maxDepth) return
  seen.add(value)
  const router = endpointOf<McpRouter<object>>(value) ?? (isRouter(value) ? value : undefined)
  if (router !== undefined) return void found.add(router)
  const inner = { seen, depth: depth + 1 }
  if (Array.isArray(value)) for (const item of value) visit(item, found, inner)
  for (const name of containers) visit(member(value, name), found, inner)
  visit(scopesOf(value), found, inner)
}

/** Whether a value has the methods of a router. Unlike `instanceof`, this works across copies of the package. */
export function isRouter(value: unknown): value is McpRouter<object> {
  const { list, call, tool, handle } = (value ?? {}) as Partial<McpRouter<object>>
  return [list, call, tool, handle].every((method) => typeof method === 'function')
}

function isObjectOrFunction(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}

/** Returns the child instances of a Fastify instance, since a mount decorates only its own instance. */
function scopesOf(value: object): unknown {
  const key = Object.getOwnPropertySymbols(value).find(
    ({ description }) => description === 'fastify.children',
  )
  return key === undefined ? undefined : (value as Record<symbol, unknown>)[key]
}

/** Reads a property that may throw, as `app.router` of Express 4 does. */
function member(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}
