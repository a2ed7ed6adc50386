/** One message of a 2024-11-05 connection as the core sees it. */

import type { Negotiation } from '../../protocol/envelope.js'
import type { Identity } from '../../protocol/identity.js'
import type { Era } from '../../protocol/revisions.js'
import type { Peer } from '../../request/peer.js'
import { jsonText } from '../../support/json-text.js'
import type { HttpPeer, PeerOptions } from '../http/http-peer.js'
import type { HttpRequest } from '../http/shapes.js'
import type { SseConnection } from './sse-connection.js'

/** A message of the connection: its caller is the one that posted it, everything else belongs to the connection. */
export class SsePeer implements Peer {
  readonly headers = undefined
  readonly ask = undefined
  readonly scope: SseConnection
  readonly #posted: HttpPeer
  readonly #options: Pick<PeerOptions, 'core' | 'streams'>

  constructor(posted: HttpPeer, connection: SseConnection, options: Pick<PeerOptions, 'core' | 'streams'>) {
    this.#posted = posted
    this.scope = connection
    this.#options = options
  }

  get request(): HttpRequest {
    return this.#posted.request
  }

  get development(): boolean {
    return this.#posted.development
  }

  get holdsExplorerKey(): boolean {
    return this.#posted.holdsExplorerKey
  }

  get userId(): Peer['userId'] {
    return this.#posted.userId
  }

  get callerKey(): string | undefined {
    return this.#posted.callerKey
  }

  get challenge(): Peer['challenge'] {
    return this.#posted.challenge
  }

  get isProtected(): boolean {
    return this.#posted.isProtected
  }

  get uris(): Set<string> {
    return this.scope.uris
  }

  resolveCaller(): Identity | Promise<Identity> {
    return this.#posted.resolveCaller()
  }

  negotiated(): Negotiation {
    const { core } = this.#options
    const { protocolVersion, client } = this.scope
    const logLevel = core.callerLevels.get(this.scope) ?? core.logLevel
    return { protocolVersion: protocolVersion ?? '2024-11-05', client, logLevel }
  }

  send(message: Parameters<Peer['send']>[0]): boolean {
    return this.scope.stream.notify(jsonText(message))
  }

  onDisconnect(listener: () => void): () => void {
    return this.scope.whenGone(listener)
  }

  canNotify(era: Era): boolean {
    return era === 'legacy' && this.#options.streams !== undefined
  }

  reserve(): void {}

  closeStream(): boolean {
    return false
  }
}
