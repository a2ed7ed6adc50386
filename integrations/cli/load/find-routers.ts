/** Finds the routers that are mounted in an app, whatever its framework: by the mark on their handlers. */

import type { McpRouter } from '../../../src/adapter.js'
import { endpointOf } from '../../../src/internal.js'

/** Where frameworks keep handlers, and what holds them. */
const holders = ['_router', 'router', 'stack', 'middleware', 'handle', 'route', 'mcp', 'mcpRouter'] as const

/** Apps and routers nest, but not like this. */
const deepest = 24

/** Those that stand outermost first. */
export function routersIn(app: unknown): McpRouter<object>[] {
  const found = new Set<McpRouter<object>>()
  visit(app, found, { seen: new Set(), depth: 0 })
  return [...found]
}

interface Walk {
  readonly seen: Set<unknown>
  readonly depth: number
}

function visit(value: unknown, found: Set<McpRouter<object>>, { seen, depth }: Walk): void {
  if (!isHolder(value) || seen.has(value) || depth > deepest) return
  seen.add(value)
  const router = endpointOf<McpRouter<object>>(value) ?? (isRouter(value) ? value : undefined)
  if (router !== undefined) return void found.add(router)
  const inner = { seen, depth: depth + 1 }
  if (Array.isArray(value)) for (const item of value) visit(item, found, inner)
  for (const name of holders) visit(member(value, name), found, inner)
  visit(scopesOf(value), found, inner)
}

/** Works across copies of the package: by what it can do. */
export function isRouter(value: unknown): value is McpRouter<object> {
  const { list, call, tool, handle } = (value ?? {}) as Partial<McpRouter<object>>
  return [list, call, tool, handle].every((method) => typeof method === 'function')
}

function isHolder(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}

/** The scopes of a Fastify instance: a mount in one of them decorates that one alone. */
function scopesOf(value: object): unknown {
  const key = Object.getOwnPropertySymbols(value).find(
    ({ description }) => description === 'fastify.children',
  )
  return key === undefined ? undefined : (value as Record<symbol, unknown>)[key]
}

/** `app.router` of Express 4 throws. */
function member(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}
