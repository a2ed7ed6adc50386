/** Routers with a queue and a store in one Redis; each test has keys of its own, and closes what it made. */

import type { RouterOptions } from 'mcp-router'
import { type BullmqTasksOptions, bullmqTasks } from 'mcp-router/bullmq'
import { redisStore } from 'mcp-router/redis'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import { type RedisServer, redisServer } from '../../support/redis-server.js'

export interface Queues {
  readonly redis: RedisServer
  /** Options of a router with both. Those with one `prefix` are machines of one server. */
  server(options?: Partial<BullmqTasksOptions>, prefix?: string): RouterOptions
  stop(): Promise<void>
}

let count = 0
export const ownPrefix = (): string => `test-${count++}`

export async function queues(...options: readonly string[]): Promise<Queues> {
  const redis = await redisServer(...options)
  return {
    redis,
    server(own = {}, prefix = ownPrefix()) {
      const store = redisStore({ url: redis.url, prefix: `${prefix}:` })
      const connection = createClient({ url: redis.url })
      connection.on('error', () => {})
      onTestFinished(async () => {
        await store.close()
        connection.destroy()
      })
      const loadUser = (id: string | number) => ({ id }) as never
      return { store, tasks: bullmqTasks({ connection, prefix, loadUser, ...own }) }
    },
    stop: () => redis.stop(),
  }
}
