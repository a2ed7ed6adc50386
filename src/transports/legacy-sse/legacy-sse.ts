/** The HTTP+SSE transport of 2024-11-05: clients read from one stream and post messages to another address. */

import { runtime } from '#runtime'
import { closingError, ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import { VisibilityFilter } from '../../notifications/visibility-filter.js'
import { partsOf } from '../../protocol/batch.js'
import type { Identity } from '../../protocol/identity.js'
import { assertUser } from '../../request/authorize.js'
import { missingIdMessage, type Owner, ownerOf } from '../../sessions/owner.js'
import { toBase64Url } from '../../support/base64.js'
import { originOf, pathOf } from '../auth/protected-resource.js'
import { type BodyLimits, readJson } from '../http/body.js'
import type { GetOptions } from '../http/get.js'
import { HttpPeer } from '../http/http-peer.js'
import type { LongStreams } from '../http/long-streams.js'
import { withoutSlashes } from '../http/paths.js'
import type { HttpRequest, HttpResponse } from '../http/shapes.js'
import { sseHeaders } from '../http/sse.js'
import { SseConnection, SsePeer } from './sse-connection.js'

/** The suffixes of the transport's two addresses. */
export interface LegacySsePaths {
  readonly sse: string
  readonly message: string
  /** Whether the app chose the paths: they're below the mount point, not below the endpoint. */
  readonly isCustom: boolean
  /** Whether the `endpoint` event contains a complete URL. */
  readonly absolute: boolean
  readonly publicUrl: string | undefined
}

export interface LegacySseOptions extends GetOptions {
  readonly limits: BodyLimits
  readonly connections: LongStreams
  readonly paths: LegacySsePaths
}

export class LegacySse {
  readonly #options: LegacySseOptions
  readonly #connections = new Map<string, SseConnection>()

  constructor(options: LegacySseOptions) {
    this.#options = options
  }

  /** Opens a stream. Its first event is the address for posts; all messages of the server follow. */
  async open(request: HttpRequest): Promise<HttpResponse> {
    const { core, connections, paths } = this.#options
    if (core.inFlight.closing) throw closingError()
    const peer = new HttpPeer(request, this.#options)
    const { identity, owner } = await this.#resolveCaller(peer)
    if (owner.kind === 'unknown') {
      throw refusal(ErrorCode.Forbidden, `Forbidden: ${missingIdMessage('this')}`, { status: 403 })
    }
    const filter = new VisibilityFilter(core, { identity, request })
    await core.notifications.ready()
    connections.reserve(peer.callerKey)
    const stream = connections.open(peer.callerKey)
    connections.limit(stream, peer.permissionOf(identity))
    const connection = new SseConnection(stream, owner, filter)
    const id = toBase64Url(runtime.random(18))
    core.notifications.add(connection)
    this.#connections.set(id, connection)
    stream.onEnd(() => {
      this.#connections.delete(id)
      core.notifications.delete(connection)
    })
    request.onClose(() => stream.end())
    stream.announce('endpoint', `${messageUrl(request, paths)}?sessionId=${id}`)
    return { status: 200, headers: { ...sseHeaders }, body: stream }
  }

  /** Handles a posted message: responds with 202 and sends the result on the stream. */
  async post(request: HttpRequest): Promise<HttpResponse> {
    const { core, limits, connections } = this.#options
    const connection = this.#connections.get(sessionIdOf(request) ?? '')
    if (connection === undefined) {
      const message =
        'Session not found: its stream is closed, or was never opened on this server; open a new stream'
      throw refusal(ErrorCode.SessionNotFound, message, { status: 404 })
    }
    const peer = new HttpPeer(request, this.#options)
    const { identity, owner } = await this.#resolveCaller(peer)
    this.#assertOwner(connection, owner)
    // A fresh token extends the stream, because a new stream would need a new handshake.
    connections.extend(connection.stream, peer.permissionOf(identity))
    const message = await readJson(request, limits)
    const refused = this.#refusalOf(message, connection) ?? this.#rateLimitError(message, peer)
    // Responses and cancellations in a refused batch are still handled, because running calls depend on them.
    const { others } = partsOf(message)
    if (refused === undefined || others.length > 0) {
      const accepted = refused === undefined ? message : others
      void connection.handle(core, accepted, new SsePeer(peer, connection, this.#options))
    }
    if (refused !== undefined) throw refused
    return { status: 202, headers: {}, body: undefined }
  }

  /** The error if the server can't take the posted requests now. */
  #refusalOf(message: unknown, { isBusy }: SseConnection): McpError | undefined {
    if (partsOf(message).requests.length === 0) return undefined
    if (this.#options.core.inFlight.closing) return closingError()
    if (!isBusy) return undefined
    return refusal(ErrorCode.InternalError, 'Too many requests in this session at once; try again later', {
      status: 503,
      headers: { 'Retry-After': '1' },
    })
  }

  /** The error if a batch exceeds its caller's rate limit. Single messages are limited in front of the mount. */
  #rateLimitError(message: unknown, { callerKey }: HttpPeer): McpError | undefined {
    const count = Array.isArray(message) ? partsOf(message).requests.length : 0
    return count === 0 ? undefined : this.#options.core.rates.calls.consume(callerKey, count)
  }

  async #resolveCaller(peer: HttpPeer): Promise<{ readonly identity: Identity; readonly owner: Owner }> {
    const { core, userId } = this.#options
    const identity = await peer.resolveCallerWithTimeout()
    if (core.requireUser) assertUser(identity, peer)
    return { identity, owner: ownerOf(identity, userId) }
  }

  #assertOwner({ owner }: SseConnection, caller: Owner): void {
    const keyOf = (one: Owner): string => (one.kind === 'known' ? one.key : one.kind)
    if (caller.kind !== 'unknown' && keyOf(owner) === keyOf(caller)) return
    throw refusal(ErrorCode.Forbidden, 'Forbidden: this session belongs to another caller', { status: 403 })
  }
}

/** The address for posts, next to the requested address of the stream, with all its prefixes. */
function messageUrl({ url, host, protocol }: HttpRequest, paths: LegacySsePaths): string {
  const { sse, message, isCustom, absolute, publicUrl } = paths
  const requestPath = pathOf(url)
  const path = requestPath.slice(0, requestPath.length - sse.length) + message
  if (!absolute) return path
  if (publicUrl !== undefined)
    return isCustom ? new URL(path, publicUrl).href : withoutSlashes(publicUrl) + message
  return ((host !== undefined && originOf(protocol, host)) || '') + path
}

function sessionIdOf({ url }: HttpRequest): string | undefined {
  const query = url.split('?')[1]
  return query === undefined ? undefined : (new URLSearchParams(query).get('sessionId') ?? undefined)
}
