/** The transport of 2024-11-05, for clients that know no other: a stream to read, and an address to post to. */

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

/** How its two addresses end. */
export interface LegacySsePaths {
  readonly sse: string
  readonly message: string
  /** Chosen by the app: below the mount point, not below the endpoint. */
  readonly own: boolean
  /** Clients get whole URLs. */
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

  /** The stream: first where to post to, then every message of the server. */
  async open(request: HttpRequest): Promise<HttpResponse> {
    const { core, connections, paths } = this.#options
    if (core.inFlight.closing) throw closingError()
    const peer = new HttpPeer(request, this.#options)
    const { identity, owner } = await this.#identify(peer)
    if (owner.kind === 'unknown') {
      throw refusal(ErrorCode.Forbidden, `Forbidden: ${missingIdMessage('this')}`, { status: 403 })
    }
    const sight = new VisibilityFilter(core, { identity, request })
    await core.notifications.ready()
    connections.reserve(peer.callerKey)
    const stream = connections.open(peer.callerKey)
    connections.limit(stream, peer.permissionOf(identity))
    const connection = new SseConnection(stream, owner, sight)
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

  /** A message: 202, and the answer on the stream. */
  async take(request: HttpRequest): Promise<HttpResponse> {
    const { core, limits, connections } = this.#options
    const connection = this.#connections.get(idOf(request) ?? '')
    if (connection === undefined) {
      const message = 'Session not found: its stream is closed, or was never opened here; open it again'
      throw refusal(ErrorCode.SessionNotFound, message, { status: 404 })
    }
    const peer = new HttpPeer(request, this.#options)
    const { identity, owner } = await this.#identify(peer)
    this.#assertOwner(connection, owner)
    // Its client cannot open it again without losing what was agreed on: a fresh token keeps it.
    connections.extend(connection.stream, peer.permissionOf(identity))
    const message = await readJson(request, limits)
    const refused = this.#refusalOf(message, connection) ?? this.#uncounted(message, peer)
    // What runs waits for answers, and is ended by cancellations: these are taken from beside refused requests too.
    const { others } = partsOf(message)
    if (refused === undefined || others.length > 0) {
      const taken = refused === undefined ? message : others
      void connection.take(core, taken, new SsePeer(peer, connection, this.#options))
    }
    if (refused !== undefined) throw refused
    return { status: 202, headers: {}, body: undefined }
  }

  /** Why the requests of a posted value cannot be served now. */
  #refusalOf(message: unknown, { isBusy }: SseConnection): McpError | undefined {
    if (partsOf(message).requests.length === 0) return undefined
    if (this.#options.core.inFlight.closing) return closingError()
    if (!isBusy) return undefined
    return refusal(ErrorCode.InternalError, 'Too many requests of this session at once; try again later', {
      status: 503,
      headers: { 'Retry-After': '1' },
    })
  }

  /** A batch that makes more calls than its caller may. */
  #uncounted(message: unknown, { callerKey }: HttpPeer): McpError | undefined {
    const count = Array.isArray(message) ? partsOf(message).requests.length : 0
    return count === 0 ? undefined : this.#options.core.rates.calls.consume(callerKey, count)
  }

  async #identify(peer: HttpPeer): Promise<{ readonly identity: Identity; readonly owner: Owner }> {
    const { core, userId } = this.#options
    const identity = await peer.identifyInTime()
    if (core.requireUser) assertUser(identity, peer)
    return { identity, owner: ownerOf(identity, userId) }
  }

  #assertOwner({ owner }: SseConnection, caller: Owner): void {
    const keyOf = (one: Owner): string => (one.kind === 'known' ? one.key : one.kind)
    if (caller.kind !== 'unknown' && keyOf(owner) === keyOf(caller)) return
    throw refusal(ErrorCode.Forbidden, 'Forbidden: this session belongs to another caller', { status: 403 })
  }
}

/** Beside the address that the stream was asked for, with whatever prefixes that has. */
function messageUrl({ url, host, protocol }: HttpRequest, paths: LegacySsePaths): string {
  const { sse, message, own, absolute, publicUrl } = paths
  const asked = pathOf(url)
  const path = asked.slice(0, asked.length - sse.length) + message
  if (!absolute) return path
  if (publicUrl !== undefined)
    return own ? new URL(path, publicUrl).href : withoutSlashes(publicUrl) + message
  return ((host !== undefined && originOf(protocol, host)) || '') + path
}

function idOf({ url }: HttpRequest): string | undefined {
  const query = url.split('?')[1]
  return query === undefined ? undefined : (new URLSearchParams(query).get('sessionId') ?? undefined)
}
