/** What integrations need that go around calls. Not public. */

export { exchangeOf } from './calls/create-context.js'
export type { BaseContext, Context } from './definitions/context.js'
export { describe } from './protocol/jsonrpc.js'
export { PerCaller } from './sessions/per-caller.js'
export { aFunction } from './support/check-options.js'
