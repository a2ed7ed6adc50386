/** What a client needs of the protocol, to speak to a router in the same process or to any server. Not public. */

export { ErrorCode, McpError } from './errors.js'
export { methodFor, methodOf } from './methods.js'
export { nearest } from './nearest.js'
export { describe, isObject, valueAt } from './protocol/jsonrpc.js'
export { metaOf, versionKey } from './protocol/meta.js'
export { isModernVersion, newestRevision, revisions } from './protocol/revisions.js'
export type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  JsonRpcErrorObject,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  Params,
  ReadResourceResult,
  RequestId,
  Result,
} from './protocol/types.js'
export { type MirroredParameter, mirroredParameters } from './schema/mirrored-parameters.js'
