/** Detects calls of tools from inside a route that itself runs as a tool: nested calls could recurse forever. */

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { ErrorCode, McpError } from '../../../src/adapter.js'
import { lateCallError, lateCallsIn, loopError, loopHeader, loopHeaderAfter } from './loop-header.js'

/**
 * A call of a route. After its end, nested calls are limited but allowed: pools and timers created in it keep its
 * context.
 */
interface RouteCall {
  readonly tool: string
  /** How many calls in a row before this one were over when they made the next one. */
  readonly lateCalls: number
  /** Loop header for its requests to its own server. */
  readonly loop: string | undefined
  /** For recognizing that server: its host as the client wrote it, and its port on this machine. */
  readonly headers: IncomingMessage['headers']
  readonly localPort: number | undefined
  isOver: boolean
}

const calls = new AsyncLocalStorage<RouteCall>()

const loopback = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']

/** Runs `work` inside a tool call, until `work` calls `over`. Takes the headers and port of the app's request. */
export function runInside<T>(
  tool: string,
  { headers, socket: { localPort } }: IncomingMessage,
  work: (over: () => void) => T,
): T {
  const before = calls.getStore()
  const late = Math.max(lateCallsIn(headers), before === undefined ? 0 : before.lateCalls + 1)
  const call: RouteCall = {
    tool,
    lateCalls: late,
    loop: joinHeader(headers[loopHeader]),
    headers,
    localPort,
    isOver: false,
  }
  const over = (): void => {
    call.isOver = true
  }
  // With its own async resource, the effect of `enterWith` in the app's code ends with the call.
  return new AsyncResource('mcp-router.route').runInAsyncScope(() => calls.run(call, work, over))
}

/** Whether a host, with its port, is the server that received the call. */
export function isOwnHost({ headers, localPort }: RouteCall, host: string): boolean {
  const named = [headers.host, joinHeader(headers['x-forwarded-host'])].flatMap(
    (name) => name?.toLowerCase() ?? [],
  )
  const requested = host.toLowerCase()
  if (named.includes(requested)) return true
  const port = `:${localPort}`
  return (
    localPort !== undefined && requested.endsWith(port) && isThisMachine(requested.slice(0, -port.length))
  )
}

let addresses: ReadonlySet<string> | undefined

function isThisMachine(name: string): boolean {
  if (loopback.includes(name) || /^127\.\d+\.\d+\.\d+$/.test(name)) return true
  addresses ??= ownAddresses()
  return addresses.has(name)
}

/** Returns this machine's addresses. Empty where the system refuses to list them, as some sandboxes do. */
function ownAddresses(): ReadonlySet<string> {
  try {
    const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
    return new Set(all.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)))
  } catch {
    return new Set()
  }
}

/** Returns the loop header for a request to the own server, made during the call or after it. */
export function loopHeaderFor({ loop, isOver, lateCalls }: RouteCall): string | undefined {
  return loop !== undefined && isOver ? loopHeaderAfter(loop, lateCalls + 1) : loop
}

function joinHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

/** Returns the call that the code runs inside of, or was started by. */
export function currentCall(): RouteCall | undefined {
  return calls.getStore()
}

/**
 * Returns the error for a call from inside a route that itself runs as a tool, in process or over HTTP. `undefined`
 * for all other calls. Mounts respond with it, and every dispatch throws it. `headers`: those of the request that
 * carried the call.
 */
export function nestedCallError(headers: Parameters<typeof loopError>[0]): McpError | undefined {
  const outer = currentCall()
  if (outer === undefined) return loopError(headers)
  if (outer.isOver) return lateCallError(outer.lateCalls + 1) ?? loopError(headers)
  return new McpError(
    ErrorCode.InvalidRequest,
    `Invalid request: the route behind the tool ${outer.tool} called a tool of its own app; call the code behind that tool directly instead`,
    undefined,
    { status: 400 },
    true,
  )
}
