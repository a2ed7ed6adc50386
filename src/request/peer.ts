/** The other side of a message, whatever transport carried it. */

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

/** Where a message came from, as transports describe it. */
export interface Peer {
  /** Asks the host who is calling, once per message. */
  resolveCaller(): Identity | Promise<Identity>
  readonly request: RequestInfo | undefined
  /** What a legacy request relies on; asked for those only. Throws the refusal of a bad session. */
  negotiated(method?: string): Negotiation
  /** Details of faults may leave. */
  readonly development: boolean
  /** The connection, where there is one: what the ids of `notifications/cancelled` refer to. A session comes first. */
  readonly scope: object | undefined
  /** `undefined` where there is no header layer. */
  readonly headers: Headers | undefined
  /** Told when a handler begins: everything that may refuse its caller has let it pass. */
  onHandlerStart?(): void
  /** Takes notices of the running call, and what it asks the client. False: they cannot be sent. */
  send(message: JsonRpcNotification | JsonRpcRequest): boolean
  /** Answers what the call asks at once, where the caller is code in this process. */
  readonly ask: ((request: AskedOfCaller) => unknown) | undefined
  /** How HTTP asks for a token, or for one with more scopes: the header. `undefined`: none is checked here. */
  readonly challenge?: ((challenge: Challenge) => string) | undefined
  /** Whoever sends anything has a token. */
  readonly isProtected?: boolean
  /** Another process began the call, with its request: what guards it there has let it pass. */
  readonly isPassedOn?: boolean
  /** The request carries the key from the explorer's link. */
  readonly holdsExplorerKey?: boolean
  /** What the host says is the stable id of a user. */
  readonly userId: UserId | undefined
  /** Whom per-caller limits count. `undefined`: somebody anonymous whose address nobody knows. */
  readonly callerKey: string | undefined
  /** Calls `listener` when nobody can get the answer any more; returns a way to stop listening. */
  onDisconnect(listener: () => void): () => void
  /** Whether a client of this era can be told something outside of its calls. */
  canNotify(era: Era, identity: Identity | undefined): boolean
  /** The resources that the client of this connection subscribed to, where there is a connection to be told on. */
  readonly uris: Set<string> | undefined
  /** The connection itself, where it lasts: what handlers keep for it, and what stays open on it. */
  readonly connection?: ClientConnection | undefined
  /** Takes a place for a stream that stays open. Throws where there is none, and where nobody reads one. */
  reserve(): void
  /** Closes the connection of the call, whose client comes back for the answer. False where it cannot. */
  closeStream(retryMs: number): boolean
}
