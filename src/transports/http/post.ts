/** POST: one message, or a batch of 2025-03-26, and its answer as JSON or as an event stream. */

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

  /** Throws `McpError` for what never became a request. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const accept = readAccept(request.header('accept'))
    if (!accept.json && !accept.sse) {
      throw refusal(
        ErrorCode.InvalidRequest,
        'Not acceptable: this endpoint answers application/json or text/event-stream',
        { status: 406 },
      )
    }
    return whenReady(readJson(request, this.#options.limits), Post.#read, { post: this, request, accept })
  }

  static #read(
    body: unknown,
    { post, request, accept }: PostedMessage,
  ): HttpResponse | Promise<HttpResponse> {
    return post.#take(body, request, accept)
  }

  #take(body: unknown, request: HttpRequest, accept: Accepted): HttpResponse | Promise<HttpResponse> {
    const peer = new HttpPeer(request, this.#options)
    if (Array.isArray(body)) return this.#batch(body, peer, accept)
    const message = readMessage(body)
    if (message.kind === 'invalid') return invalidResponse(message)
    if (message.kind !== 'request') return this.#acceptOne(message, peer)
    this.#assertOpen()
    peer.reply = new Reply(this.#options, accept, peer)
    peer.asked = message.request.id
    return peer.reply.answer(this.#one(message.request, peer))
  }

  identify(request: HttpRequest): Promise<Identity> {
    return new HttpPeer(request, this.#options).resolveCallerWithTimeout()
  }

  #one(request: JsonRpcRequest, peer: HttpPeer): ReplyOutcome | Promise<ReplyOutcome> {
    return attempt(Post.#answering, { post: this, request, peer })
  }

  static readonly #answering: Steps<Answer, ReplyOutcome, PostedRequest> = {
    run: ({ post, request, peer }) => dispatch(post.#options.core, request, peer),
    next: (answer, { post, request, peer }) => post.#answered(answer, request, peer),
    onError: (error, { post, request }) => post.#failed(error, request),
  }

  #answered(answer: Answer, request: JsonRpcRequest, peer: HttpPeer): ReplyOutcome | Promise<ReplyOutcome> {
    if (answer instanceof Subscription) return this.#stayOpen(answer, peer)
    const before = `{"jsonrpc":"2.0","id":${jsonText(request.id)},"result":`
    if (answer instanceof PreparedText) return one(200, {}, answer.within(before, '}'))
    const message = `${before}${jsonText(answer)}}`
    if (request.method !== 'initialize') return one(200, {}, message)
    const opened = answer.protocolVersion as string
    return whenReady(this.#options.core.sessions?.whenListening(), () =>
      whenReady(peer.resolveCaller(), (identity) => {
        const opening = { protocolVersion: opened, identity, callerKey: peer.callerKey }
        const sessionId = this.#options.sessions.create(request, opening)
        return one(200, sessionId === undefined ? {} : { 'Mcp-Session-Id': sessionId }, message)
      }),
    )
  }

  /** Nothing is kept of the request but what the subscription needs: there may be many. */
  #stayOpen(subscription: Subscription, peer: HttpPeer): ReplyOutcome {
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

  #failed(thrown: unknown, { id, method }: JsonRpcRequest): ReplyOutcome {
    // A cancelled request has no answer; its HTTP request still needs an end.
    if (brandOf(thrown) === 'abandoned') return { status: 202, headers: {}, messages: [], batch: false }
    const error = toClientError(this.#options.core, thrown, method)
    const { status = 200, headers = {}, plain = false } = error.http ?? {}
    if (plain) return one(status, { ...headers }, jsonText({ error: error.message }))
    return one(status, { ...headers }, jsonResponse(this.#options.core, errorResponse(id, error), method))
  }

  async #batch(values: readonly unknown[], peer: HttpPeer, accept: Accepted): Promise<HttpResponse> {
    const { core } = this.#options
    if (isModernHeader(peer.headers)) throw noBatches()
    const { protocolVersion } = peer.negotiated()
    const messages = readBatch(values, core.supportedRevisions, protocolVersion)
    for (const message of messages) {
      if (message.kind === 'notification' || message.kind === 'response') await this.#accept(message, peer)
    }
    const asking = messages.filter((message) => message.kind === 'request' || message.kind === 'invalid')
    if (asking.length === 0) return accepted()
    this.#assertOpen()
    await this.#count(asking.length, peer)
    peer.reply = new Reply(this.#options, accept, peer)
    return peer.reply.answer(this.#several(asking, peer))
  }

  /** To a rate limiter in front of the mount, a batch is one request. Throws 429. */
  async #count(requests: number, peer: HttpPeer): Promise<void> {
    // A login that fails is answered by each of the requests.
    await peer.resolveCallerWithTimeout().catch(() => undefined)
    const refused = this.#options.core.rates.calls.consume(peer.callerKey, requests)
    if (refused !== undefined) throw refused
  }

  async #several(asking: readonly Asking[], peer: HttpPeer): Promise<ReplyOutcome> {
    const answers = await Promise.all(
      asking.map(async (message) =>
        message.kind === 'request'
          ? (await this.#one(message.request, peer)).messages
          : [jsonText(errorResponse(message.id, message.error))],
      ),
    )
    const sent = answers.flat()
    return { status: sent.length === 0 ? 202 : 200, headers: {}, messages: sent, batch: true }
  }

  /** Requests are refused while the server closes; notifications may still cancel what runs. */
  #assertOpen(): void {
    if (this.#options.core.inFlight.closing) throw closingError()
  }

  async #acceptOne(message: Message, peer: HttpPeer): Promise<HttpResponse> {
    if ((await this.#accept(message, peer)) === false) throw unasked()
    return accepted()
  }

  /** Notifications and posted responses: 202. Those of a session must name one that lives. */
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

type Asking = Extract<Message, { kind: 'request' | 'invalid' }>

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

function one(status: number, headers: Record<string, string>, message: string | PreparedText): ReplyOutcome {
  return { status, headers, messages: [message], batch: false }
}

function invalidResponse({ id, error }: Extract<Message, { kind: 'invalid' }>): HttpResponse {
  return {
    status: error.http?.status ?? 400,
    headers: { 'Content-Type': 'application/json' },
    body: jsonText(errorResponse(id, error)),
  }
}

function unasked(): McpError {
  return refusal(
    ErrorCode.InvalidRequest,
    'Invalid request: no request with this id waits for an answer; it was answered, cancelled or never sent',
    { status: 400 },
  )
}

function accepted(): HttpResponse {
  return { status: 202, headers: {}, body: undefined }
}
