/** What integrations need to run around every request, notification and question of a router. Not public. */

import { coreOf, type McpRouter } from './server/router.js'
import type { Tracer } from './tracing/tracer.js'

export type { RequestInfo } from './definitions/context.js'
export { expected } from './support/check-options.js'
export type { Operation, Outcome, RequestTrace, Tracer } from './tracing/tracer.js'

/** @throws Error where a router has one already: every request would be told of twice. */
export function traceRequests(router: McpRouter<never> | McpRouter<object>, watch: Tracer): void {
  const core = coreOf(router)
  if (core.tracer !== undefined) throw new Error('this router is instrumented already; do it once')
  core.tracer = watch
}
