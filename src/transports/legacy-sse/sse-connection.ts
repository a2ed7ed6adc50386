/** One connection of the 2024-11-05 transport: everything that its client posts is answered on its one stream. */

import type { Notification } from '../../notifications/notification.js'
import type { Listener } from '../../notifications/notification-hub.js'
import type { VisibilityFilter } from '../../notifications/visibility-filter.js'
import { partsOf } from '../../protocol/batch.js'
import { handshakeOf, type Negotiation } from '../../protocol/envelope.js'
import type { ClientInfo, Identity } from '../../protocol/identity.js'
import type { Era } from '../../protocol/revisions.js'
import type { JsonRpcRequest, JsonRpcResponse } from '../../protocol/types.js'
import type { Peer } from '../../request/peer.js'
import type { Core } from '../../server/core.js'
import { answerMessage } from '../../server/in-process.js'
import type { Owner } from '../../sessions/owner.js'
import { jsonText } from '../../support/long-numbers.js'
import { mostQueuedBytes } from '../http/body-stream.js'
import type { HttpPeer, PeerOptions } from '../http/http-peer.js'
import { jsonResponse } from '../http/json-response.js'
import type { HttpRequest } from '../http/shapes.js'
import type { EventStream } from '../http/sse.js'

/**
 * With this many requests running further ones are refused: their senders do not wait for them. Once much waits to be
 * read, those count too whose answers wait.
 */
const mostRunning = 100

export class SseConnection implements Listener {
  readonly stream: EventStream
  /** Who opened it. */
  readonly owner: Owner
  /** What its client subscribed to. */
  readonly uris: Set<string> = new Set()
  /** What `initialize` agreed on. */
  protocolVersion: string | undefined
  client: ClientInfo | undefined
  /** Requests alone: what they wait for may come in an answer, or in a cancellation. */
  #running = 0
  /** Answers since everything had been read. */
  #unread = 0
  #closing = false
  readonly #filter: VisibilityFilter
  /** Calls that nobody waits for once the stream is closed. */
  readonly #calls = new Set<() => void>()

  constructor(stream: EventStream, owner: Owner, sight: VisibilityFilter) {
    this.stream = stream
    this.owner = owner
    this.#filter = sight
    stream.onEnd(() => {
      for (const listener of [...this.#calls]) listener()
    })
  }

  /** Calls `listener` when nobody reads the answers any more; returns a way to stop listening. */
  whenGone(listener: () => void): () => void {
    if (this.stream.ended) listener()
    this.#calls.add(listener)
    return () => void this.#calls.delete(listener)
  }

  get isBusy(): boolean {
    const waiting = this.stream.size
    if (waiting === 0) this.#unread = 0
    return this.#running + (waiting > mostQueuedBytes ? this.#unread : 0) >= mostRunning
  }

  /** Answers on the stream, later. Never rejects. */
  async take(core: Core, message: unknown, peer: Peer): Promise<void> {
    const { requests } = partsOf(message)
    this.#running += requests.length
    try {
      const answer = await answerMessage(core, message, peer)
      if (answer === undefined) return
      if (!Array.isArray(answer)) this.#note(message, answer)
      this.#unread += requests.length
      this.stream.answer(
        jsonResponse(core, answer, (requests[0] as JsonRpcRequest | undefined)?.method ?? ''),
      )
    } finally {
      this.#running -= requests.length
      if (this.#closing) this.close()
    }
  }

  deliver(notice: Notification): void {
    const { uri } = notice
    if ((uri === undefined || this.uris.has(uri)) && this.#filter.allows(notice)) this.#notify(notice.text)
  }

  /** Ends it once nothing runs on it any more. */
  close(): void {
    this.#closing = true
    if (this.#running === 0) this.stream.end()
  }

  /** A reader that slow loses its connection: nothing can be fetched later here. */
  #notify(json: string): void {
    if (!this.stream.notify(json)) this.stream.end()
  }

  /** What later messages rely on. */
  #note(message: unknown, answer: JsonRpcResponse): void {
    const agreed = handshakeOf(message, answer)
    if (agreed === undefined) return
    this.protocolVersion = agreed.protocolVersion
    this.client = agreed.client
  }
}

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
