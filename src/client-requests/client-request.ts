/** One thing a handler asks the client, in the form that both eras carry. */

import type { AskedOfCaller } from '../definitions/context.js'
import type { ClientNeed } from '../definitions/options.js'
import type { McpError } from '../errors/errors.js'
import { invalidParams } from '../protocol/params.js'
import type { Revision } from '../protocol/revisions.js'
import type { ClientCapabilities } from '../protocol/types.js'
import { describe } from '../support/values.js'

/** One entry of `inputRequests`, or what is sent to a legacy client under an id. */
export type InputRequest = AskedOfCaller
export type InputMethod = InputRequest['method']

export interface ClientRequest<T> {
  readonly method: InputMethod
  /** The name its answer is recorded under. Default: made of method and params, with a counter. */
  readonly key: string | undefined
  /** Its answer counts only beside a `requestState` that says it was asked: nobody can answer it in advance. */
  readonly bound?: boolean | undefined
  /** What the client must have declared. */
  readonly needs: readonly ClientNeed[]
  /** Throws where the revision cannot carry it. */
  params(revision: Revision, declared: ClientCapabilities): Readonly<Record<string, unknown>> | undefined
  /** Checks and converts the answer. Throws `invalidAnswer`. */
  read(answer: unknown): T | Promise<T>
}

/** Answers are found by the keys of their questions. */
export function duplicateKey(key: string): TypeError {
  return new TypeError(`two questions of one call have the key ${describe(key)}; give each a key of its own`)
}

/** Specification 2026-07-28, Multi-round-trip requests: answers are the client's input and never trusted. */
export function invalidAnswer(method: InputMethod, message: string): McpError {
  return invalidParams(`the answer to ${method} does not fit: ${message}`)
}
