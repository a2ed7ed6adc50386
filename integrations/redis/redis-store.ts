/** Implements `Store` on one Redis server, a Sentinel group or a cluster. Needs Redis 7 or later. */

import type { LogBound, LogEntry, Store, StoreStatus } from '../../src/adapter.js'
import { Channels } from './channels.js'
import { Connection } from './connection.js'
import { checkRedisStoreOptions, type RedisStoreOptions } from './options.js'

/** A store on Redis. The app must close it. */
export interface RedisStore extends Store {
  /** Checks whether the server responds within half a second. Never rejects. */
  status(): Promise<StoreStatus>
}

/**
 * Creates a store that keeps keys, channels and logs in Redis, shared by all processes with the same servers and `prefix`.
 * It connects on first use and reconnects whenever the connection is lost. An operation fails if the server doesn't
 * respond within `timeoutMs`.
 * @throws TypeError for unknown options, invalid values, and more than one kind of server.
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  checkRedisStoreOptions(options)
  return new RedisStoreImpl(options)
}

/** Time limit of `status()`. Milliseconds. */
const statusTimeoutMs = 500

class RedisStoreImpl implements RedisStore {
  readonly #prefix: string
  readonly #connection: Connection
  readonly #channels: Channels

  constructor({
    prefix = 'mcp-router:',
    timeoutMs = 5_000,
    onError = nothing,
    ...servers
  }: RedisStoreOptions) {
    this.#prefix = prefix
    this.#connection = new Connection(servers, timeoutMs, onError)
    this.#channels = new Channels(this.#connection, (channel) => this.#keyOf('channel', channel))
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#connection.run((redis) => redis.get(this.#keyOf('key', key)))) ?? undefined
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#connection.run((redis) => redis.set(this.#keyOf('key', key), value, expiring(ttlMs)))
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#connection.run((redis) => redis.del(this.#keyOf('key', key)))) > 0
  }

  async claim(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    const options = { ...expiring(ttlMs), condition: 'NX', GET: true } as const
    const existing = await this.#connection.run((redis) => redis.set(this.#keyOf('key', key), value, options))
    return existing ?? undefined
  }

  publish(channel: string, message: string): Promise<void> {
    return this.#channels.publish(channel, message)
  }

  subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    return this.#channels.subscribe(channel, listener)
  }

  async append(log: string, value: string, { entries, bytes, ageMs }: LogBound): Promise<string> {
    const bound = [entries, bytes, milliseconds(ageMs)].map(String)
    return this.#connection.run((redis) => redis.appendTo(this.#keyOf('log', log), value, ...bound))
  }

  async read(log: string, after?: string): Promise<readonly LogEntry[] | undefined> {
    if (after !== undefined && !/^\d+-\d+$/.test(after)) return undefined
    const entries = await this.#connection.run((redis) =>
      redis.readFrom(this.#keyOf('log', log), after ?? ''),
    )
    return entries?.map(({ id, value }) => ({ id, value }))
  }

  async status(): Promise<StoreStatus> {
    const started = performance.now()
    const alive = this.#connection.run((redis) => redis.get(this.#keyOf('key', 'status')), statusTimeoutMs)
    const lagMs = await alive.then(
      () => Math.round(performance.now() - started),
      () => undefined,
    )
    return { lagMs, gaps: this.#channels.status.gaps }
  }

  async close(): Promise<void> {
    this.#channels.close()
    this.#connection.close()
  }

  #keyOf(kind: 'key' | 'channel' | 'log', name: string): string {
    return `${this.#prefix}${kind}:${name}`
  }
}

/** Rounds up, since Redis takes whole milliseconds from 1. */
function milliseconds(duration: number): number {
  return Math.max(1, Math.ceil(duration))
}

function expiring(ttlMs: number): { readonly expiration: { readonly type: 'PX'; readonly value: number } } {
  return { expiration: { type: 'PX', value: milliseconds(ttlMs) } }
}

function nothing(): void {}
