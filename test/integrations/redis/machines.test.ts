/** Several machines that share one Redis: the contract's part about them, on each framework. */

import { redisStore } from 'mcp-router/redis'
import { afterAll, beforeAll, describe } from 'vitest'
import { movingStreams } from '../../contract/core/moving-streams.js'
import { severalMachines } from '../../contract/core/several-machines.js'
import { type RedisServer, redisServer } from '../../support/redis-server.js'
import { frameworks } from '../frameworks.js'

let server: RedisServer
let count = 0
beforeAll(async () => {
  server = await redisServer()
})
afterAll(() => server.stop())

for (const [name, host] of Object.entries(frameworks)) {
  describe(`${name}: several machines with Redis`, () => {
    const maker = () => {
      const prefix = `test-${count++}:`
      return () => redisStore({ url: server.url, prefix })
    }
    severalMachines(host, maker)
    movingStreams(host, maker)
  })
}
