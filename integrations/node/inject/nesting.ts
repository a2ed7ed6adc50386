/** Knows, from anywhere below a route that runs as a tool, that it does: calls of calls would have no end. */

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { ErrorCode, McpError } from '../../../src/adapter.js'
import { loopHeader, loopIn } from './loop-header.js'

/** A call that is over must not count: pools and timers that were made during one keep its context for good. */
interface Running {
  readonly tool: string
  /** What its requests to its own server say. */
  readonly loop: string | undefined
  /** The names of that server: as the client wrote it, and on this machine. */
  readonly headers: IncomingMessage['headers']
  readonly localPort: number | undefined
  isOver: boolean
}

const calls = new AsyncLocalStorage<Running>()

const loopback = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']

/** Runs `work` as the inside of a tool call, until it says that this is over. `incoming`: what the app gets. */
export function runInside<T>(
  tool: string,
  { headers, socket: { localPort } }: IncomingMessage,
  work: (over: () => void) => T,
): T {
  const running: Running = { tool, loop: one(headers[loopHeader]), headers, localPort, isOver: false }
  const over = (): void => {
    running.isOver = true
  }
  // What an app enters into a storage of its own (`enterWith`) holds to the end of the resource that it runs in.
  return new AsyncResource('mcp-router.route').runInAsyncScope(() => calls.run(running, work, over))
}

/** Whether a host, with its port, is the server that got the call. */
export function isOwnHost({ headers, localPort }: Running, host: string): boolean {
  const named = [headers.host, one(headers['x-forwarded-host'])].flatMap((name) => name?.toLowerCase() ?? [])
  const here = localPort === undefined ? [] : loopback.map((name) => `${name}:${localPort}`)
  return [...named, ...here].includes(host.toLowerCase())
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
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
