/** What a client is asked while a call of it runs, for tracers. */

import type { PostedAnswer } from '../protocol/jsonrpc.js'
import { metaOf, versionKey } from '../protocol/params.js'
import { assumedVersion } from '../protocol/revisions.js'
import type { JsonRpcNotification, JsonRpcRequest } from '../protocol/types.js'
import type { Peer } from '../request/peer.js'
import { keyOf } from '../sessions/sessions.js'
import { describe, isObject } from '../support/values.js'
import type { TracedExchange, TracingServices } from './services.js'
import { begin, ended, type Operation, type Outcome } from './tracer.js'

/** Asks a client inside of the watch, where there is one; rejects with what `ask` does. */
export async function traceClientRequest(
  exchange: TracedExchange,
  request: JsonRpcRequest,
  ask: (request: JsonRpcRequest) => Promise<PostedAnswer>,
): Promise<PostedAnswer> {
  const watched = exchange.services.tracer && begin(exchange.services, () => operationOf(exchange, request))
  if (watched === undefined) return ask(request)
  try {
    const answer = await watched.within(() => ask(withMeta(request, watched.meta())))
    watched.end(() => endingOfAnswer(answer))
    return answer
  } catch (error) {
    watched.end(() => endingOfSilence(exchange, error))
    throw error
  }
}

function operationOf(exchange: TracedExchange, { id, method }: JsonRpcRequest): Operation {
  const { peer, revision, sessionId } = exchange
  return {
    by: 'server',
    method,
    requestId: id,
    protocolVersion: revision.version,
    sessionKey: sessionId === undefined ? undefined : keyOf(sessionId),
    uri: undefined,
    meta: {},
    request: peer.request,
    tool: nothing,
    prompt: nothing,
  }
}

function withMeta(request: JsonRpcRequest, meta: Readonly<Record<string, unknown>>): JsonRpcRequest {
  if (Object.keys(meta).length === 0) return request
  return { ...request, params: { ...request.params, _meta: { ...request.params?._meta, ...meta } } }
}

/** Of the codes that a client may answer with: those of JSON-RPC, and "the user refused" (specification, Sampling). */
function isUsual(code: unknown): code is number {
  return (
    Number.isInteger(code) && (code === -1 || ((code as number) >= -32_768 && (code as number) <= -32_000))
  )
}

function endingOfAnswer({ error }: PostedAnswer): Outcome {
  if (error === undefined) return ended('ok')
  const { code, message } = isObject(error) ? error : {}
  return isUsual(code)
    ? ended('error', { error: { code, message: typeof message === 'string' ? message : describe(message) } })
    : ended('error', { failed: 'other' })
}

function endingOfSilence(exchange: TracedExchange, error: unknown): Outcome {
  if (exchange.isOver) return ended('cancelled')
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  return ended('error', { failed: isLate ? 'timeout' : 'other' })
}

const nothing = (): undefined => undefined

/** What clients tell servers, in any revision. Other words are the client's own. */
const notices: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
])

/** Takes note of a notification inside of the watch, where there is one. */
export function traceNotification(
  services: TracingServices,
  message: JsonRpcNotification,
  peer: Peer,
  accept: () => void,
): void {
  const watched = services.tracer && begin(services, () => notificationOperation(services, message, peer))
  if (watched === undefined) {
    accept()
    return
  }
  try {
    watched.within(accept)
  } finally {
    watched.end(() => ended('ok'))
  }
}

function notificationOperation(
  services: TracingServices,
  { method, params }: JsonRpcNotification,
  peer: Peer,
): Operation {
  const { sessionId, protocolVersion } = peer.negotiated()
  const meta = metaOf(params)
  const version = meta?.[versionKey] ?? protocolVersion
  return {
    by: 'client',
    method: notices.has(method) ? method : undefined,
    requestId: undefined,
    protocolVersion:
      services.supportedRevisions.find((one) => one.version === version)?.version ?? assumedVersion,
    sessionKey: sessionId === undefined ? undefined : keyOf(sessionId),
    uri: undefined,
    meta: meta ?? {},
    request: peer.request,
    tool: nothing,
    prompt: nothing,
  }
}
