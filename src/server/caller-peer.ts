/** The peer of `router.handle()` and of in-process calls. */

import type { Caller } from '../definitions/context.js'
import type { Negotiation } from '../protocol/envelope.js'
import type { Identity } from '../protocol/identity.js'
import type { Era } from '../protocol/revisions.js'
import type { JsonRpcNotification, JsonRpcRequest } from '../protocol/types.js'
import type { Peer } from '../request/peer.js'
import { callerKeyOf } from '../sessions/owner.js'
import { type Connection, connectionOf, identityOf } from './connection.js'
import type { Core } from './core.js'
import { isDevelopment, isProduction } from './router-options.js'

export class CallerPeer implements Peer {
  readonly headers = undefined
  readonly scope: object | undefined
  readonly ask: Peer['ask']
  /** `undefined` for in-process calls, and for callers without `send` and `signal`. */
  readonly connection: Connection | undefined
  readonly #core: Core
  readonly #caller: Caller

  constructor(core: Core, caller: Caller, scope: object | undefined, ask?: Peer['ask']) {
    this.scope = scope
    this.ask = ask
    this.connection = scope === undefined ? undefined : connectionOf(core, caller)
    this.#core = core
    this.#caller = caller
  }

  get userId(): Peer['userId'] {
    return this.#caller.userId as Peer['userId']
  }

  get callerKey(): string | undefined {
    const { callerKeys } = this.#core
    if (callerKeys.has(this.#caller)) return callerKeys.get(this.#caller)
    return callerKeyOf({ identity: this.resolveCaller(), userId: this.userId }, () => this.request?.ip)
  }

  get request(): Caller['request'] {
    return this.#caller.request
  }

  get development(): boolean {
    return isDevelopment() || (!isProduction() && this.#core.localCallers.has(this.#caller))
  }

  resolveCaller(): Identity {
    return identityOf(this.#caller)
  }

  negotiated(): Negotiation {
    const { protocolVersion, client } = this.connection ?? this.#caller
    const { sessionId } = this.#caller
    const logLevel = this.#core.callerLevels.get(this.#caller) ?? this.#core.logLevel
    return { protocolVersion, client, sessionId, logLevel }
  }

  onDisconnect(listener: () => void): () => void {
    if (this.connection !== undefined) return this.connection.whenGone(listener)
    const { signal } = this.#caller
    return signal === undefined ? nothing : listenOnce(signal, listener)
  }

  get uris(): Set<string> | undefined {
    return this.connection?.uris
  }

  /** Whether the caller has `send`. Its transport limits the number of open requests. */
  canNotify(era: Era): boolean {
    return era === 'modern' ? this.#caller.send !== undefined : this.connection !== undefined
  }

  reserve(): void {}

  closeStream(): boolean {
    return false
  }

  send(message: JsonRpcNotification | JsonRpcRequest): boolean {
    const { send } = this.#caller
    return send !== undefined && send(message) !== false
  }
}

const nothing = (): void => {}

function listenOnce(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener()
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}
