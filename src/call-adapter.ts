/** What integrations need that go around calls. Not public. */

export { exchangeOf } from './call-context.js'
export { aFunction } from './check-options.js'
export type { BaseContext, Context } from './context.js'
export { describe } from './protocol/jsonrpc.js'
export { PerCaller } from './sessions/per-caller.js'
