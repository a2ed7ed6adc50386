/** One client of the `redis` package, for a single server, a Sentinel group or a cluster. Connects on first use. */

import { createClient, createCluster, createSentinel, type SetOptions } from 'redis'
import { type Entry, scripts } from './scripts.js'

/** The methods of the three kinds of client that this store uses. */
export interface Redis {
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: string, listener: (...values: never[]) => void): unknown
  get(key: string): Promise<string | null>
  set(key: string, value: string, options: SetOptions): Promise<string | null>
  del(key: string): Promise<number>
  sSubscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  sUnsubscribe(channel: string): Promise<unknown>
  appendTo(key: string, ...bound: string[]): Promise<string>
  publishTo(key: string, ...bound: string[]): Promise<string>
  lastOf(key: string): Promise<readonly Entry[]>
  readFrom(key: string, after: string): Promise<readonly Entry[] | undefined>
}

/** The Redis servers, with the options of the `redis` package: `url` and/or `client`, or `sentinel`, or `cluster`. */
export interface RedisServers {
  /** The URL of one server: `redis[s]://[[username][:password]@][host][:port][/db-number]`. */
  readonly url?: string | undefined
  /** Options of `createClient()` that a URL can't express. */
  readonly client?: Parameters<typeof createClient>[0] | undefined
  /** Options of `createSentinel()`. */
  readonly sentinel?: Parameters<typeof createSentinel>[0] | undefined
  /** Options of `createCluster()`. */
  readonly cluster?: Parameters<typeof createCluster>[0] | undefined
}

/** How often an idle connection is pinged. Milliseconds. */
const pingInterval = 1_000
/** How long a connection may be silent before it counts as dead. Milliseconds. */
const socketTimeout = 3_000
/** How long an operation waits while the server doesn't respond. Milliseconds. */
const unresponsiveTimeoutMs = 250
/** RESP 3 pushes messages on the connection that commands use. Version 5 of the package defaults to RESP 2. */
const protocol = { RESP: 3 } as const
const socket = {
  socketTimeout,
  reconnectStrategy: (tries: number): number => Math.min(50 * 2 ** tries, 1_000),
}

export class Connection {
  readonly #redis: Redis
  readonly #timeoutMs: number
  #connecting: Promise<unknown> | undefined
  #closed = false
  /** Whether the last operation timed out. */
  #unresponsive = false

  constructor(servers: RedisServers, timeoutMs: number, onError: (error: unknown) => void) {
    this.#redis = clientFor(servers, timeoutMs)
    this.#timeoutMs = timeoutMs
    this.#redis.on('error', onError)
  }

  /** Calls `listener` whenever a connection is established. */
  onReady(listener: () => void): void {
    this.#redis.on('ready', listener)
  }

  /** Runs `work`. Rejects if the server doesn't respond in time; commands that were sent may still take effect. */
  async run<T>(work: (redis: Redis) => Promise<T>, timeoutMs: number = this.#timeoutMs): Promise<T> {
    if (this.#closed) throw new Error('the Redis store is closed')
    // After a timeout, operations fail sooner until the server responds again.
    const limitMs = this.#unresponsive ? Math.min(timeoutMs, unresponsiveTimeoutMs) : timeoutMs
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#unresponsive = true
        reject(new Error(`expected Redis to answer within ${limitMs} ms; it did not`))
      }, limitMs)
    })
    try {
      const answer = await Promise.race([this.#connected().then(() => work(this.#redis)), timeout])
      this.#unresponsive = false
      return answer
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#connecting !== undefined) void (async () => this.#redis.destroy())().catch(nothing)
  }

  #connected(): Promise<unknown> {
    this.#connecting ??= this.#redis.connect().catch((error: unknown) => {
      // Cluster and Sentinel clients give up if no node responds, so the next call connects again.
      this.#connecting = undefined
      throw error
    })
    return this.#connecting
  }
}

function nothing(): void {}

function clientFor({ url, client, sentinel, cluster }: RedisServers, timeoutMs: number): Redis {
  // A command that timed out before it was sent must not be sent later.
  const common = { ...protocol, commandOptions: { timeout: timeoutMs }, scripts }
  if (cluster !== undefined) {
    const defaults = { pingInterval, ...cluster.defaults, socket: { ...socket, ...cluster.defaults?.socket } }
    return createCluster({ ...common, ...cluster, defaults } as never) as unknown as Redis
  }
  if (sentinel !== undefined) {
    const { nodeClientOptions: given } = sentinel
    const nodeClientOptions = { pingInterval, ...given, socket: { ...socket, ...given?.socket } }
    return createSentinel({ ...common, ...sentinel, nodeClientOptions } as never) as unknown as Redis
  }
  const own = { pingInterval, ...(url !== undefined && { url }), ...client }
  return createClient({
    ...common,
    ...own,
    socket: { ...socket, ...own.socket },
  } as never) as unknown as Redis
}
