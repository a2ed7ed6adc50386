/** A caller that can be sent messages until its signal aborts: what it agreed on, what it keeps, and what it is told. */

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
  /** From now on it tells what this shows. */
  renew(sight: VisibilityFilter): void
}

export class Connection implements Listener {
  readonly #core: Core
  readonly #caller: Caller
  #filter: VisibilityFilter
  readonly #uris = new Set<string>()
  readonly #subscriptions = new Set<OpenSubscription>()
  /** Those that the subscriptions were let in with. */
  #scopes: readonly string[] | undefined
  /** Calls that nobody waits for once it is gone. */
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
   * The caller is known anew: from now on notices are for who they are now. Subscriptions end where scopes were lost, which
   * they may have needed to begin.
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

  /** What its client subscribed to; `undefined` before the handshake, when nobody is told anything. */
  get uris(): Set<string> | undefined {
    return this.protocolVersion === undefined ? undefined : this.#uris
  }

  /** Values that live as long as it does: the connection is the session of its client. */
  get values(): Session | undefined {
    if (this.protocolVersion === undefined) return undefined
    this.#values ??= new ConnectionValues()
    return this.#values
  }

  /** As a signal's listeners, of which a platform warns where they are many: calls are. */
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

  /** Answers a message. One that comes while a handshake is answered waits for it: clients that pipe do not. */
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

  /** A client is told from the first message on that follows its handshake. */
  #begin(): void {
    if (this.#listens || this.#ended || this.protocolVersion === undefined) return
    this.#listens = true
    const { notifications } = this.#core
    const { signal } = this.#caller
    if (signal?.aborted !== false) return
    signal.addEventListener('abort', () => notifications.delete(this), { once: true })
    // Never rejects; a store that is away keeps no call waiting.
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
      // A transport that fails loses its own notices only.
    }
  }

  /** A subscription that ends with it, and is answered then. */
  hold(subscription: OpenSubscription): void {
    this.#subscriptions.add(subscription)
    if (this.#ended) subscription.close()
  }

  release(subscription: OpenSubscription): void {
    this.#subscriptions.delete(subscription)
  }

  /** It is told nothing more, and its subscriptions are answered; what else runs on it is the transport's own. */
  close(): void {
    this.#ended = true
    this.#core.notifications.delete(this)
    for (const subscription of [...this.#subscriptions]) subscription.close()
  }
}

/** Who a caller says they are; nobody else is asked. */
export function identityOf({ user, auth, context, scopes = auth?.scopes }: Caller): Identity {
  return { user: user ?? undefined, auth, context, scopes }
}

/** The same one for every message of a caller; `undefined` where there is nothing to send on, or no end of it. */
export function connectionOf(core: Core, caller: Caller): Connection | undefined {
  if (caller.send === undefined || caller.signal === undefined) return undefined
  const known = core.connections.get(caller)
  if (known !== undefined) return known
  const connection = new Connection(core, caller)
  core.connections.set(caller, connection)
  return connection
}
