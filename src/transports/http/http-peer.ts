/** One HTTP request as the core sees it. */

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
import { countedAddressOf } from './client-address.js'
import type { HttpSessions } from './http-sessions.js'
import type { LongStreams } from './long-streams.js'
import type { Reply } from './reply.js'
import type { HttpRequest } from './shapes.js'

/** Where the caller is found. */
export interface PeerOptions extends CallerOptions {
  readonly sessions: HttpSessions
  /** `undefined`: the mount offers no page. */
  readonly explorer?: Explorer | undefined
  /** `undefined`: the mount has no streams beyond those of calls. */
  readonly streams: LongStreams | undefined
}

export class HttpPeer implements Peer {
  readonly request: HttpRequest
  readonly scope = undefined
  readonly ask = undefined
  readonly uris = undefined
  readonly headers: HttpRequest
  /** Set once the form of the answer can still change. */
  reply: Reply | undefined
  /** The request whose answer may be fetched later. */
  asked: RequestId | undefined
  readonly #options: PeerOptions
  #listeners: readonly (() => void)[] = none
  #gone = false
  #watched = false
  #agreed: Negotiation | undefined
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

  /** Nobody came this far without a token. */
  get isProtected(): boolean {
    return this.#options.auth?.required === true
  }

  /** What a connection rests on that this request opens. */
  permissionOf(identity: Identity): Permission {
    return new Permission(this.#options, this.request, identity)
  }

  negotiated(method?: string): Negotiation {
    this.#agreed = this.#options.sessions.agree(this.request, method)
    return this.#agreed
  }

  get beginAfterMs(): number | undefined {
    return this.request.beginAfterMs
  }

  /** Whether the client could come back for the answer: with the id of an event, in its session. */
  get canResume(): boolean {
    const { streams, sessions } = this.#options
    const { sessionId, protocolVersion } = this.#agreed ?? {}
    return streams !== undefined && sessionId !== undefined && sessions.resumes(protocolVersion)
  }

  /** Where the events of the answer are kept for it, begun. */
  toLog(): EventLog | undefined {
    const { sessionId } = this.#agreed ?? {}
    if (sessionId === undefined || !this.canResume) return undefined
    const log = new EventLog(this.#options.sessions.logParts(keyOf(sessionId)), newStreamId('answer'))
    log.writeStart(this.asked)
    return log
  }

  resolveCaller(): Identity | Promise<Identity> {
    this.#identity ??= whenReady(resolveCaller(this.#options, this.request), (identity) => {
      this.#identity = identity
      return identity
    })
    return this.#identity
  }

  /** Whom per-caller limits count. */
  get callerKey(): string | undefined {
    const identity = isThenable(this.#identity) ? undefined : this.#identity
    return callerKeyOf({ identity, userId: this.userId }, () =>
      countedAddressOf(this.request, this.#options.core),
    )
  }

  /** As `resolveCaller`, for what is no exchange and has no time limit of its own. */
  async resolveCallerWithTimeout(): Promise<Identity> {
    const { timeoutMs } = this.#options.core.registry.defaults
    const found = this.resolveCaller()
    if (!isThenable(found) || timeoutMs === 0) return found
    return withTimeout(found, timeoutMs, () => {
      throw new Interrupted('TimeoutError', `the login of the host did not answer within ${timeoutMs} ms`)
    })
  }

  onHandlerStart(): void {
    this.reply?.onHandler()
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
    return era === 'modern' || (sessions.offered && (identity === undefined || sessions.binds(identity)))
  }

  reserve(): void {
    if (this.reply?.streams !== true) throw noStream()
    this.#options.streams?.reserve(this.callerKey)
  }

  onDisconnect(listener: () => void): () => void {
    this.#watch()
    if (this.#gone) listener()
    this.#listeners = this.#listeners === none ? [listener] : [...this.#listeners, listener]
    return () => {
      // The connection may stay open for long: nothing of the call is kept.
      this.#listeners =
        this.#listeners.length === 1 ? none : this.#listeners.filter((one) => one !== listener)
    }
  }

  /** Listens to the connection once somebody wants to know. */
  #watch(): void {
    if (this.#watched) return
    this.#watched = true
    this.request.onClose((answered) => {
      if (!answered) this.leave()
    })
  }

  /** The connection is gone; and so is the call, unless its answer can be fetched later. */
  leave(): void {
    if (this.reply?.isKept === true) {
      this.reply.leave()
      return
    }
    this.#gone = true
    for (const listener of this.#listeners) listener()
  }
}

function noStream(): McpError {
  return refusal(ErrorCode.InvalidRequest, 'Not acceptable: a subscription is a text/event-stream', {
    status: 406,
  })
}

const none: readonly never[] = []
