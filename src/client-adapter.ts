/** What a client needs of the protocol, to speak to a router in the same process or to any server. Not public. */

export type { AskedOfCaller, Auth, Caller, Context, Register, RequestInfo } from './definitions/context.js'
export { ErrorCode, McpError } from './errors/errors.js'
export { methodFor, methodOf } from './methods/method-table.js'
export { describe, isObject, valueAt } from './protocol/jsonrpc.js'
export { lists } from './protocol/lists.js'
export { loggingLevels } from './protocol/logging-levels.js'
export { metaOf, versionKey } from './protocol/meta.js'
export { isModernVersion, newestRevision, revisions } from './protocol/revisions.js'
export type { CreateMessageParams, CreateMessageResult } from './protocol/sampling.js'
export type {
  Annotations,
  CallToolResult,
  ClientCapabilities,
  CompleteResult,
  ContentBlock,
  GetPromptResult,
  Icon,
  Implementation,
  JsonRpcErrorObject,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  LoggingLevel,
  Meta,
  Params,
  ReadResourceResult,
  RequestId,
  Result,
  Root,
} from './protocol/types.js'
export { type HeaderParameter, headerParameters } from './schema/index.js'
export { coreOf, type McpRouter } from './server/router.js'
export { toBase64 } from './support/base64.js'
export {
  aFunction,
  anObject,
  arrayOf,
  aString,
  checkOptions,
  oneOf,
  scopeNames,
} from './support/check-options.js'
export { nearest } from './support/nearest.js'
export type { OptionsArgument } from './transports/http/mount-options.js'
