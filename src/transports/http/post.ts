/** POST: handles one message, or a batch of 2025-03-26, and responds with JSON or an event stream. */

import { brandOf, closingError, ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import { Subscription } from '../../notifications/subscription.js'
import { noBatches, readBatch } from '../../protocol/batch.js'
import { isModernHeader, isModernRequest } from '../../protocol/envelope.js'
import type { Identity } from '../../protocol/identity.js'
import { errorResponse, type Message, readMessage } from '../../protocol/jsonrpc.js'
import { checkNotification } from '../../protocol/request-headers.js'
import type { JsonRpcRequest } from '../../protocol/types.js'
import { type Answer, acceptNotification, dispatch } from '../../server/dispatch.js'
import { scopeOf } from '../../sessions/sessions.js'
import { jsonText } from '../../support/long-numbers.js'
import { attempt, type Steps, whenReady } from '../../support/maybe-promise.js'
import { PreparedText } from '../../support/prepared-json.js'
import { toClientError } from '../../tracing/error-report.js'
import { type Accepted, readAccept } from './accept.js'
import { type BodyLimits, readJson } from './body.js'
import { HttpPeer, type PeerOptions } from './http-peer.js'
import { jsonResponse } from './json-response.js'
import type { LongStreams } from './long-streams.js'
import { Reply, type ReplyOutcome } from './reply.js'
import type { HttpRequest, HttpResponse } from './shapes.js'
import type { KeepAlive } from './sse.js'

export interface PostOptions extends PeerOptions {
  readonly limits: BodyLimits
  readonly keepAlive: KeepAlive
}

export class Post {
  readonly #options: PostOptions

  constructor(options: PostOptions) {
    this.#options = options
  }

  /** Handles a POST request. Throws an `McpError` if its body isn't a valid message. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const accept = readAccept(request.header('accept'))
    if (!accept.json && !accept.sse) {
      throw refusal(
        ErrorCode.InvalidRequest,
        'Not acceptable: this endpoint responds with application/json or text/event-stream; add them to `Accept`',
        { status: 406 },
      )
    }
    return whenReady(readJson(request, this.#options.limits), Post.#onBody, { post: this, request, accept })
  }

  static #onBody(
    body: unknown,
    { post, request, accept }: PostedMessage,
  ): HttpResponse | Promise<HttpResponse> {
    return post.#handleBody(body, request, accept)
  }

  #handleBody(body: unknown, request: HttpRequest, accept: Accepted): HttpResponse | Promise<HttpResponse> {
    const peer = new HttpPeer(request, this.#options)
    if (Array.isArray(body)) return this.#batch(body, peer, accept)
    const message = readMessage(body)
    if (message.kind === 'invalid') return invalidResponse(message)
    if (message.kind !== 'request') return this.#acceptOne(message, peer)
    this.#assertOpen()
    peer.reply = new Reply(this.#options, accept, peer)
    peer.answeredRequestId = message.request.id
    return peer.reply.respond(this.#dispatchOne(message.request, peer))
  }

  resolveCaller(request: HttpRequest): Promise<Identity> {
    return new HttpPeer(request, this.#options).resolveCallerWithTimeout()
  }

  #dispatchOne(request: JsonRpcRequest, peer: HttpPeer): ReplyOutcome | Promise<ReplyOutcome> {
    return attempt(Post.#dispatchSteps, { post: this, request, peer })
  }

  static readonly #dispatchSteps: Steps<Answer, ReplyOutcome, PostedRequest> = {
    run: ({ post, request, peer }) => dispatch(post.#options.core, request, peer),
    next: (answer, { post, request, peer }) => post.#toOutcome(answer, request, peer),
    onError: (error, { post, request }) => post.#toErrorOutcome(error, request),
  }

  #toOutcome(answer: Answer, request: JsonRpcRequest, peer: HttpPeer): ReplyOutcome | Promise<ReplyOutcome> {
    if (answer instanceof Subscription) return this.#openSubscription(answer, peer)
    const before = `{"jsonrpc":"2.0","id":${jsonText(request.id)},"result":`
    if (answer instanceof PreparedText) return singleMessage(200, {}, answer.within(before, '}'))
    const message = `${before}${jsonText(answer)}}`
    if (request.method !== 'initialize') return singleMessage(200, {}, message)
    const protocolVersion = answer.protocolVersion as string
    return whenReady(this.#options.core.sessions?.whenListening(), () =>
      whenReady(peer.resolveCaller(), (identity) => {
        const newSession = { protocolVersion, identity, callerKey: peer.callerKey }
        const sessionId = this.#options.sessions.create(request, newSession)
        return singleMessage(200, sessionId === undefined ? {} : { 'Mcp-Session-Id': sessionId }, message)
      }),
    )
  }

  /** Opens the stream of a subscription. Drops everything else of the request, to save memory. */
  #openSubscription(subscription: Subscription, peer: HttpPeer): ReplyOutcome {
    const streams = this.#options.streams as LongStreams
    const stream = streams.open(peer.callerKey)
    subscription.start(stream)
    whenReady(peer.resolveCaller(), (identity) =>
      streams.limit(stream, peer.permissionOf(identity), () => subscription.close()),
    )
    stream.onEnd(() => subscription.stop())
    peer.reply = undefined
    peer.request.onClose(() => stream.end())
    return { status: 200, headers: {}, messages: [], batch: false, stream }
  }

  #toErrorOutcome(thrown: unknown, { id, method }: JsonRpcRequest): ReplyOutcome {
    // A cancelled request has no JSON-RPC response, but its HTTP request needs one.
    if (brandOf(thrown) === 'abandoned') return { status: 202, headers: {}, messages: [], batch: false }
    const error = toClientError(this.#options.core, thrown, method)
    const { status = 200, headers = {}, plain = false } = error.http ?? {}
    if (plain) return singleMessage(status, { ...headers }, jsonText({ error: error.message }))
    return singleMessage(
      status,
      { ...headers },
      jsonResponse(this.#options.core, errorResponse(id, error), method),
    )
  }

  async #batch(values: readonly unknown[], peer: HttpPeer, accept: Accepted): Promise<HttpResponse> {
    const { core } = this.#options
    if (isModernHeader(peer.headers)) throw noBatches()
    const { protocolVersion } = peer.negotiated()
    const messages = readBatch(values, core.supportedRevisions, protocolVersion)
    for (const message of messages) {
      if (message.kind === 'notification' || message.kind === 'response') await this.#accept(message, peer)
    }
    const entries = messages.filter((message) => message.kind === 'request' || message.kind === 'invalid')
    if (entries.length === 0) return accepted()
    this.#assertOpen()
    await this.#count(entries.length, peer)
    peer.reply = new Reply(this.#options, accept, peer)
    return peer.reply.respond(this.#dispatchBatch(entries, peer))
  }

  /** Counts the requests of a batch, which is a single request to a rate limiter in front of the mount. Throws 429. */
  async #count(requests: number, peer: HttpPeer): Promise<void> {
    // If the login fails, each of the requests responds with its error.
    await peer.resolveCallerWithTimeout().catch(() => undefined)
    const refused = this.#options.core.rates.calls.consume(peer.callerKey, requests)
    if (refused !== undefined) throw refused
  }

  async #dispatchBatch(entries: readonly BatchEntry[], peer: HttpPeer): Promise<ReplyOutcome> {
    const answers = await Promise.all(
      entries.map(async (message) =>
        message.kind === 'request'
          ? (await this.#dispatchOne(message.request, peer)).messages
          : [jsonText(errorResponse(message.id, message.error))],
      ),
    )
    const sent = answers.flat()
    return { status: sent.length === 0 ? 202 : 200, headers: {}, messages: sent, batch: true }
  }

  /** Refuses requests while the server closes. Notifications are still handled, since they may cancel running calls. */
  #assertOpen(): void {
    if (this.#options.core.inFlight.closing) throw closingError()
  }

  async #acceptOne(message: Message, peer: HttpPeer): Promise<HttpResponse> {
    if ((await this.#accept(message, peer)) === false) throw unexpectedResponse()
    return accepted()
  }

  /**
   * Handles a notification or a posted response. In a session, the session must be valid. Resolves to false for a response
   * that no request waits for.
   */
  async #accept(message: Message, peer: HttpPeer): Promise<boolean | undefined> {
    const { core } = this.#options
    if (message.kind === 'notification' && isModernRequest(message.notification, peer.headers)) {
      checkNotification(message.notification, peer.headers)
      return undefined
    }
    if (!core.supportsEra.legacy || isModernHeader(peer.headers)) {
      throw refusal(ErrorCode.InvalidRequest, `Invalid request: 2026-07-28 knows no such ${message.kind}`, {
        status: 400,
      })
    }
    const { sessionId, assertOwner } = peer.negotiated()
    if (assertOwner !== undefined) assertOwner(await peer.resolveCallerWithTimeout())
    const scope = scopeOf(sessionId, undefined)
    if (message.kind === 'notification') acceptNotification(core, message.notification, peer)
    if (message.kind === 'response' && scope !== undefined)
      return core.postedAnswers.deliver(scope, message.answer)
  }
}

type BatchEntry = Extract<Message, { kind: 'request' | 'invalid' }>

interface PostedMessage {
  readonly post: Post
  readonly request: HttpRequest
  readonly accept: Accepted
}

interface PostedRequest {
  readonly post: Post
  readonly request: JsonRpcRequest
  readonly peer: HttpPeer
}

function singleMessage(
  status: number,
  headers: Record<string, string>,
  message: string | PreparedText,
): ReplyOutcome {
  return { status, headers, messages: [message], batch: false }
}

function invalidResponse({ id, error }: Extract<Message, { kind: 'invalid' }>): HttpResponse {
  return {
    status: error.http?.status ?? 400,
    headers: { 'Content-Type': 'application/json' },
    body: jsonText(errorResponse(id, error)),
  }
}

function unexpectedResponse(): McpError {
  return refusal(
    ErrorCode.InvalidRequest,
    'Invalid request: no request with this id waits for a response; it was answered, cancelled or never sent',
    { status: 400 },
  )
}

function accepted(): HttpResponse {
  return { status: 202, headers: {}, body: undefined }
}
