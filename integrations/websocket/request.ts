/** Adapts the upgrade request of a connection to `HttpRequest`. */

import type { IncomingMessage } from 'node:http'
import type { HttpRequest, RequestBody } from '../../src/adapter.js'
import { hostOf } from '../node/host.js'
import { headerOf, type NodeHost } from '../node/request.js'

export class UpgradeRequest implements HttpRequest {
  /** The argument of the options `user` and `context`. */
  readonly raw: unknown
  readonly endpoint = 'main'
  readonly #request: IncomingMessage
  readonly #host: NodeHost

  constructor(request: IncomingMessage, raw: unknown = request, host: NodeHost = hostOf(request)) {
    this.raw = raw
    this.#request = request
    this.#host = host
  }

  /** The connection's socket, before and after the upgrade. */
  get socket(): IncomingMessage['socket'] {
    return this.#request.socket
  }
  get method(): string {
    return this.#request.method ?? 'GET'
  }
  get url(): string {
    return this.#host.url
  }
  get headers(): IncomingMessage['headers'] {
    return this.#request.headers
  }
  get ip(): string | undefined {
    return this.#host.ip()
  }
  get host(): string | undefined {
    return this.#host.host
  }
  get protocol(): string | undefined {
    return this.#host.protocol
  }
  get trustsProxy(): boolean {
    return this.#host.trustsProxy
  }
  get peerAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  header(name: string): string | undefined {
    return headerOf(this.#request, name)
  }

  readBody(): RequestBody {
    return { kind: 'gone' }
  }

  onClose(listener: (answered: boolean) => void): void {
    this.#request.socket.once('close', () => listener(false))
  }
}
