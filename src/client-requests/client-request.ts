/** A request from a handler to the client, for both eras, and the check of the client's capabilities. */

import type { AskedOfCaller } from '../definitions/context.js'
import type { ClientNeed } from '../definitions/options.js'
import { CannotAskError, ErrorCode, type McpError, refusal } from '../errors/errors.js'
import { invalidParams } from '../protocol/params.js'
import type { Revision } from '../protocol/revisions.js'
import type { ClientCapabilities } from '../protocol/types.js'
import type { Exchange } from '../request/exchange.js'
import { describe, isObject, valueAt } from '../support/values.js'

/** An entry of `inputRequests` (2026-07-28), or the method and params of a request to a legacy client. */
export type InputRequest = AskedOfCaller
export type InputMethod = InputRequest['method']

export interface ClientRequest<T> {
  readonly method: InputMethod
  /** The key of its answer. Default: derived from method and params, with a counter. */
  readonly key: string | undefined
  /** Whether its answer counts only with a `requestState` that lists the request, so it can't be answered in advance. */
  readonly bound?: boolean | undefined
  /** The capabilities that the client must have declared. */
  readonly needs: readonly ClientNeed[]
  /** Returns the params on the wire. Throws if the revision can't carry them. */
  params(revision: Revision, declared: ClientCapabilities): Readonly<Record<string, unknown>> | undefined
  /** Checks and converts the answer. Throws `invalidAnswer`. */
  read(answer: unknown): T | Promise<T>
}

/** The error for two requests with the same key: answers are found by it. */
export function duplicateKey(key: string): TypeError {
  return new TypeError(`two questions of one call have the key ${describe(key)}; give each a key of its own`)
}

/** The error for an answer that doesn't fit its request. Answers are untrusted input (2026-07-28, Multi-round-trip requests). */
export function invalidAnswer(method: InputMethod, message: string): McpError {
  return invalidParams(`the answer to ${method} does not fit: ${message}`)
}

/**
 * Throws where the client lacks a capability. Specification 2026-07-28, Capability negotiation: -32021 names what is
 * missing, and leaves with 400.
 */
export function assertCapable(exchange: Exchange, owner: string, needs: readonly ClientNeed[]): void {
  const declared = exchange.client?.capabilities ?? {}
  const missing = needs.filter((need) => !has(declared, need))
  if (missing.length === 0) return
  const message = `${owner} needs a client with ${missing.join(', ')}`
  const data = { requiredCapabilities: toCapabilities(missing) }
  if (exchange.revision.era === 'legacy') throw new CannotAskError(message, data)
  throw refusal(ErrorCode.MissingRequiredClientCapability, message, { data, status: 400 })
}

const taskExtension = 'io.modelcontextprotocol/tasks'

/** Whether the client accepts a task as a result; every request declares that (Tasks extension). */
export function hasTaskExtension({ client }: Exchange): boolean {
  return isObject(valueAt(client?.capabilities ?? {}, ['extensions', taskExtension]))
}

export function assertTaskExtension(exchange: Exchange, owner: string): void {
  if (hasTaskExtension(exchange)) return
  throw refusal(
    ErrorCode.MissingRequiredClientCapability,
    `${owner} needs a client with the extension ${taskExtension}`,
    { data: { requiredCapabilities: { extensions: { [taskExtension]: {} } } }, status: 400 },
  )
}

function has(declared: ClientCapabilities, need: ClientNeed): boolean {
  // A bare `elicitation: {}` means forms; one that names only `url` has no forms.
  const { elicitation } = declared
  if (need === 'elicitation' && isObject(elicitation)) return 'form' in elicitation || !('url' in elicitation)
  return isObject(valueAt(declared, need.split('.')))
}

/** `['sampling.tools']` as the ClientCapabilities object that error -32021 carries. */
function toCapabilities(needs: readonly string[]): Record<string, object> {
  const capabilities: Record<string, Record<string, object>> = {}
  for (const need of needs) {
    const [name = '', part] = need.split('.')
    const capability = capabilities[name] ?? {}
    if (part !== undefined) capability[part] = {}
    capabilities[name] = capability
  }
  return capabilities
}
