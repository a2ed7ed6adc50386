/** Knows, from anywhere below a route that runs as a tool, that it does: calls of calls would have no end. */

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { ErrorCode, McpError } from '../../../src/adapter.js'
import { lateIn, loopAfter, loopHeader, loopIn, tooLate } from './loop-header.js'

/** Calls in a call that is over are few, but allowed: pools and timers that were made during one keep its context for good. */
interface Running {
  readonly tool: string
  /** How many calls before it, in a row, were over when they made the next one. */
  readonly late: number
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
  const before = calls.getStore()
  const late = Math.max(lateIn(headers), before === undefined ? 0 : before.late + 1)
  const running: Running = { tool, late, loop: one(headers[loopHeader]), headers, localPort, isOver: false }
  const over = (): void => {
    running.isOver = true
  }
  // What an app enters into a storage of its own (`enterWith`) holds to the end of the resource that it runs in.
  return new AsyncResource('mcp-router.route').runInAsyncScope(() => calls.run(running, work, over))
}

/** Whether a host, with its port, is the server that got the call. */
export function isOwnHost({ headers, localPort }: Running, host: string): boolean {
  const named = [headers.host, one(headers['x-forwarded-host'])].flatMap((name) => name?.toLowerCase() ?? [])
  const asked = host.toLowerCase()
  if (named.includes(asked)) return true
  const port = `:${localPort}`
  return localPort !== undefined && asked.endsWith(port) && isThisMachine(asked.slice(0, -port.length))
}

let addresses: ReadonlySet<string> | undefined

function isThisMachine(name: string): boolean {
  if (loopback.includes(name) || /^127\.\d+\.\d+\.\d+$/.test(name)) return true
  addresses ??= ownAddresses()
  return addresses.has(name)
}

/** Empty where the system doesn't tell: some sandboxes make the question an error. */
function ownAddresses(): ReadonlySet<string> {
  try {
    const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
    return new Set(all.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)))
  } catch {
    return new Set()
  }
}

/** What a request to the own server says that is made in the call, or after it. */
export function loopOf({ loop, isOver, late }: Running): string | undefined {
  return loop !== undefined && isOver ? loopAfter(loop, late + 1) : loop
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

/** The call that the code runs inside of, or was started by. */
export function callAround(): Running | undefined {
  return calls.getStore()
}

/**
 * The error for a call that comes from inside a route that itself runs as a tool, in process or over HTTP; `undefined` for
 * all other calls. Mounts answer with it, and every dispatch throws it. `headers`: of the request that carried the call.
 */
export function nestedCall(headers: Parameters<typeof loopIn>[0]): McpError | undefined {
  const outer = callAround()
  if (outer === undefined) return loopIn(headers)
  if (outer.isOver) return tooLate(outer.late + 1) ?? loopIn(headers)
  return new McpError(
    ErrorCode.InvalidRequest,
    `Invalid request: the route behind the tool ${outer.tool} called a tool of its own app; call the code behind it instead`,
    undefined,
    { status: 400 },
    true,
  )
}
