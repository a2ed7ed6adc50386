/** What a transport does for a client, whichever it is. */

import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../../src/internal.js'

/** What a server says by itself. */
export type Said = JsonRpcNotification | JsonRpcRequest

export interface Sending {
  /** Takes what the server says until it has answered. */
  readonly hear: (said: Said) => void
  /** Cancels the request, as this transport does it. */
  readonly signal?: AbortSignal | undefined
  /** Headers that repeat arguments, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Wire {
  /** Resolves to the answer; rejects with the reason of `signal`. @throws HttpFailure where the transport has statuses. */
  request(message: JsonRpcRequest, sending: Sending): Promise<JsonRpcResponse>
  /** Sends what has no answer: a notification, or the answer to what the server asked. */
  post(message: JsonRpcNotification | JsonRpcResponse): Promise<void>
  /** What a handshake came to; the transport may have to say it from then on. */
  agree(version: string): void
  close(): Promise<void>
}

/** Tells a transport that cancels by message which request nobody waits for. */
export function cancelled({ id }: JsonRpcRequest): JsonRpcNotification {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
}
