/** What integrations need that find definitions and keep them up to date. Not public. */

export type { Register } from './definitions/context.js'
export { type AnyDefinition, type DefinitionParts, partsOf } from './definitions/define.js'
export type { Entry } from './definitions/entries.js'
export type { Registration, Registry } from './definitions/registry.js'
export { toEntry } from './definitions/to-entry.js'
export { describe } from './protocol/jsonrpc.js'
export type { Core } from './server/core.js'
export { coreOf, type McpRouter } from './server/router.js'
export { aBoolean, aFunction, checkOptions } from './support/check-options.js'
export type { Log } from './support/logger.js'
