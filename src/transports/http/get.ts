/** GET: the stream of a legacy session for what it is told outside of its calls, and the rest of a broken stream. */

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

  /** Whether there are such streams at all. */
  get offered(): boolean {
    const { streams, sessions } = this.#options
    return streams !== undefined && sessions.offered
  }

  /** Without a session there is none. */
  offers(request: HttpRequest): boolean {
    return this.offered && request.header('mcp-session-id') !== undefined
  }

  /** Throws the refusals of a session, 406 for who reads no stream, and 503 when there are too many. */
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const { core, sessions } = this.#options
    if (!readAccept(request.header('accept')).sse) {
      const message = 'Not acceptable: GET answers text/event-stream'
      throw refusal(ErrorCode.InvalidRequest, message, { status: 406 })
    }
    const peer = new HttpPeer(request, this.#options)
    const { sessionId = '', protocolVersion, assertOwner } = peer.negotiated()
    const identity = await peer.resolveCallerWithTimeout()
    assertOwner?.(identity)
    if (core.requireUser) assertUser(identity, peer)
    if (core.inFlight.closing) throw closingError()
    const after = sessions.resumes(protocolVersion) ? positionOf(request) : undefined
    const connection = this.#connect(peer, identity)
    try {
      if (after !== undefined && kindOf(after) === 'answer') await this.#goOn(sessionId, after, connection)
      else {
        const resumes = sessions.resumes(protocolVersion)
        const sight = new VisibilityFilter(core, { identity, request })
        await this.#stand(sessionId, { resumes, after, connection, sight })
      }
      // Some frameworks send the headers with the first byte, and the client waits for them.
      connection.keepAlive()
    } catch (error) {
      connection.end()
      throw error
    }
    // It may have been ended meanwhile, here or elsewhere.
    if (core.sessions?.open(sessionId) === undefined) connection.end()
    return { status: 200, headers: { ...sseHeaders }, body: connection }
  }

  #connect(peer: HttpPeer, identity: Identity): EventStream {
    const streams = this.#options.streams as LongStreams
    streams.reserve(peer.callerKey)
    const connection = streams.open(peer.callerKey)
    streams.limit(connection, peer.permissionOf(identity))
    // A quiet stream learns of its reader's end from the socket alone.
    peer.request.onClose(() => connection.end())
    return connection
  }

  /** The stream of a call, whose client comes back for what it missed. */
  async #goOn(sessionId: string, after: Position, connection: EventStream): Promise<void> {
    const found = await followStream(this.#options.sessions.logParts(keyOf(sessionId)), after, connection)
    if (found) return
    const message = 'Bad request: the events after this Last-Event-ID are not kept any more'
    throw refusal(ErrorCode.InvalidRequest, message, { status: 400 })
  }

  async #stand(sessionId: string, { resumes, after, connection, sight }: StandingStream): Promise<void> {
    const { core, sessions } = this.#options
    const key = keyOf(sessionId)
    await core.sessionStreams.open(key, {
      connection,
      log: resumes ? sessions.logParts(key) : undefined,
      after,
      filter: sight,
      prime: (id) => connection.prime(id, defaultRetryMs),
    })
  }
}

interface StandingStream {
  readonly resumes: boolean
  readonly after: Position | undefined
  readonly connection: EventStream
  readonly sight: VisibilityFilter
}

function positionOf(request: HttpRequest): Position | undefined {
  const id = request.header('last-event-id')
  return id === undefined ? undefined : readEventId(id)
}
