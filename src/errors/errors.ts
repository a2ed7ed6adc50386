/** The error classes that handlers throw, and the error codes of the protocol. */

/** JSON-RPC and MCP error codes by name. */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  /** Legacy revisions only; 2026-07-28 has InvalidParams instead. */
  ResourceNotFound: -32002,
  /** Legacy HTTP only: the `Mcp-Session-Id` is unknown, expired or ended. */
  SessionNotFound: -32001,
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  Unauthorized: -31001,
  Forbidden: -31003,
} as const

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]

// Errors are recognised by this brand, so that two copies of the package in one program agree.
const brandKey: unique symbol = Symbol.for('mcp-router.error')
type Brand = 'mcp' | 'tool' | 'not-found' | 'invalid-params' | 'interrupted' | 'abandoned' | 'input-required'

/** Sets the brand of an error. */
export function mark(error: Error, brand: Brand): void {
  Object.defineProperty(error, brandKey, { value: brand })
}

/** Returns the brand of this package's errors, across copies of the package; `undefined` for other errors. */
export function brandOf(error: unknown): Brand | undefined {
  try {
    return (error as { [brandKey]?: Brand } | null | undefined)?.[brandKey]
  } catch {
    return undefined
  }
}

/** How an error is sent over HTTP, if its code alone doesn't decide that. */
export interface HttpHints {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent without a JSON-RPC body, which makes clients of both eras fall back to the handshake. */
  readonly plain?: boolean | undefined
}

/**
 * Ends the call with a JSON-RPC error. Message and data reach the client as they are.
 * Application codes should lie outside -32768…-32000; codes a revision forbids are sent as -32603.
 */
export class McpError extends Error {
  readonly code: number
  readonly data: unknown
  /** @internal */
  declare readonly http: HttpHints | undefined
  /** @internal True when the router itself refused: its codes need no projection. */
  declare readonly own: boolean

  constructor(code: number, message: string, data?: unknown, http?: HttpHints, own = false) {
    super(message)
    mark(this, 'mcp')
    this.name = new.target.name
    this.code = code
    this.data = data
    // Not enumerable, so that printing the error doesn't show it.
    Object.defineProperty(this, 'http', { value: http })
    Object.defineProperty(this, 'own', { value: own })
  }
}

/**
 * A client before 2026-07-28 can't answer requests. Those revisions have no code for that: a tool returns `isError`, which
 * the model can read, as the official servers do. Other methods fail with -32600.
 */
export class CannotAskError extends McpError {
  constructor(message: string, data?: unknown) {
    super(ErrorCode.InvalidRequest, message, data, undefined, true)
  }
}

/** The caller must sign in first: JSON-RPC error -31001. */
export class UnauthorizedError extends McpError {
  constructor(message = 'Sign in to use this', data?: unknown) {
    super(ErrorCode.Unauthorized, message, data)
  }
}

/** The caller may not do this: JSON-RPC error -31003. */
export class ForbiddenError extends McpError {
  constructor(message = 'You may not do this', data?: unknown) {
    super(ErrorCode.Forbidden, message, data)
  }
}

/** A failure that the model may read: `isError` from a tool, a JSON-RPC error from a resource or prompt. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
  constructor(message?: string, options?: { cause?: unknown }) {
    super(message, options)
    mark(this, 'tool')
  }
}

/** The requested thing doesn't exist: `isError` from a tool, "not found" from a resource or prompt. */
export class NotFoundError extends Error {
  override readonly name: string = 'NotFoundError'
  constructor(message = 'Not found', options?: { cause?: unknown }) {
    super(message, options)
    mark(this, 'not-found')
  }
}

/** The arguments make no sense: `isError` from a tool, -32602 from a resource or prompt. */
export class InvalidParamsError extends Error {
  override readonly name: string = 'InvalidParamsError'
  constructor(message?: string, options?: { cause?: unknown }) {
    super(message, options)
    mark(this, 'invalid-params')
  }
}

/** Creates an error of the router itself, with the HTTP status for responses that haven't begun. */
export function refusal(
  code: ErrorCode,
  message: string,
  { data, ...http }: { data?: unknown } & HttpHints = {},
): McpError {
  return new McpError(code, message, data, http, true)
}

export function closingError(): McpError {
  return refusal(ErrorCode.InternalError, 'The server is closing; try again later', {
    status: 503,
    headers: { 'Retry-After': '5' },
  })
}

/** The parameters of a `WWW-Authenticate` challenge besides the metadata URL. All are optional. */
export interface Challenge {
  /** Absent when the request had no token. */
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined
  readonly description?: string | undefined
  /** The scopes that the client should request. */
  readonly scopes?: readonly string[] | undefined
}
