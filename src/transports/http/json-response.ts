/**
 * Answers as text. That JSON can carry them was proven when they were made; but getters and `toJSON` of an author's values
 * run again when they are written, and may fail then.
 */

import { ErrorCode, refusal } from '../../errors/errors.js'
import { errorResponse } from '../../protocol/jsonrpc.js'
import type { JsonRpcResponse } from '../../protocol/types.js'
import type { Core } from '../../server/core.js'
import { jsonText } from '../../support/long-numbers.js'
import { reportHostFault } from '../../tracing/error-report.js'

/** `method`: of the request, for the log. Never throws: what cannot be written is answered with -32603. */
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
