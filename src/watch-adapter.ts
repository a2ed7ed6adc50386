/** What integrations need to run around every request, notification and question of a router. Not public. */

import { coreOf, type McpRouter } from './server/router.js'
import type { Watch } from './tracing/tracer.js'

export { expected } from './support/check-options.js'
export type { RequestInfo } from './definitions/context.js'
export type { Ending, Operation, Watch, Watching } from './tracing/tracer.js'

/** @throws Error where a router has one already: every request would be told of twice. */
export function watchRequests(router: McpRouter<never> | McpRouter<object>, watch: Watch): void {
  const core = coreOf(router)
  if (core.watch !== undefined) throw new Error('this router is instrumented already; do it once')
  core.watch = watch
}
