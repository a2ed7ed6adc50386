/** The sender of a message, as its transport describes it. */

import type { AskedOfCaller, RequestInfo } from '../definitions/context.js'
import type { Challenge } from '../errors/errors.js'
import type { Negotiation } from '../protocol/envelope.js'
import type { Identity } from '../protocol/identity.js'
import type { Headers } from '../protocol/request-headers.js'
import type { Era } from '../protocol/revisions.js'
import type { JsonRpcNotification, JsonRpcRequest } from '../protocol/types.js'
import type { UserId } from '../sessions/owner.js'
import type { Session } from '../sessions/session-values.js'

/** A connection that lasts longer than one request. */
export interface ClientConnection {
  /** `ctx.session` of its client. */
  readonly values: Session | undefined
  /** Keeps a subscription open until it is released, or the connection ends. */
  hold(subscription: Closable): void
  release(subscription: Closable): void
}

export interface Closable {
  close(): void
}

/** The client behind a message. Each transport implements it. */
export interface Peer {
  /** Asks the host for the caller, once per message. */
  resolveCaller(): Identity | Promise<Identity>
  readonly request: RequestInfo | undefined
  /** Returns what the handshake of a legacy client agreed on. Throws the error for a bad session. */
  negotiated(method?: string): Negotiation
  /** Whether details of faults may be sent. */
  readonly development: boolean
  /** The connection within which request ids are unique, if the client has no session. */
  readonly scope: object | undefined
  /** `undefined` for transports without headers. */
  readonly headers: Headers | undefined
  /** Called when a handler starts, after every check that may refuse the caller. */
  onHandlerStart?(): void
  /** Sends notifications and requests of the running call. Returns false when they can't be sent. */
  send(message: JsonRpcNotification | JsonRpcRequest): boolean
  /** Answers requests of the call directly, if the caller is code in this process. */
  readonly ask: ((request: AskedOfCaller) => unknown) | undefined
  /** Builds the `WWW-Authenticate` header. `undefined`: the mount checks no tokens. */
  readonly challenge?: ((challenge: Challenge) => string) | undefined
  /** Every message here carries a valid token. */
  readonly isProtected?: boolean
  /** Another process accepted the call with its HTTP request, so its guards have run. */
  readonly isPassedOn?: boolean
  /** The request carries the key from the explorer's link. */
  readonly holdsExplorerKey?: boolean
  /** The mount option `userId`. */
  readonly userId: UserId | undefined
  /** The key that per-caller limits count by. `undefined`: an anonymous caller with an unknown address. */
  readonly callerKey: string | undefined
  /** Calls `listener` when the client can no longer receive the response. Returns a function that removes the listener. */
  onDisconnect(listener: () => void): () => void
  /** Whether there is a channel for server notifications to a client of this era. */
  canNotify(era: Era, identity: Identity | undefined): boolean
  /** The URIs that the client of this connection subscribed to. `undefined` without a connection. */
  readonly uris: Set<string> | undefined
  /** The connection, if it outlives the request: its session values and subscriptions. */
  readonly connection?: ClientConnection | undefined
  /** Reserves a place for a long stream. Throws when none is left, or when the client doesn't accept streams. */
  reserve(): void
  /** Closes the stream of the call; the client reconnects for the response. Returns false when it can't. */
  closeStream(retryMs: number): boolean
}
