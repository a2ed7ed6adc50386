/** Batches: arrays of messages, which only revision 2025-03-26 has (Base protocol, Batching). */

import { ErrorCode, refusal } from '../errors/errors.js'
import { isObject } from '../support/values.js'
import { isModernRequest } from './envelope.js'
import { type Message, readMessage } from './jsonrpc.js'
import { assumedVersion, type Revision } from './revisions.js'

/** The most messages in a batch, so that one request can't hide many. */
const mostMessages = 100

/** Reads a batch. Throws -32600 if the revision has none, or the batch is invalid. */
export function readBatch(
  values: readonly unknown[],
  spoken: readonly Revision[],
  agreed: string | undefined,
): Message[] {
  if (values.some(isModern)) throw noBatches()
  const version = agreed ?? assumedVersion
  const revision = spoken.find((candidate) => candidate.version === version)
  if (revision?.batches !== true) throw invalid(`${version} has no batches; send one message at a time`)
  if (values.length === 0) throw invalid('expected at least one message in a batch, got none')
  if (values.length > mostMessages)
    throw invalid(`expected at most ${mostMessages} messages in a batch, got ${values.length}`)
  return values.map(readMessage).map(refuseHandshake)
}

/** Creates the error for a batch of modern messages. */
export function noBatches(): ReturnType<typeof refusal> {
  return invalid('2026-07-28 has no batches; send one message at a time')
}

function isModern(value: unknown): boolean {
  if (!isObject(value)) return false
  const { method, params } = value
  return isModernRequest({ method: typeof method === 'string' ? method : '', params }, undefined)
}

/** Revision 2025-03-26: `initialize` must not be part of a batch. */
function refuseHandshake(message: Message): Message {
  if (message.kind !== 'request' || message.request.method !== 'initialize') return message
  return { kind: 'invalid', id: message.request.id, error: invalid('initialize must not be part of a batch') }
}

function invalid(message: string): ReturnType<typeof refusal> {
  return refusal(ErrorCode.InvalidRequest, `Invalid request: ${message}`, { status: 400 })
}

/** Sorts a posted value, which may be a batch, into requests, responses and notifications. */
export function partsOf(posted: unknown): Parts {
  if (Array.isArray(posted)) {
    return {
      requests: posted.filter(isRequest),
      others: posted.filter((part) => !isRequest(part)),
    }
  }
  return isRequest(posted) ? { requests: [posted], others: none } : { requests: none, others: [posted] }
}

export interface Parts {
  readonly requests: readonly unknown[]
  readonly others: readonly unknown[]
}

const none: readonly never[] = []

function isRequest(part: unknown): boolean {
  return readMessage(part).kind === 'request'
}
