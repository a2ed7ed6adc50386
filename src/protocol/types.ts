/** Wire types of MCP, named as in the specification. */

export type RequestId = string | number
export type Role = 'user' | 'assistant'
/** The eight levels of the protocol, those of RFC 5424. */
export type LoggingLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency'

/** Free-form metadata; keys under the protocol's own prefixes are reserved. */
export interface Meta {
  [key: string]: unknown
}

/** A message that needs a response. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: Params | undefined
}

/** A message without a response. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: Params | undefined
}

/** The error of a JSON-RPC response. */
export interface JsonRpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The response to a request: its result, or an error. */
export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: Result }
  | { readonly jsonrpc: '2.0'; readonly id?: RequestId; readonly error: JsonRpcErrorObject }

export interface Params {
  readonly [key: string]: unknown
  readonly _meta?: Meta | undefined
}

export interface Result {
  [key: string]: unknown
  _meta?: Meta | undefined
}

/** A picture for people. Sent to 2025-11-25 and later. */
export interface Icon {
  src: string
  mimeType?: string | undefined
  sizes?: string[] | undefined
  theme?: 'light' | 'dark' | undefined
}

/** Hints for clients on a resource or a content block. */
export interface Annotations {
  audience?: Role[] | undefined
  /** From 0 (optional) to 1 (required). */
  priority?: number | undefined
  /** ISO 8601. Sent to 2025-06-18 and later. */
  lastModified?: string | undefined
}

interface Block {
  annotations?: Annotations | undefined
  _meta?: Meta | undefined
}

/** A text block. */
export interface TextContent extends Block {
  type: 'text'
  text: string
}

/** `data` is base64. */
export interface ImageContent extends Block {
  type: 'image'
  data: string
  mimeType: string
}

/** `data` is base64. Sent as an embedded resource to 2024-11-05. */
export interface AudioContent extends Block {
  type: 'audio'
  data: string
  mimeType: string
}

/** Sent as text to revisions before 2025-06-18. */
export interface ResourceLink extends Block {
  type: 'resource_link'
  uri: string
  name: string
  title?: string | undefined
  description?: string | undefined
  mimeType?: string | undefined
  /** Size in bytes. */
  size?: number | undefined
  icons?: Icon[] | undefined
}

/** One item of a `resources/read` result: `text`, or `blob` in base64. */
export interface ResourceContents {
  uri: string
  mimeType?: string | undefined
  text?: string | undefined
  blob?: string | undefined
  _meta?: Meta | undefined
}

/** An embedded resource. */
export interface EmbeddedResource extends Block {
  type: 'resource'
  resource: ResourceContents
}

/** One block of a result or a message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/** The result of `tools/call`, in the form of 2026-07-28. */
export interface CallToolResult {
  content: ContentBlock[]
  /** Any JSON value; older revisions receive objects only, others as `{ result: … }`. */
  structuredContent?: unknown
  isError?: boolean | undefined
  _meta?: Meta | undefined
}

/** The result of `resources/read`. */
export interface ReadResourceResult {
  contents: ResourceContents[]
  _meta?: Meta | undefined
}

/** One message of a prompt on the wire. */
export interface PromptMessage {
  role: Role
  content: ContentBlock
}

/** The result of `prompts/get`. */
export interface GetPromptResult {
  description?: string | undefined
  messages: PromptMessage[]
  _meta?: Meta | undefined
}

/** A folder that the client lets the server work in. Advisory: no access control. */
export interface Root {
  /** Starts with `file://`. */
  uri: string
  name?: string | undefined
  _meta?: Meta | undefined
}

/** The answer to `completion/complete`. */
export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean }
  _meta?: Meta | undefined
}

/** A server's or client's description of itself: for display, never for decisions. */
export interface Implementation {
  name: string
  version: string
  title?: string | undefined
  description?: string | undefined
  websiteUrl?: string | undefined
  icons?: Icon[] | undefined
}

export interface ClientCapabilities {
  readonly [key: string]: unknown
  readonly roots?: object | undefined
  readonly sampling?: object | undefined
  readonly elicitation?: object | undefined
  readonly experimental?: object | undefined
  readonly extensions?: object | undefined
}
