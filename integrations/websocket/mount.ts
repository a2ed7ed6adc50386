/** One mounted WebSocket endpoint, whoever makes the upgrade. */

import type { WebSocket } from 'ws'
import {
  type Entrant,
  type HttpRequest,
  type HttpResponse,
  type McpRouter,
  Upgrades,
} from '../../src/adapter.js'
import { type ConnectionOptions, serveSocket } from './connection.js'
import { type AnyWebSocketOptions, limitsOf, table } from './options.js'
import { Pings } from './pings.js'

export class SocketMount {
  readonly limits: ConnectionOptions
  readonly #router: McpRouter<object>
  readonly #upgrades: Upgrades
  readonly #pings: Pings
  readonly #most: number

  /** @throws TypeError for options that do not exist or do not fit. */
  constructor(
    owner: string,
    router: McpRouter<object>,
    options: AnyWebSocketOptions,
    defaultUser: (raw: unknown) => unknown,
  ) {
    this.#router = router
    this.#upgrades = new Upgrades(router, options, { owner, table, defaultUser })
    this.limits = limitsOf(options)
    this.#pings = new Pings(options.pingMs ?? 30_000)
    this.#most = options.maxConnections ?? 20_000
  }

  has(path: string): boolean {
    return this.#upgrades.has(path)
  }

  /** Never rejects. */
  async admit(request: HttpRequest): Promise<Entrant | HttpResponse> {
    const found = await this.#upgrades.admit(request)
    if ('status' in found || this.#pings.size < this.#most) return found
    const message = 'Too many connections; try again later'
    return this.#upgrades.refuse(503, message, { 'Retry-After': '5' })
  }

  /** The answer to a request for no WebSocket. */
  refuse(): HttpResponse {
    const message = 'This address is a WebSocket: expected `Upgrade: websocket`'
    return this.#upgrades.refuse(426, message, { Upgrade: 'websocket', Connection: 'Upgrade' })
  }

  serve(socket: WebSocket, entrant: Entrant): void {
    this.#pings.add(socket)
    serveSocket(this.#router, socket, entrant, this.limits)
  }
}
