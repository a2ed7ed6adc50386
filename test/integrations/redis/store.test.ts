/** The store on one Redis server: the suite of all stores. */

import { redisStore } from 'mcp-router/redis'
import { afterAll, beforeAll } from 'vitest'
import { storeSuite } from '../../store/store-suite.js'
import { type RedisServer, redisServer } from '../../support/redis-server.js'

let server: RedisServer
beforeAll(async () => {
  server = await redisServer()
})
afterAll(() => server.stop())

storeSuite('the Redis store', async () => ({
  one: redisStore({ url: server.url }),
  other: redisStore({ url: server.url }),
}))
