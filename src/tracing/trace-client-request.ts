/** Traces the server's requests to a client, and the client's notifications. */

import type { PostedAnswer } from '../protocol/jsonrpc.js'
import { metaOf, versionKey } from '../protocol/params.js'
import { assumedVersion } from '../protocol/revisions.js'
import type { JsonRpcNotification, JsonRpcRequest } from '../protocol/types.js'
import type { Peer } from '../request/peer.js'
import { keyOf } from '../sessions/sessions.js'
import { describe, isObject } from '../support/values.js'
import type { TracedExchange, TracingServices } from './services.js'
import { beginTrace, createOutcome, type Operation, type Outcome } from './tracer.js'

/** Sends a request to the client within a trace, if there is a tracer. Rejects with the error of `ask`. */
export async function traceClientRequest(
  exchange: TracedExchange,
  request: JsonRpcRequest,
  ask: (request: JsonRpcRequest) => Promise<PostedAnswer>,
): Promise<PostedAnswer> {
  const trace =
    exchange.services.tracer && beginTrace(exchange.services, () => toOperation(exchange, request))
  if (trace === undefined) return ask(request)
  try {
    const answer = await trace.within(() => ask(withMeta(request, trace.meta())))
    trace.end(() => answerOutcome(answer))
    return answer
  } catch (error) {
    trace.end(() => errorOutcome(exchange, error))
    throw error
  }
}

function toOperation(exchange: TracedExchange, { id, method }: JsonRpcRequest): Operation {
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

/** Whether `code` is one of JSON-RPC's, or -1, "User rejected sampling request" (specification, Sampling). */
function isAllowedCode(code: unknown): code is number {
  return (
    Number.isInteger(code) && (code === -1 || ((code as number) >= -32_768 && (code as number) <= -32_000))
  )
}

function answerOutcome({ error }: PostedAnswer): Outcome {
  if (error === undefined) return createOutcome('ok')
  const { code, message } = isObject(error) ? error : {}
  return isAllowedCode(code)
    ? createOutcome('error', {
        error: { code, message: typeof message === 'string' ? message : describe(message) },
      })
    : createOutcome('error', { failed: 'other' })
}

function errorOutcome(exchange: TracedExchange, error: unknown): Outcome {
  if (exchange.isOver) return createOutcome('cancelled')
  const isTimeout = error instanceof Error && error.name === 'TimeoutError'
  return createOutcome('error', { failed: isTimeout ? 'timeout' : 'other' })
}

const nothing = (): undefined => undefined

/** The client notifications of all revisions. Traces don't name other methods: they're free text from the client. */
const clientNotifications: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
])

/** Handles a client's notification within a trace, if there is a tracer. */
export function traceNotification(
  services: TracingServices,
  message: JsonRpcNotification,
  peer: Peer,
  accept: () => void,
): void {
  const trace =
    services.tracer && beginTrace(services, () => toNotificationOperation(services, message, peer))
  if (trace === undefined) {
    accept()
    return
  }
  try {
    trace.within(accept)
  } finally {
    trace.end(() => createOutcome('ok'))
  }
}

function toNotificationOperation(
  services: TracingServices,
  { method, params }: JsonRpcNotification,
  peer: Peer,
): Operation {
  const { sessionId, protocolVersion } = peer.negotiated()
  const meta = metaOf(params)
  const version = meta?.[versionKey] ?? protocolVersion
  return {
    by: 'client',
    method: clientNotifications.has(method) ? method : undefined,
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
