/**
 * Adapts a Fastify request to `HttpRequest`: host, protocol and address as Fastify has them, the response through its
 * reply.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HttpRequest, HttpResponse, McpError, RequestBody } from '../../src/adapter.js'
import { ClosingRequest } from '../node/closing.js'
import { nestedCallError } from '../node/inject/nesting.js'
import { headerOf } from '../node/request.js'
import { sendResponse } from './response.js'

/** Key under which guards find the reply of a request. Shared by all copies of the package. */
const replyKey = Symbol.for('mcp-router.reply')

type LinkedRequest = FastifyRequest & { [replyKey]?: FastifyReply }

/** Returns the reply of a request that a mount has served. `undefined` for everything else. */
export function replyOf(raw: unknown): FastifyReply | undefined {
  return (raw as LinkedRequest | undefined)?.[replyKey]
}

/** Members that differ between versions: Fastify 4 has no `host`, and its `hostname` includes the port. */
interface AnyVersion {
  readonly host?: string
  readonly hostname?: string
}

export class FastifyHttpRequest extends ClosingRequest implements HttpRequest {
  readonly raw: FastifyRequest
  readonly endpoint: Endpoint
  readonly #reply: FastifyReply
  readonly #body: () => RequestBody

  constructor(reply: FastifyReply, endpoint: Endpoint, body: (request: FastifyRequest) => RequestBody) {
    const { request } = reply
    super(request.raw, reply.raw)
    ;(request as LinkedRequest)[replyKey] = reply
    this.raw = request
    this.endpoint = endpoint
    this.#reply = reply
    this.#body = () => body(request)
  }

  get method(): string {
    return this.raw.method
  }
  get url(): string {
    return this.raw.originalUrl
  }
  get headers(): FastifyRequest['headers'] {
    return this.raw.headers
  }
  get ip(): string | undefined {
    return this.raw.ip
  }
  get host(): string | undefined {
    const raw: AnyVersion = this.raw
    // Both are getters that compute their value, so read only one.
    return (raw.host ?? raw.hostname) || undefined
  }
  /** Whether the app trusts a proxy. Only then do requests have `ips`. */
  get trustsProxy(): boolean {
    return 'ips' in this.raw
  }
  /** A nested call: a route that runs as a tool must not call tools of its own app. */
  get refused(): McpError | undefined {
    return nestedCallError(this.raw.headers)
  }
  get protocol(): string {
    return this.raw.protocol
  }
  get peerAddress(): string | undefined {
    return this.raw.raw.socket.remoteAddress
  }

  header(name: string): string | undefined {
    return headerOf(this.raw.raw, name)
  }

  readBody(): RequestBody {
    return this.#body()
  }

  /** Sends the response. Never throws: the app handles errors. */
  respond(response: HttpResponse): void {
    try {
      this.written = sendResponse(this.#reply, response)
    } catch (error) {
      this.#reply.send(error)
    }
  }
}
