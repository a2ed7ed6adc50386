/** Knows, from anywhere below a route that runs as a tool, that it does: calls of calls would have no end. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { ErrorCode, McpError } from '../../../src/adapter.js'
import type { ToolCall } from './tool-call.js'

/** A call that is over must not count: pools and timers that were made during one keep its context for good. */
interface Running extends ToolCall {
  isOver: boolean
}

const calls = new AsyncLocalStorage<Running>()

/** Runs `work` as the inside of a tool call, until its promise settles. */
export async function runInside<T>({ tool }: ToolCall, work: () => Promise<T>): Promise<T> {
  const running: Running = { tool, isOver: false }
  try {
    return await calls.run(running, work)
  } finally {
    running.isOver = true
  }
}

/**
 * The error for a call that comes from inside a route that itself runs as a tool; `undefined` for all other calls.
 * Mounts answer with it, and every dispatch throws it.
 */
export function nestedCall(): McpError | undefined {
  const outer = calls.getStore()
  if (outer === undefined || outer.isOver) return undefined
  return new McpError(
    ErrorCode.InvalidRequest,
    `Invalid request: the route behind the tool ${outer.tool} called a tool of its own app; call the code behind it instead`,
    undefined,
    { status: 400 },
    true,
  )
}
