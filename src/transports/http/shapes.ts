/** The interface between mounts and the protocol: a mount builds an `HttpRequest` and sends an `HttpResponse`. */

import type { RequestInfo } from '../../definitions/context.js'
import type { McpError } from '../../errors/errors.js'

/** A request, built by a mount from its framework's request. */
export interface HttpRequest extends RequestInfo {
  /** Returns a header by its lower-case name. Repeated headers are joined with ", ". */
  header(name: string): string | undefined
  /** The requested endpoint, as returned by `HttpHandler.route`. */
  readonly endpoint: Endpoint
  /** The requested host and port, by the framework's own proxy rules. */
  readonly host: string | undefined
  /** `http` or `https`, by the same rules. Default: `http` for loopback names, `https` for others. */
  readonly protocol?: string | undefined
  /** The address at the other end of the socket. */
  readonly peerAddress: string | undefined
  /** Whether the framework is configured to trust proxies, so that it's responsible for checking hosts. */
  readonly trustsProxy: boolean
  /** The caller, if the host has already resolved it. Takes precedence over the mount options `user` and `context`. */
  readonly caller?: { readonly user?: unknown; readonly context?: unknown } | undefined
  /** The error to respond with, if the host has already refused the request. */
  readonly refused?: McpError | undefined
  /**
   * Milliseconds that a handler may run before its response starts with status 200: as an event stream or, for clients that
   * only accept JSON, as JSON text after white space. For runtimes that only detect a disconnect while they write: send the
   * body's `filler` while there are no pieces. Default: the response starts when its result is known, or when it streams.
   */
  readonly beginAfterMs?: number | undefined
  /** Reads the body. Called at most once, and only if the response depends on it. */
  readBody(maxBytes: number): RequestBody | Promise<RequestBody>
  /** Calls `listener` once: with `true` when the whole response is written, or with `false` when the client disconnects first. */
  onClose(listener: (answered: boolean) => void): void
}

/** A request body: text if it was unread or raw, or the value if the app's parser has already parsed it. */
export type RequestBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parsed'; readonly value: unknown }
  /** The body has more than `maxBytes`. */
  | { readonly kind: 'tooLarge' }
  /** Other code has read the body without keeping it. */
  | { readonly kind: 'gone' }
  /** The body is compressed, and no parser of the app decompressed it. */
  | { readonly kind: 'encoded'; readonly encoding: string }
  /** The client disconnected before the body was complete. */
  | { readonly kind: 'broken' }

/**
 * The endpoints of a mount. `main`: the MCP endpoint; `sse` and `message`: the transport of 2024-11-05; `metadata`: protected
 * resource metadata (RFC 9728); `explorer`: a file of the explorer; `activity`: the recent calls; `routes`: the routes of
 * tools.
 */
export type Endpoint = 'main' | 'health' | 'sse' | 'message' | 'metadata' | 'explorer' | 'activity' | 'routes'

/** A response for a mount to send. */
export interface HttpResponse {
  readonly status: number
  /** Header names have their final spelling. */
  readonly headers: Record<string, string>
  /** Text or bytes to send at once, pieces to send one by one (see `isPieces`), or no body. */
  readonly body: string | Uint8Array | Pieces | undefined
}

/** Whether a body consists of pieces. */
export function isPieces(body: HttpResponse['body']): body is Pieces {
  return typeof body === 'object' && 'pipeTo' in body
}

/**
 * A body in pieces, to be sent as they arrive. Iterate over it, or call `pipeTo`, which needs less memory while it's idle. If
 * the client disconnects, end the iteration or call `leave`.
 */
export interface Pieces extends AsyncIterable<string> {
  /** Text without meaning to the client, which may be sent while there is no piece. */
  readonly filler: string
  /** Sends the pieces to `sink`. */
  pipeTo(sink: Sink): void
  /** Call it when the sink takes more, after `Sink.write` returned false. */
  resume(): void
  /** Call it when the client has disconnected. */
  leave(): void
}

/** The destination of a body in pieces. */
export interface Sink {
  /** Writes a piece. Returns false if the sink is full: the next piece then waits for `Pieces.resume`. */
  write(piece: string): boolean
  end(): void
}
