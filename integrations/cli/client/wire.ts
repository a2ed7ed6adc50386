/** The interface of the client's transports. */

import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../../src/internal.js'

/** A message that the server sends besides responses. */
export type ServerMessage = JsonRpcNotification | JsonRpcRequest

export interface SendOptions {
  /** Called with the server's messages until the response. */
  readonly onMessage: (message: ServerMessage) => void
  /** Cancels the request in the way of this transport. */
  readonly signal?: AbortSignal | undefined
  /** Headers that repeat arguments. Transports without headers ignore them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Wire {
  /** Sends a request and resolves to the response. @throws the reason of `signal`, and HttpFailure if it uses HTTP */
  request(message: JsonRpcRequest, options: SendOptions): Promise<JsonRpcResponse>
  /** Sends a message that has no response: a notification, or the response to a request of the server. */
  post(message: JsonRpcNotification | JsonRpcResponse): Promise<void>
  /** Called with the revision that `initialize` negotiated, which HTTP requests must name from then on. */
  negotiated(version: string): void
  close(): Promise<void>
}

/** Creates the notification that cancels a request, for transports that cancel by message. */
export function cancelledNotification({ id }: JsonRpcRequest): JsonRpcNotification {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
}
