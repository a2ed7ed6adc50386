/** A connection of the 2024-11-05 transport: responses to all posted messages go out on its stream. */

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
import { maxQueuedBytes } from '../http/body-stream.js'
import type { HttpPeer, PeerOptions } from '../http/http-peer.js'
import { jsonResponse } from '../http/json-response.js'
import type { HttpRequest } from '../http/shapes.js'
import type { EventStream } from '../http/sse.js'

/**
 * The maximum number of running requests; further ones are refused, since nothing else slows their sender down. While the
 * client is slow to read, requests with unread responses count, too.
 */
const maxRunning = 100

export class SseConnection implements Listener {
  readonly stream: EventStream
  /** The caller that opened the stream. */
  readonly owner: Owner
  /** The URIs of the resources that the client is subscribed to. */
  readonly uris: Set<string> = new Set()
  /** The revision negotiated in `initialize`. */
  protocolVersion: string | undefined
  client: ClientInfo | undefined
  /** Running requests. Responses and notifications don't count, because running requests may depend on them. */
  #running = 0
  /** Responses written since the stream's queue was last empty. */
  #unreadAnswers = 0
  #closing = false
  readonly #filter: VisibilityFilter
  /** Called when the stream ends, to abort running calls. */
  readonly #calls = new Set<() => void>()

  constructor(stream: EventStream, owner: Owner, filter: VisibilityFilter) {
    this.stream = stream
    this.owner = owner
    this.#filter = filter
    stream.onEnd(() => {
      for (const listener of [...this.#calls]) listener()
    })
  }

  /** Calls `listener` once the stream has ended. Returns a function that removes the listener. */
  onDisconnect(listener: () => void): () => void {
    if (this.stream.ended) listener()
    this.#calls.add(listener)
    return () => void this.#calls.delete(listener)
  }

  get isBusy(): boolean {
    const queuedBytes = this.stream.size
    if (queuedBytes === 0) this.#unreadAnswers = 0
    return this.#running + (queuedBytes > maxQueuedBytes ? this.#unreadAnswers : 0) >= maxRunning
  }

  /** Handles a message and sends the response on the stream. Never rejects. */
  async handle(core: Core, message: unknown, peer: Peer): Promise<void> {
    const { requests } = partsOf(message)
    this.#running += requests.length
    try {
      const answer = await answerMessage(core, message, peer)
      if (answer === undefined) return
      if (!Array.isArray(answer)) this.#recordHandshake(message, answer)
      this.#unreadAnswers += requests.length
      this.stream.answer(
        jsonResponse(core, answer, (requests[0] as JsonRpcRequest | undefined)?.method ?? ''),
      )
    } finally {
      this.#running -= requests.length
      if (this.#closing) this.close()
    }
  }

  deliver(notification: Notification): void {
    const { uri } = notification
    if ((uri === undefined || this.uris.has(uri)) && this.#filter.allows(notification))
      this.#notify(notification.text)
  }

  /** Ends the stream once no request runs any more. */
  close(): void {
    this.#closing = true
    if (this.#running === 0) this.stream.end()
  }

  /** Sends a notification. Disconnects a slow client, because this transport can't resume a stream. */
  #notify(json: string): void {
    if (!this.stream.notify(json)) this.stream.end()
  }

  /** Records the negotiated revision and the client for later messages. */
  #recordHandshake(message: unknown, answer: JsonRpcResponse): void {
    const handshake = handshakeOf(message, answer)
    if (handshake === undefined) return
    this.protocolVersion = handshake.protocolVersion
    this.client = handshake.client
  }
}

/** The peer of a posted message: its caller comes from the POST request, everything else from the connection. */
export class SsePeer implements Peer {
  readonly headers = undefined
  readonly ask = undefined
  readonly scope: SseConnection
  readonly #httpPeer: HttpPeer
  readonly #options: Pick<PeerOptions, 'core' | 'streams'>

  constructor(httpPeer: HttpPeer, connection: SseConnection, options: Pick<PeerOptions, 'core' | 'streams'>) {
    this.#httpPeer = httpPeer
    this.scope = connection
    this.#options = options
  }

  get request(): HttpRequest {
    return this.#httpPeer.request
  }

  get development(): boolean {
    return this.#httpPeer.development
  }

  get holdsExplorerKey(): boolean {
    return this.#httpPeer.holdsExplorerKey
  }

  get userId(): Peer['userId'] {
    return this.#httpPeer.userId
  }

  get callerKey(): string | undefined {
    return this.#httpPeer.callerKey
  }

  get challenge(): Peer['challenge'] {
    return this.#httpPeer.challenge
  }

  get isProtected(): boolean {
    return this.#httpPeer.isProtected
  }

  get uris(): Set<string> {
    return this.scope.uris
  }

  resolveCaller(): Identity | Promise<Identity> {
    return this.#httpPeer.resolveCaller()
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
    return this.scope.onDisconnect(listener)
  }

  canNotify(era: Era): boolean {
    return era === 'legacy' && this.#options.streams !== undefined
  }

  reserve(): void {}

  closeStream(): boolean {
    return false
  }
}
