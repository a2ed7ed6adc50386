/**
 * Knows over the network that a call comes from inside a route that runs as a tool: its requests carry the names of the
 * processes on the way, as `CDN-Loop` does (RFC 8586). Who forges it has their own call refused, and nothing else.
 */

import { randomBytes } from 'node:crypto'
import { ErrorCode, McpError } from '../../../src/adapter.js'

export const loopHeader = 'mcp-router-loop'

/** Names nobody outside of this process knows beforehand, so that other servers are never taken for it. */
const own = randomBytes(12).toString('base64url')
/** Servers may call each other's tools, but not like this. */
const mostServers = 8
/** How often in a row a route may call a tool of its own app after it has answered: such calls would have no end either. */
const mostLate = 3

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a request says that is made inside of a call which came with these headers. */
export function loopThrough(headers: Headers | undefined): string {
  if (headers?.[loopHeader] === undefined) return own
  return [...namesIn(headers), own].join(', ')
}

/** The error for a call that was here before, or on too many servers; `undefined` for all others. */
export function loopIn(headers: Headers | undefined): McpError | undefined {
  if (headers?.[loopHeader] === undefined) return undefined
  const names = namesIn(headers)
  if (names.includes(own)) {
    return refused(
      'the route behind a tool called, over HTTP, a tool of its own app; call the code behind it instead',
    )
  }
  const late = lateIn(headers)
  if (late > mostLate) return tooLate(late)
  if (names.length < mostServers) return undefined
  return refused(
    `the call came through ${names.length} servers whose tools call each other; ${mostServers - 1} may`,
  )
}

/** The same for a request that is made after that call was answered, `count` of them in a row. */
export function loopAfter(loop: string, count: number): string {
  const others = loop.split(', ').filter((name) => name !== own && !name.startsWith(`${own}.`))
  return [...others, `${own}.${count}`].join(', ')
}

/** How many calls in a row came from routes that had answered. */
export function lateIn(headers: Headers | undefined): number {
  if (headers?.[loopHeader] === undefined) return 0
  const marks = namesIn(headers).filter((name) => name.startsWith(`${own}.`))
  return Math.max(0, ...marks.map((name) => Number(name.slice(own.length + 1)) || 0))
}

/** The error for too many of them; `undefined`: go on. */
export function tooLate(count: number): McpError | undefined {
  if (count <= mostLate) return undefined
  return refused(
    `routes behind tools called, after they had answered, a tool of their own app, ${mostLate} times in a row; call the code behind it instead`,
  )
}

function namesIn(headers: Headers | undefined): string[] {
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
