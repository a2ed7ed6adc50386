/** GET: the standalone stream of a legacy session, and the resumption of a broken stream. */

import { closingError, ErrorCode, refusal } from '../../errors/errors.js'
import { VisibilityFilter } from '../../notifications/visibility-filter.js'
import type { Identity } from '../../protocol/identity.js'
import { assertUser } from '../../request/authorize.js'
import { kindOf, type Position, readEventId } from '../../sessions/event-log.js'
import { followStream } from '../../sessions/read-along.js'
import { keyOf } from '../../sessions/sessions.js'
import { readAccept } from './accept.js'
import { HttpPeer, type PeerOptions } from './http-peer.js'
import type { LongStreams } from './long-streams.js'
import type { HttpRequest, HttpResponse } from './shapes.js'
import { type EventStream, type KeepAlive, sseHeaders } from './sse.js'
import { defaultRetryMs } from './stream-response.js'

export interface GetOptions extends PeerOptions {
  readonly keepAlive: KeepAlive
}

export class Get {
  readonly #options: GetOptions

  constructor(options: GetOptions) {
    this.#options = options
  }

  /** Whether this mount supports GET streams. */
  get isOffered(): boolean {
    const { streams, sessions } = this.#options
    return streams !== undefined && sessions.isOffered
  }

  /** Whether to handle this request. GET streams need a session. */
  serves(request: HttpRequest): boolean {
    return this.isOffered && request.header('mcp-session-id') !== undefined
  }

  /** Opens a stream. Throws session errors, 406 if the client doesn't accept event streams, and 503 or 429 for too many. */
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const { core, sessions } = this.#options
    if (!readAccept(request.header('accept')).sse) {
      const message = 'Not acceptable: GET responds with text/event-stream; add it to `Accept`'
      throw refusal(ErrorCode.InvalidRequest, message, { status: 406 })
    }
    const peer = new HttpPeer(request, this.#options)
    const { sessionId = '', protocolVersion, assertOwner } = peer.negotiated()
    const identity = await peer.resolveCallerWithTimeout()
    assertOwner?.(identity)
    if (core.requireUser) assertUser(identity, peer)
    if (core.inFlight.closing) throw closingError()
    const after = sessions.canResume(protocolVersion) ? positionOf(request) : undefined
    const connection = this.#openConnection(peer, identity)
    try {
      if (after !== undefined && kindOf(after) === 'answer')
        await this.#resumeAnswer(sessionId, after, connection)
      else {
        const resumes = sessions.canResume(protocolVersion)
        const filter = new VisibilityFilter(core, { identity, request })
        await this.#openStandalone(sessionId, { resumes, after, connection, filter })
      }
      // Some frameworks send the headers with the first byte of the body, and the client waits for them.
      connection.keepAlive()
    } catch (error) {
      connection.end()
      throw error
    }
    // The session may have ended in the meantime, on this machine or another.
    if (core.sessions?.open(sessionId) === undefined) connection.end()
    return { status: 200, headers: { ...sseHeaders }, body: connection }
  }

  #openConnection(peer: HttpPeer, identity: Identity): EventStream {
    const streams = this.#options.streams as LongStreams
    streams.reserve(peer.callerKey)
    const connection = streams.open(peer.callerKey)
    streams.limit(connection, peer.permissionOf(identity))
    // An idle stream only learns of a disconnect from the socket.
    peer.request.onClose(() => connection.end())
    return connection
  }

  /** Resumes the stream of a call. */
  async #resumeAnswer(sessionId: string, after: Position, connection: EventStream): Promise<void> {
    const found = await followStream(this.#options.sessions.logParts(keyOf(sessionId)), after, connection)
    if (found) return
    const message = 'Bad request: the events after this Last-Event-ID are no longer available'
    throw refusal(ErrorCode.InvalidRequest, message, { status: 400 })
  }

  async #openStandalone(
    sessionId: string,
    { resumes, after, connection, filter }: StandaloneStream,
  ): Promise<void> {
    const { core, sessions } = this.#options
    const key = keyOf(sessionId)
    await core.sessionStreams.open(key, {
      connection,
      log: resumes ? sessions.logParts(key) : undefined,
      after,
      filter,
      prime: (id) => connection.prime(id, defaultRetryMs),
    })
  }
}

interface StandaloneStream {
  readonly resumes: boolean
  readonly after: Position | undefined
  readonly connection: EventStream
  readonly filter: VisibilityFilter
}

function positionOf(request: HttpRequest): Position | undefined {
  const id = request.header('last-event-id')
  return id === undefined ? undefined : readEventId(id)
}
