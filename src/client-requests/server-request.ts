/** Requests to legacy clients: sent on the stream of the call, answered by a POST. */

import { Interrupted } from '../errors/classify-error.js'
import { CannotAskError, ToolError } from '../errors/errors.js'
import { notification, type PostedAnswer } from '../protocol/jsonrpc.js'
import type { JsonRpcRequest } from '../protocol/types.js'
import { longestTimer } from '../support/in-flight.js'
import { describe, isObject } from '../support/values.js'
import { traceClientRequest } from '../tracing/trace-client-request.js'
import { type InputMethod, type InputRequest, invalidAnswer } from './client-request.js'
import type { PendingAnswer } from './posted-answers.js'
import type { CallExchange } from './services.js'

/** Sends a request and resolves to the posted result. Throws an error that the handler may pass on. */
export async function sendServerRequest(
  exchange: CallExchange,
  request: InputRequest,
  inputTimeoutMs: number,
): Promise<unknown> {
  const { services, scope, peer } = exchange
  if (scope === undefined) throw cannotBeAsked(request.method, 'it has no session to answer in')
  const waiting = await services.postedAnswers.expect(
    scope,
    inputTimeoutMs === 0 ? longestTimer : inputTimeoutMs,
  )
  try {
    // The call may have ended while the store answered.
    exchange.assertOpen()
    const { method, params } = request
    const message = {
      jsonrpc: '2.0',
      id: waiting.id,
      method,
      ...(params !== undefined && { params }),
    } as const
    const ask = async (question: JsonRpcRequest): Promise<PostedAnswer> => {
      if (!peer.send(question)) throw cannotBeAsked(method, 'it reads no stream')
      return answered(exchange, waiting, inputTimeoutMs)
    }
    return resultOf(method, await traceClientRequest(exchange, message, ask))
  } finally {
    waiting.drop()
  }
}

/** Resolves to the posted answer. Rejects on a timeout, or when the call ends. */
function answered(
  exchange: CallExchange,
  { id, answer }: PendingAnswer,
  inputTimeoutMs: number,
): Promise<PostedAnswer> {
  return new Promise((resolve, reject) => {
    const onTimeout = (): void => {
      const reason = `the client did not answer within ${inputTimeoutMs} ms`
      exchange.peer.send(notification('notifications/cancelled', { requestId: id, reason }))
      settle(() => reject(new Interrupted('TimeoutError', reason)))
    }
    let stopListening = nothing
    const timer =
      inputTimeoutMs > 0 ? setTimeout(onTimeout, Math.min(inputTimeoutMs, longestTimer)) : undefined
    const settle = (how: () => void): void => {
      clearTimeout(timer)
      stopListening()
      how()
    }
    stopListening = exchange.onEnd((reason) => settle(() => reject(reason)))
    void answer.then((posted) => settle(() => resolve(posted)))
  })
}

function resultOf(method: InputMethod, { result, error }: PostedAnswer): unknown {
  if (error !== undefined) {
    const message = isObject(error) && typeof error.message === 'string' ? error.message : describe(error)
    throw new ToolError(`The client refused ${method}: ${message}`)
  }
  if (!isObject(result)) throw invalidAnswer(method, `expected a result, got ${describe(result)}`)
  return result
}

const nothing = (): void => {}

function cannotBeAsked(method: InputMethod, why: string): Error {
  return new CannotAskError(`${method} needs a client that can be asked: ${why}`)
}
