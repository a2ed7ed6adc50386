/**
 * Detects over the network that a call comes from inside a route that runs as a tool. Requests carry the ids of the
 * processes on the way, like `CDN-Loop` (RFC 8586). A client that forges the header only gets its own call refused.
 */

import { randomBytes } from 'node:crypto'
import { ErrorCode, McpError } from '../../../src/adapter.js'

export const loopHeader = 'mcp-router-loop'

/** The id of this process. Random, so that no other server has the same. */
const ownId = randomBytes(12).toString('base64url')
/** Servers may call each other's tools, but not in a chain of this length. */
const maxServers = 8
/** How often in a row a route may call a tool of its own app after responding: such calls could loop forever too. */
const maxLateCalls = 3

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Returns the header for requests made inside a call that came with these headers. */
export function loopHeaderInside(headers: Headers | undefined): string {
  if (headers?.[loopHeader] === undefined) return ownId
  return [...idsIn(headers), ownId].join(', ')
}

/** Returns the error for a call that passed this process before, or too many servers. `undefined`: no error. */
export function loopError(headers: Headers | undefined): McpError | undefined {
  if (headers?.[loopHeader] === undefined) return undefined
  const names = idsIn(headers)
  if (names.includes(ownId)) {
    return refused(
      'the route behind a tool called, over HTTP, a tool of its own app; call the code behind that tool directly instead',
    )
  }
  const late = lateCallsIn(headers)
  if (late > maxLateCalls) return lateCallError(late)
  if (names.length < maxServers) return undefined
  return refused(
    `the call passed through ${names.length} servers whose tools call each other; at most ${maxServers - 1} are allowed`,
  )
}

/** Returns the header for requests made after the call was answered, the `count`th in a row. */
export function loopHeaderAfter(loop: string, count: number): string {
  const others = loop.split(', ').filter((name) => name !== ownId && !name.startsWith(`${ownId}.`))
  return [...others, `${ownId}.${count}`].join(', ')
}

/** Returns how many calls in a row came from routes that had already responded. */
export function lateCallsIn(headers: Headers | undefined): number {
  if (headers?.[loopHeader] === undefined) return 0
  const marks = idsIn(headers).filter((name) => name.startsWith(`${ownId}.`))
  return Math.max(0, ...marks.map((name) => Number(name.slice(ownId.length + 1)) || 0))
}

/** Returns the error for too many such calls in a row. `undefined`: no error. */
export function lateCallError(count: number): McpError | undefined {
  if (count <= maxLateCalls) return undefined
  return refused(
    `after responding, routes behind tools called a tool of their own app more than ${maxLateCalls} times in a row; call the code behind that tool directly instead`,
  )
}

function idsIn(headers: Headers | undefined): string[] {
  const value = headers?.[loopHeader]
  const names = [value ?? []].flat().flatMap((text) => text.split(','))
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

function refused(reason: string): McpError {
  return new McpError(
    ErrorCode.InvalidRequest,
    `Invalid request: ${reason}`,
    undefined,
    { status: 400 },
    true,
  )
}
