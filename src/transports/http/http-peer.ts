/** The peer of an HTTP request. */

import { Interrupted } from '../../errors/classify-error.js'
import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import type { Negotiation } from '../../protocol/envelope.js'
import type { Identity } from '../../protocol/identity.js'
import type { Era } from '../../protocol/revisions.js'
import type { RequestId } from '../../protocol/types.js'
import type { Peer } from '../../request/peer.js'
import { isDevelopment } from '../../server/router-options.js'
import { EventLog, newStreamId } from '../../sessions/event-log.js'
import { callerKeyOf, type UserId } from '../../sessions/owner.js'
import { keyOf } from '../../sessions/sessions.js'
import { withTimeout } from '../../support/deadlines.js'
import { isThenable, whenReady } from '../../support/maybe-promise.js'
import { Permission } from '../auth/permission.js'
import { type CallerOptions, resolveCaller } from '../auth/resolve-caller.js'
import type { Explorer } from '../explorer/explorer.js'
import { addressForLimits } from './client-address.js'
import type { HttpSessions } from './http-sessions.js'
import type { LongStreams } from './long-streams.js'
import type { Reply } from './reply.js'
import type { HttpRequest } from './shapes.js'

/** The mount's options for peers. */
export interface PeerOptions extends CallerOptions {
  readonly sessions: HttpSessions
  /** `undefined` if the mount has no explorer. */
  readonly explorer?: Explorer | undefined
  /** `undefined` if the mount only has the streams of calls. */
  readonly streams: LongStreams | undefined
}

export class HttpPeer implements Peer {
  readonly request: HttpRequest
  readonly scope = undefined
  readonly ask = undefined
  readonly uris = undefined
  readonly headers: HttpRequest
  /** Set while the response can still become a stream. */
  reply: Reply | undefined
  /** The id of the request, for resuming its response. */
  answeredRequestId: RequestId | undefined
  readonly #options: PeerOptions
  #listeners: readonly (() => void)[] = none
  #isDisconnected = false
  #isListening = false
  #negotiation: Negotiation | undefined
  #identity: Identity | Promise<Identity> | undefined

  constructor(request: HttpRequest, options: PeerOptions) {
    this.request = request
    this.#options = options
    this.headers = request
  }

  get development(): boolean {
    return isDevelopment()
  }

  get holdsExplorerKey(): boolean {
    return this.#options.explorer?.hasKey(this.request) === true
  }

  get userId(): UserId | undefined {
    return this.#options.userId
  }

  get challenge(): Peer['challenge'] {
    const { auth } = this.#options
    return auth && ((challenge) => auth.challenge(this.request, challenge))
  }

  /** Whether the mount requires a token, so that every request that gets here has one. */
  get isProtected(): boolean {
    return this.#options.auth?.required === true
  }

  /** The permission for a connection that this request opens. */
  permissionOf(identity: Identity): Permission {
    return new Permission(this.#options, this.request, identity)
  }

  negotiated(method?: string): Negotiation {
    this.#negotiation = this.#options.sessions.negotiate(this.request, method)
    return this.#negotiation
  }

  get beginAfterMs(): number | undefined {
    return this.request.beginAfterMs
  }

  /** Whether the client can resume the response, which needs a session and event ids. */
  get canResume(): boolean {
    const { streams, sessions } = this.#options
    const { sessionId, protocolVersion } = this.#negotiation ?? {}
    return streams !== undefined && sessionId !== undefined && sessions.canResume(protocolVersion)
  }

  /** Creates and starts the log of the response's events, if the client can resume it. */
  toLog(): EventLog | undefined {
    const { sessionId } = this.#negotiation ?? {}
    if (sessionId === undefined || !this.canResume) return undefined
    const log = new EventLog(this.#options.sessions.logParts(keyOf(sessionId)), newStreamId('answer'))
    log.writeStart(this.answeredRequestId)
    return log
  }

  resolveCaller(): Identity | Promise<Identity> {
    this.#identity ??= whenReady(resolveCaller(this.#options, this.request), (identity) => {
      this.#identity = identity
      return identity
    })
    return this.#identity
  }

  /** The key that per-caller limits count by. */
  get callerKey(): string | undefined {
    const identity = isThenable(this.#identity) ? undefined : this.#identity
    return callerKeyOf({ identity, userId: this.userId }, () =>
      addressForLimits(this.request, this.#options.core),
    )
  }

  /** Like `resolveCaller`, with the default time limit, for requests without an exchange. */
  async resolveCallerWithTimeout(): Promise<Identity> {
    const { timeoutMs } = this.#options.core.registry.defaults
    const found = this.resolveCaller()
    if (!isThenable(found) || timeoutMs === 0) return found
    return withTimeout(found, timeoutMs, () => {
      throw new Interrupted('TimeoutError', `the app's login did not respond within ${timeoutMs} ms`)
    })
  }

  onHandlerStart(): void {
    this.reply?.onHandlerStart()
  }

  send(message: Parameters<Peer['send']>[0]): boolean {
    return this.reply?.send(message) ?? false
  }

  closeStream(retryMs: number): boolean {
    return this.reply?.pause(retryMs) ?? false
  }

  canNotify(era: Era, identity: Identity | undefined): boolean {
    const { streams, sessions } = this.#options
    if (streams === undefined) return false
    return era === 'modern' || (sessions.isOffered && (identity === undefined || sessions.canBind(identity)))
  }

  reserve(): void {
    if (this.reply?.canStream !== true) throw noStream()
    this.#options.streams?.reserve(this.callerKey)
  }

  onDisconnect(listener: () => void): () => void {
    this.#listenForClose()
    if (this.#isDisconnected) listener()
    this.#listeners = this.#listeners === none ? [listener] : [...this.#listeners, listener]
    return () => {
      // Frees the call's memory, because the connection may stay open for long.
      this.#listeners =
        this.#listeners.length === 1 ? none : this.#listeners.filter((one) => one !== listener)
    }
  }

  /** Listens for the end of the connection, from the first listener on. */
  #listenForClose(): void {
    if (this.#isListening) return
    this.#isListening = true
    this.request.onClose((answered) => {
      if (!answered) this.leave()
    })
  }

  /** Handles a disconnect: cancels the call, unless its response can be resumed. */
  leave(): void {
    if (this.reply?.isResumable === true) {
      this.reply.leave()
      return
    }
    this.#isDisconnected = true
    for (const listener of this.#listeners) listener()
  }
}

function noStream(): McpError {
  return refusal(
    ErrorCode.InvalidRequest,
    'Not acceptable: a subscription responds with text/event-stream; add it to `Accept`',
    {
      status: 406,
    },
  )
}

const none: readonly never[] = []
