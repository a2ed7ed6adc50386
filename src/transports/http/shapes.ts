/** The pair of shapes between mounts and the protocol: an adapter builds the first and writes the second. */

import type { RequestInfo } from '../../definitions/context.js'
import type { McpError } from '../../errors/errors.js'

/** What a mount builds of its framework's request. */
export interface HttpRequest extends RequestInfo {
  /** One header by its lower-case name; repeated ones joined with ", ". */
  header(name: string): string | undefined
  /** Which of our addresses it asks for, as `HttpHandler.route` said. */
  readonly endpoint: Endpoint
  /** Host and port that the client asked for, by the framework's own proxy rules. */
  readonly host: string | undefined
  /** `http` or `https`, by the same rules. Default: `http` for loopback names alone. */
  readonly protocol?: string | undefined
  /** The address at the other end of the socket. */
  readonly peerAddress: string | undefined
  /** The framework was told to trust proxies: it knows its host names better than we do. */
  readonly trustsProxy: boolean
  /** What the host found out about the caller by itself; goes before the mount options `user` and `context`. */
  readonly caller?: { readonly user?: unknown; readonly context?: unknown } | undefined
  /** Why it is not to be served at all, where the host knows a reason. */
  readonly refused?: McpError | undefined
  /**
   * For runtimes that hear of a client that left only while they write to it: how many milliseconds a handler may run before
   * its answer begins, with status 200, as an event stream or, for clients that read JSON alone, as a JSON text with white
   * space before it. Send its `filler` while nothing comes. Default: an answer begins when it is known, or streams.
   */
  readonly beginAfterMs?: number | undefined
  /** The body. Read at most once, and only when the answer depends on it. */
  readBody(maxBytes: number): RequestBody | Promise<RequestBody>
  /** Calls `listener` once, when our answer was written whole (`true`) or cannot be any more (`false`). */
  onClose(listener: (answered: boolean) => void): void
}

/** Unread or raw bodies arrive as text; ones that the app's parser already read, as what it made of them. */
export type RequestBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parsed'; readonly value: unknown }
  /** More than `maxBytes`. */
  | { readonly kind: 'tooLarge' }
  /** Earlier code read the body and kept nothing of it. */
  | { readonly kind: 'gone' }
  /** Compressed, and no parser of the app undid it. */
  | { readonly kind: 'encoded'; readonly encoding: string }
  /** The client left before it was complete. */
  | { readonly kind: 'broken' }

/**
 * `main`: the MCP endpoint itself; `sse` and `message`: the transport of 2024-11-05; `metadata`: RFC 9728; `explorer`: a
 * file of the page for people; `activity`: the recent calls; `routes`: which tools are routes.
 */
export type Endpoint = 'main' | 'health' | 'sse' | 'message' | 'metadata' | 'explorer' | 'activity' | 'routes'

/** What a mount writes: a status, headers, and a body. */
export interface HttpResponse {
  readonly status: number
  /** Spelled as they go out. */
  readonly headers: Record<string, string>
  /** Text or bytes to send whole, pieces to send one by one (`isPieces`), or nothing. */
  readonly body: string | Uint8Array | Pieces | undefined
}

/** Whether a body comes piece by piece. */
export function isPieces(body: HttpResponse['body']): body is Pieces {
  return typeof body === 'object' && 'pipeTo' in body
}

/**
 * Pieces to send as they come. Iterate over them; or pipe them, which costs less while nothing comes. A reader that is
 * gone ends the iteration, or calls `leave`.
 */
export interface Pieces extends AsyncIterable<string> {
  /** Means nothing to the client, and may go out whenever no piece is there. */
  readonly filler: string
  pipeTo(sink: Sink): void
  /** After `write` said that it is full: it takes more now. */
  resume(): void
  leave(): void
}

/** Where pieces go. */
export interface Sink {
  /** False: it is full; the next piece waits for `resume`. */
  write(piece: string): boolean
  end(): void
}
