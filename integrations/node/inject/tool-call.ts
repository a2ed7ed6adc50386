/** Marks requests that carry a tool call, so that the app can distinguish them from requests of the network. */

import type { IncomingMessage } from 'node:http'

// Shared by all copies of the package. Unforgeable: clients can send header names, but not symbols.
const toolCall: unique symbol = Symbol.for('mcp-router.tool-call')

/** Properties of the tool call that a route serves. */
export interface ToolCall {
  /** The tool's name. */
  readonly tool: string
  /** The framework's own request, or Koa's `ctx`, that carried the call. */
  readonly carrier?: unknown
  /** The framework's identification of the tool's route. `undefined`: the tool's route wasn't found in the app. */
  readonly identity?: unknown
}

type Marked = { [toolCall]?: ToolCall }

export function markToolCall(request: IncomingMessage & Marked, call: ToolCall): void {
  request[toolCall] = call
}

/**
 * Whether a model is calling this route through a tool. Takes the request of Node, Express or Fastify, or Koa's `ctx`.
 * False for everything else.
 *
 * ```ts
 * app.use((req, res, next) => (isToolCall(req) ? next() : csrf(req, res, next)))   // CSRF tokens are for browsers
 * ```
 *
 * A rate limiter that skips tool calls gives up its limit: a batch is one request with many calls, and a WebSocket
 * makes calls without requests. Let the limiter skip the endpoint instead (docs/routes.md, "Rate limits").
 */
export function isToolCall(request: unknown): boolean {
  return toolCallOf(request) !== undefined
}

/**
 * Response to a tool call that reached a route which must not be a tool, because of the spelling or rewriting of its
 * path or the order of routes. The message is for the model.
 */
export const misdirectedResponse = {
  status: 421,
  body: {
    message: 'this address belongs to a route that is not available to tools; the route was not called',
  },
} as const

/** Returns the tool call behind a request. `undefined`: the request carries none. */
export function toolCallOf(request: unknown): ToolCall | undefined {
  if (typeof request !== 'object' || request === null) return undefined
  const { req, raw } = request as { req?: Marked | null; raw?: Marked | null }
  return (request as Marked)[toolCall] ?? req?.[toolCall] ?? raw?.[toolCall]
}
