/** Marks requests that carry a tool call, so that the app can tell them from those of the network. */

import type { IncomingMessage } from 'node:http'

// Shared by all copies of the package. A client sends header names, never symbols, so nobody outside can forge it.
const toolCall: unique symbol = Symbol.for('mcp-router.tool-call')

/** What a route may know of the tool call that it serves. */
export interface ToolCall {
  /** The tool's name. */
  readonly tool: string
  /** The framework's own request, or Koa's `ctx`, of what carried the call. */
  readonly carrier?: unknown
  /** What the framework knows the tool's route by; `undefined`: the tool is of no route that was found in the app. */
  readonly identity?: unknown
}

type Marked = { [toolCall]?: ToolCall }

export function markToolCall(request: IncomingMessage & Marked, call: ToolCall): void {
  request[toolCall] = call
}

/**
 * Whether a model is calling this route through a tool. Takes the request of Node, Express or Fastify, and Koa's
 * `ctx`; false for everything else.
 *
 * ```ts
 * app.use((req, res, next) => (isToolCall(req) ? next() : csrf(req, res, next)))   // tokens of forms are for browsers
 * ```
 *
 * A rate limiter that skips tool calls gives up its limit: a batch is one request with many calls, and a WebSocket makes
 * calls without requests. Let it skip the endpoint instead (docs/routes.md, "Rate limits").
 */
export function isToolCall(request: unknown): boolean {
  return toolCallOf(request) !== undefined
}

/**
 * Answers a tool call that has reached a route which must not be a tool, by whatever spelling, rewriting or order of
 * routes. The message is for the model.
 */
export const misdirected = {
  status: 421,
  body: { message: 'this address belongs to a route that is not available to tools; it was not called' },
} as const

/** The tool call behind a request; `undefined` where there is none. */
export function toolCallOf(request: unknown): ToolCall | undefined {
  if (typeof request !== 'object' || request === null) return undefined
  const { req, raw } = request as { req?: Marked | null; raw?: Marked | null }
  return (request as Marked)[toolCall] ?? req?.[toolCall] ?? raw?.[toolCall]
}
