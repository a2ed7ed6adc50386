/** One client of the `redis` package, whichever kind of server it talks to: connected when first used, never waited for long. */

import { createClient, createCluster, createSentinel, type SetOptions } from 'redis'
import { type Entry, scripts } from './scripts.js'

/** What this store uses of the three kinds of client. */
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

/** The servers, in the words of the `redis` package; one of the three. */
export interface RedisServers {
  /** `redis[s]://[[username][:password]@][host][:port][/db-number]`. */
  readonly url?: string | undefined
  /** Options of `createClient()`, for what a URL cannot say. */
  readonly client?: Parameters<typeof createClient>[0] | undefined
  /** Options of `createSentinel()`. */
  readonly sentinel?: Parameters<typeof createSentinel>[0] | undefined
  /** Options of `createCluster()`. */
  readonly cluster?: Parameters<typeof createCluster>[0] | undefined
}

/** A connection that says nothing for this long is dead: pings keep a live one talking. */
const pingInterval = 1_000
const socketTimeout = 3_000
const impatientMs = 250
/** Messages are pushed on the connection that commands use. Version 5 of the package speaks RESP 2 unless it is told to. */
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
  /** It did not answer the last time. */
  #away = false

  constructor(servers: RedisServers, timeoutMs: number, onError: (error: unknown) => void) {
    this.#redis = clientFor(servers, timeoutMs)
    this.#timeoutMs = timeoutMs
    this.#redis.on('error', onError)
  }

  /** Calls `listener` whenever a connection was made. */
  onReady(listener: () => void): void {
    this.#redis.on('ready', listener)
  }

  /** Rejects where the server does not answer in time; what was sent may still happen. */
  async run<T>(work: (redis: Redis) => Promise<T>, timeoutMs: number = this.#timeoutMs): Promise<T> {
    if (this.#closed) throw new Error('the Redis store is closed')
    // Once it was waited for in vain, callers are spared that until it answers again.
    const patience = this.#away ? Math.min(timeoutMs, impatientMs) : timeoutMs
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#away = true
        reject(new Error(`expected Redis to answer within ${patience} ms; it did not`))
      }, patience)
    })
    try {
      const answer = await Promise.race([this.#connected().then(() => work(this.#redis)), late])
      this.#away = false
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
      // Clusters and sentinels give up where no node answers: the next call tries again.
      this.#connecting = undefined
      throw error
    })
    return this.#connecting
  }
}

function nothing(): void {}

function clientFor({ url, client, sentinel, cluster }: RedisServers, timeoutMs: number): Redis {
  // What was given up before it was sent must not happen later.
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
