/** One mounted WebSocket endpoint, whoever makes the upgrade. */

import type { WebSocket } from 'ws'
import { type Entrant, type HttpResponse, type McpRouter, Upgrades } from '../../src/adapter.js'
import { type ConnectionOptions, serveSocket } from './connection.js'
import { type AnyWebSocketOptions, limitsOf, table } from './options.js'
import { Pings } from './pings.js'
import type { UpgradeRequest } from './request.js'

export class SocketMount {
  readonly limits: ConnectionOptions
  readonly #router: McpRouter<object>
  readonly #upgrades: Upgrades
  readonly #pings: Pings
  readonly #most: number
  /** Of those that were let in: each has its place before it is a WebSocket, since many may become one at once. */
  readonly #places = new Set<object>()

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
  async admit(request: UpgradeRequest): Promise<Entrant | HttpResponse> {
    const found = await this.#upgrades.admit(request)
    if ('status' in found) return found
    if (this.#places.size < this.#most) {
      this.#take(request)
      return found
    }
    const message = 'Too many connections; try again later'
    return this.#upgrades.refuse(503, message, { 'Retry-After': '5' })
  }

  #take({ socket }: UpgradeRequest): void {
    if (socket.closed) return
    this.#places.add(socket)
    socket.once('close', () => this.#places.delete(socket))
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
