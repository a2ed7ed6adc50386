/** Ends a span with what became of it. */

import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api'
import type { Outcome } from '../../src/internal.js'
import { cut } from './attributes.js'

/** Conventions: a span with `error.type` has the status ERROR, described as the JSON-RPC error is. */
export function endSpan(span: Span, { error, fault }: Outcome, attributes: Attributes): void {
  try {
    span.setAttributes(attributes)
    if (attributes['error.type'] !== undefined) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(error !== undefined && { message: cut(error.message) }),
      })
    }
    // Of refusals the client was told everything; a bug is the server's own.
    if (fault !== undefined) span.recordException(isObject(fault) ? fault : String(fault))
  } finally {
    span.end()
  }
}

/** Errors of another realm, as in tests under Jest, are no instances of ours. */
function isObject(fault: unknown): fault is Error {
  return typeof fault === 'object' && fault !== null
}
