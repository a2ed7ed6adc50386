/** Knows, from anywhere below a route that runs as a tool, that it does: calls of calls would have no end. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { ErrorCode, type InnerRequest, McpError } from '../../../src/adapter.js'
import { loopHeader, loopIn } from './loop-header.js'
import type { ToolCall } from './tool-call.js'

/** A call that is over must not count: pools and timers that were made during one keep its context for good. */
interface Running extends ToolCall {
  /** What its requests to its own server say. */
  readonly loop: string | undefined
  /** Names of that server: as the client wrote it, and on this machine. */
  readonly hosts: readonly string[]
  isOver: boolean
}

const calls = new AsyncLocalStorage<Running>()

const loopback = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']

/** Runs `work` as the inside of a tool call, until its promise settles. `localPort`: of the server that got the call. */
export function runInside<T>(
  request: InnerRequest,
  localPort: number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { tool = request.url, headers } = request
  const named = [headers.host, headers['x-forwarded-host']].flatMap((host) => host?.toLowerCase() ?? [])
  const here = localPort === undefined ? [] : loopback.map((name) => `${name}:${localPort}`)
  const hosts = [...named, ...here]
  const running: Running = { tool, loop: headers[loopHeader], hosts, isOver: false }
  const over = (): void => {
    running.isOver = true
  }
  const done = calls.run(running, work)
  done.then(over, over)
  return done
}

/** The call that the code runs inside of. */
export function runningCall(): Running | undefined {
  const running = calls.getStore()
  return running?.isOver === false ? running : undefined
}

/**
 * The error for a call that comes from inside a route that itself runs as a tool, in process or over HTTP; `undefined` for
 * all other calls. Mounts answer with it, and every dispatch throws it. `headers`: of the request that carried the call.
 */
export function nestedCall(headers: Parameters<typeof loopIn>[0]): McpError | undefined {
  const outer = runningCall()
  if (outer === undefined) return loopIn(headers)
  return new McpError(
    ErrorCode.InvalidRequest,
    `Invalid request: the route behind the tool ${outer.tool} called a tool of its own app; call the code behind it instead`,
    undefined,
    { status: 400 },
    true,
  )
}
