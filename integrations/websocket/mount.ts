/** One mounted WebSocket endpoint, whoever makes the upgrade. */

import type { WebSocket } from 'ws'
import {
  type Entrant,
  type HttpResponse,
  type McpRouter,
  type UpgradeParts,
  Upgrades,
} from '../../src/adapter.js'
import { PerCaller } from '../../src/internal.js'
import { type ConnectionOptions, serveSocket } from './connection.js'
import { type AnyWebSocketOptions, limitsOf, table } from './options.js'
import type { UpgradeRequest } from './request.js'

export class SocketMount {
  readonly limits: ConnectionOptions
  readonly #router: McpRouter<object>
  readonly #upgrades: Upgrades
  readonly #pings: Pings
  readonly #most: number
  readonly #mostPerCaller: number
  readonly #perCaller: PerCaller
  /** Of those that were let in: each has its place before it is a WebSocket, since many may become one at once. */
  readonly #places = new Set<object>()

  /** @throws TypeError for options that do not exist or do not fit. */
  constructor(
    router: McpRouter<object>,
    options: AnyWebSocketOptions,
    parts: Omit<UpgradeParts, 'table' | 'rechecksUser'>,
  ) {
    this.#router = router
    this.#upgrades = new Upgrades(router, options, { ...parts, table, rechecksUser: options.recheckUser })
    this.limits = limitsOf(options)
    this.#pings = new Pings(options.pingMs ?? 30_000)
    this.#most = options.maxConnections ?? 20_000
    this.#mostPerCaller = options.maxConnectionsPerCaller ?? 100
    this.#perCaller = new PerCaller(this.#mostPerCaller)
  }

  has(path: string): boolean {
    return this.#upgrades.has(path)
  }

  /** Never rejects. */
  async admit(request: UpgradeRequest): Promise<Entrant | HttpResponse> {
    const found = await this.#upgrades.admit(request)
    if ('status' in found) return found
    if (this.#places.size >= this.#most) return this.#full(503, 'Too many connections')
    if (!this.#perCaller.acquire(found.callerKey)) {
      const expected = `at most ${this.#mostPerCaller} of one caller (\`maxConnectionsPerCaller\`)`
      return this.#full(429, `Too many connections: ${expected}`)
    }
    this.#hold(request, found)
    return found
  }

  #full(status: number, why: string): HttpResponse {
    return this.#upgrades.refuse(status, `${why}; try again later`, { 'Retry-After': '5' })
  }

  #hold({ socket }: UpgradeRequest, { callerKey }: Entrant): void {
    if (socket.closed) {
      this.#perCaller.release(callerKey)
      return
    }
    this.#places.add(socket)
    socket.once('close', () => {
      this.#places.delete(socket)
      this.#perCaller.release(callerKey)
    })
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

/** One clock for all connections of a mount. */
export class Pings {
  readonly #everyMs: number
  /** Those that have not answered since the last ping. */
  readonly #silent = new Set<WebSocket>()
  readonly #sockets = new Set<WebSocket>()
  #timer: ReturnType<typeof setInterval> | undefined

  /** 0: none are sent. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(socket: WebSocket): void {
    this.#sockets.add(socket)
    socket.on('pong', () => this.#silent.delete(socket))
    socket.on('close', () => this.#delete(socket))
    if (this.#everyMs === 0) return
    this.#timer ??= setInterval(() => this.#ping(), this.#everyMs)
    this.#timer.unref()
  }

  #delete(socket: WebSocket): void {
    this.#sockets.delete(socket)
    this.#silent.delete(socket)
    if (this.#sockets.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #ping(): void {
    for (const socket of this.#silent) socket.terminate()
    for (const socket of this.#sockets) {
      this.#silent.add(socket)
      // One that is closing already is left to end.
      if (socket.readyState === socket.OPEN) socket.ping()
    }
  }
}
