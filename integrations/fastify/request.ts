/** A Fastify request as `HttpRequest`: read by Fastify's own rules, answered through its reply. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HttpRequest, HttpResponse, McpError, RequestBody } from '../../src/adapter.js'
import { ClosingRequest } from '../node/closing.js'
import { nestedCallError } from '../node/inject/nesting.js'
import { headerOf } from '../node/request.js'
import { sendResponse } from './response.js'

/** Where guards find the reply of a request; shared by copies of the package. */
const replyKey = Symbol.for('mcp-router.reply')

type Linked = FastifyRequest & { [replyKey]?: FastifyReply }

/** The reply of a request that a mount has served; `undefined` for everything else. */
export function replyOf(raw: unknown): FastifyReply | undefined {
  return (raw as Linked | undefined)?.[replyKey]
}

/** What differs between the majors: 4 has no `host`, and its `hostname` includes the port. */
interface AnyMajor {
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
    ;(request as Linked)[replyKey] = reply
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
    const raw: AnyMajor = this.raw
    // Fastify computes each when it is asked for.
    return (raw.host ?? raw.hostname) || undefined
  }
  /** Requests have `ips` only where the app trusts a proxy. */
  get trustsProxy(): boolean {
    return 'ips' in this.raw
  }
  /** A route that runs as a tool may not call tools of its own app. */
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

  /** Sends the answer. Never throws: what goes wrong is the app's to handle. */
  respond(response: HttpResponse): void {
    try {
      this.written = sendResponse(this.#reply, response)
    } catch (error) {
      this.#reply.send(error)
    }
  }
}
