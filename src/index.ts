/** The public names for people who define tools, resources and prompts. */

export { InputRequired } from './client-requests/input-required.js'
export { audio, type BlockOptions, embed, image, link, text } from './content/blocks.js'
export { result, type ToolResult } from './content/tool-result.js'
export { type AppPage, appTool } from './definitions/app-tool.js'
export type {
  AskedOfCaller,
  Awaitable,
  BaseContext,
  Call,
  Caller,
  Context,
  ContextLog,
  Elicited,
  ElicitForm,
  ElicitPage,
  Middleware,
  Register,
  RequestInfo,
  ResourceContext,
  VisibleCaller,
  WithUser,
} from './definitions/context.js'
export { type Prompt, prompt, type Resource, resource, type Tool, tool } from './definitions/define.js'
export type { Handle, HandleKind, ListedKind } from './definitions/handles.js'
export type {
  CacheHint,
  ClientNeed,
  Completer,
  ListedResource,
  PromptMessageInput,
  PromptOptions,
  PromptReturn,
  ResourceItem,
  ResourceOptions,
  ResourceReturn,
  TemplateVariables,
  ToolAnnotations,
  ToolOptions,
  ToolReturn,
} from './definitions/options.js'
/** @deprecated Use `RouteReport`. */
export type { RouteReport, RouteReport as RoutePosture } from './definitions/route-report.js'
export {
  ErrorCode,
  ForbiddenError,
  InvalidParamsError,
  McpError,
  NotFoundError,
  ToolError,
  UnauthorizedError,
} from './errors/errors.js'
export type { Notify } from './notifications/notify.js'
export type { Auth, ClientInfo } from './protocol/identity.js'
export { PROTOCOL_VERSIONS } from './protocol/revisions.js'
export type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from './protocol/sampling.js'
export type {
  Annotations,
  AudioContent,
  CallToolResult,
  CompleteResult,
  ContentBlock,
  EmbeddedResource,
  GetPromptResult,
  Icon,
  ImageContent,
  JsonRpcErrorObject,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  LoggingLevel,
  Meta,
  PromptMessage,
  ReadResourceResult,
  ResourceContents,
  ResourceLink,
  Root,
  TextContent,
} from './protocol/types.js'
export type { RouteMarker } from './routes/route.js'
export type { RouteOptions } from './routes/route-options.js'
export type { AjvInstance, SchemaSupport, UnknownArguments } from './schema/index.js'
export type { Accepted, JsonSchema, Parsed, Schema, StandardSchemaV1 } from './schema/types.js'
export { McpRouter, type RouterStats } from './server/router.js'
export type { RouterOptions } from './server/router-options.js'
export type { Session } from './sessions/session-values.js'
export { memoryStore } from './store/memory-store.js'
export type { LogBound, LogEntry, Store } from './store/store.js'
export type { ActivityEntry, FailedCall } from './support/hooks.js'
export type { Logger } from './support/logger.js'
