/**
 * Serializes JSON-RPC responses. Results were checked when they were created, but getters and `toJSON` of the app's values
 * run again here and may throw.
 */

import { ErrorCode, refusal } from '../../errors/errors.js'
import { errorResponse } from '../../protocol/jsonrpc.js'
import type { JsonRpcResponse } from '../../protocol/types.js'
import type { Core } from '../../server/core.js'
import { jsonText } from '../../support/long-numbers.js'
import { reportHostFault } from '../../tracing/error-report.js'

/** Serializes a response or a batch. A result that can't be serialized becomes -32603. `method` is for the log. Never throws. */
export function jsonResponse(
  core: Core,
  answer: JsonRpcResponse | readonly JsonRpcResponse[],
  method: string,
): string {
  if (Array.isArray(answer)) return `[${answer.map((one) => oneJson(core, one, method)).join(',')}]`
  return oneJson(core, answer as JsonRpcResponse, method)
}

function oneJson(core: Core, answer: JsonRpcResponse, method: string): string {
  try {
    return jsonText(answer)
  } catch (error) {
    reportHostFault(core, error, method)
    return jsonText(errorResponse(answer.id, refusal(ErrorCode.InternalError, 'Internal error')))
  }
}
