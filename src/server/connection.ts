/** The connection of a caller with `send` and `signal`: its handshake, session values, subscriptions and notifications. */

import type { Caller } from '../definitions/context.js'
import type { Notification } from '../notifications/notification.js'
import type { Listener } from '../notifications/notification-hub.js'
import { VisibilityFilter } from '../notifications/visibility-filter.js'
import { type Handshake, handshakeOf, isHandshake } from '../protocol/envelope.js'
import type { ClientInfo, Identity } from '../protocol/identity.js'
import type { JsonRpcNotification } from '../protocol/types.js'
import { ConnectionValues, type Session } from '../sessions/session-values.js'
import { isThenable, whenReady } from '../support/maybe-promise.js'
import type { Core } from './core.js'

interface OpenSubscription {
  close(): void
  /** Replaces the visibility filter. */
  renew(sight: VisibilityFilter): void
}

export class Connection implements Listener {
  readonly #core: Core
  readonly #caller: Caller
  #filter: VisibilityFilter
  readonly #uris = new Set<string>()
  readonly #subscriptions = new Set<OpenSubscription>()
  /** The scopes that the subscriptions were accepted with. */
  #scopes: readonly string[] | undefined
  /** Listeners of calls that end with the connection. */
  readonly #gone = new Set<() => void>()
  #values: Session | undefined
  #agreed: Handshake | undefined
  #handshake: Promise<void> | undefined
  #listens = false
  #ended = false

  constructor(core: Core, caller: Caller) {
    this.#core = core
    this.#caller = caller
    const identity = identityOf(caller)
    this.#scopes = identity.scopes
    this.#filter = new VisibilityFilter(core, { identity, request: caller.request })
  }

  /**
   * Applies a changed identity: notifications are filtered for it from now on. If scopes were lost, subscriptions end,
   * because they may have needed them.
   */
  renew(): void {
    const identity = identityOf(this.#caller)
    this.#filter = new VisibilityFilter(this.#core, { identity, request: this.#caller.request })
    const now = identity.scopes
    const isLess = now !== undefined && this.#scopes?.every((scope) => now.includes(scope)) !== true
    this.#scopes = now
    for (const subscription of [...this.#subscriptions]) {
      if (isLess) subscription.close()
      else subscription.renew(this.#filter)
    }
  }

  readonly #onAbort = (): void => {
    for (const listener of [...this.#gone]) listener()
  }

  get protocolVersion(): string | undefined {
    return this.#agreed?.protocolVersion ?? this.#caller.protocolVersion
  }

  get client(): ClientInfo | undefined {
    return this.#agreed?.client ?? this.#caller.client
  }

  /** The URIs that the client subscribed to; `undefined` before the handshake. */
  get uris(): Set<string> | undefined {
    return this.protocolVersion === undefined ? undefined : this.#uris
  }

  /** Session values that live as long as the connection. */
  get values(): Session | undefined {
    if (this.protocolVersion === undefined) return undefined
    this.#values ??= new ConnectionValues()
    return this.#values
  }

  /** Calls `listener` when the connection ends. Not `signal` listeners, because platforms warn when there are many. */
  whenGone(listener: () => void): () => void {
    const { signal } = this.#caller
    if (signal?.aborted === true) listener()
    else if (this.#gone.size === 0) signal?.addEventListener('abort', this.#onAbort)
    this.#gone.add(listener)
    return () => {
      this.#gone.delete(listener)
      if (this.#gone.size === 0) signal?.removeEventListener('abort', this.#onAbort)
    }
  }

  /** Handles a message. Messages that arrive during a handshake wait for it, because clients may pipeline. */
  carry<T>(message: unknown, answer: () => T | Promise<T>): T | Promise<T> {
    return whenReady(this.#handshake, () => {
      this.#begin()
      const answering = answer()
      if (isHandshake(message)) this.#agree(message, answering)
      return answering
    })
  }

  #agree(message: unknown, answering: unknown): void {
    const agreed = whenReady(answering, (answered) => {
      this.#handshake = undefined
      this.#agreed = handshakeOf(message, answered) ?? this.#agreed
    })
    if (isThenable(agreed)) this.#handshake = agreed
  }

  /** Starts notifications, with the first message after the handshake. */
  #begin(): void {
    if (this.#listens || this.#ended || this.protocolVersion === undefined) return
    this.#listens = true
    const { notifications } = this.#core
    const { signal } = this.#caller
    if (signal?.aborted !== false) return
    signal.addEventListener('abort', () => notifications.delete(this), { once: true })
    // Never rejects. A store that can't be reached must not delay calls.
    void notifications.ready()
    notifications.add(this)
  }

  deliver(notice: Notification): void {
    const { method, params, uri } = notice
    if ((uri !== undefined && !this.#uris.has(uri)) || !this.#filter.allows(notice)) return
    this.#tell({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) })
  }

  #tell(notice: JsonRpcNotification): void {
    try {
      this.#caller.send?.(notice)
    } catch {
      // If the transport fails, only its own notifications are lost.
    }
  }

  /** Adds a subscription, which ends with the connection. */
  hold(subscription: OpenSubscription): void {
    this.#subscriptions.add(subscription)
    if (this.#ended) subscription.close()
  }

  release(subscription: OpenSubscription): void {
    this.#subscriptions.delete(subscription)
  }

  /** Stops notifications and ends the subscriptions. Other requests are up to the transport. */
  close(): void {
    this.#ended = true
    this.#core.notifications.delete(this)
    for (const subscription of [...this.#subscriptions]) subscription.close()
  }
}

/** Returns the identity that a caller object declares. */
export function identityOf({ user, auth, context, scopes = auth?.scopes }: Caller): Identity {
  return { user: user ?? undefined, auth, context, scopes }
}

/** Returns the connection of a caller, the same for each message; `undefined` without `send` and `signal`. */
export function connectionOf(core: Core, caller: Caller): Connection | undefined {
  if (caller.send === undefined || caller.signal === undefined) return undefined
  const known = core.connections.get(caller)
  if (known !== undefined) return known
  const connection = new Connection(core, caller)
  core.connections.set(caller, connection)
  return connection
}
