/** A mounted WebSocket endpoint, independent of how upgrades reach it. */

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
  readonly #maxConnections: number
  readonly #maxPerCaller: number
  readonly #perCaller: PerCaller
  /** Sockets of admitted requests. Counts them before they become WebSockets, because many may be admitted at once. */
  readonly #admittedSockets = new Set<object>()

  /** @throws TypeError for unknown or invalid options. */
  constructor(
    router: McpRouter<object>,
    options: AnyWebSocketOptions,
    parts: Omit<UpgradeParts, 'table' | 'rechecksUser'>,
  ) {
    this.#router = router
    this.#upgrades = new Upgrades(router, options, { ...parts, table, rechecksUser: options.recheckUser })
    this.limits = limitsOf(options)
    this.#pings = new Pings(options.pingMs ?? 30_000)
    this.#maxConnections = options.maxConnections ?? 20_000
    this.#maxPerCaller = options.maxConnectionsPerCaller ?? 100
    this.#perCaller = new PerCaller(this.#maxPerCaller)
  }

  has(path: string): boolean {
    return this.#upgrades.has(path)
  }

  /** Checks an upgrade request. Resolves to the caller, or to the response that refuses the request. Never rejects. */
  async admit(request: UpgradeRequest): Promise<Entrant | HttpResponse> {
    const found = await this.#upgrades.admit(request)
    if ('status' in found) return found
    if (this.#admittedSockets.size >= this.#maxConnections) return this.#tooMany(503, 'Too many connections')
    if (!this.#perCaller.acquire(found.callerKey)) {
      const expected = `at most ${this.#maxPerCaller} per caller (\`maxConnectionsPerCaller\`)`
      return this.#tooMany(429, `Too many connections: ${expected}`)
    }
    this.#count(request, found)
    return found
  }

  #tooMany(status: number, why: string): HttpResponse {
    return this.#upgrades.refuse(status, `${why}; try again later`, { 'Retry-After': '5' })
  }

  #count({ socket }: UpgradeRequest, { callerKey }: Entrant): void {
    if (socket.closed) {
      this.#perCaller.release(callerKey)
      return
    }
    this.#admittedSockets.add(socket)
    socket.once('close', () => {
      this.#admittedSockets.delete(socket)
      this.#perCaller.release(callerKey)
    })
  }

  /** Returns the response to a request that isn't an upgrade. */
  refuse(): HttpResponse {
    const message = 'This is a WebSocket endpoint: expected `Upgrade: websocket`'
    return this.#upgrades.refuse(426, message, { Upgrade: 'websocket', Connection: 'Upgrade' })
  }

  serve(socket: WebSocket, entrant: Entrant): void {
    this.#pings.add(socket)
    serveSocket(this.#router, socket, entrant, this.limits)
  }
}

/** Pings all connections of a mount with a single timer, and terminates those that don't answer. */
export class Pings {
  readonly #intervalMs: number
  /** Sockets that haven't answered the last ping. */
  readonly #unanswered = new Set<WebSocket>()
  readonly #sockets = new Set<WebSocket>()
  #timer: ReturnType<typeof setInterval> | undefined

  /** `everyMs`: the interval. Milliseconds; 0: no pings. */
  constructor(everyMs: number) {
    this.#intervalMs = everyMs
  }

  add(socket: WebSocket): void {
    this.#sockets.add(socket)
    socket.on('pong', () => this.#unanswered.delete(socket))
    socket.on('close', () => this.#delete(socket))
    if (this.#intervalMs === 0) return
    this.#timer ??= setInterval(() => this.#ping(), this.#intervalMs)
    this.#timer.unref()
  }

  #delete(socket: WebSocket): void {
    this.#sockets.delete(socket)
    this.#unanswered.delete(socket)
    if (this.#sockets.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #ping(): void {
    for (const socket of this.#unanswered) socket.terminate()
    for (const socket of this.#sockets) {
      this.#unanswered.add(socket)
      // Sockets that are closing can't send pings.
      if (socket.readyState === socket.OPEN) socket.ping()
    }
  }
}
