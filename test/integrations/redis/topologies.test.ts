/** The store on a cluster, and on a server watched by a Sentinel: the suite of all stores. */

import { redisStore } from 'mcp-router/redis'
import { afterAll, beforeAll, describe } from 'vitest'
import { storeSuite } from '../../store/store-suite.js'
import { redisCluster, redisSentinel, type Topology } from '../../support/redis-topologies.js'

describe('several servers', () => {
  let cluster: Topology
  let watched: Topology
  beforeAll(async () => {
    ;[cluster, watched] = await Promise.all([redisCluster(), redisSentinel()])
  }, 60_000)
  afterAll(() => Promise.all([cluster?.stop(), watched?.stop()]))

  storeSuite('the Redis store on a cluster', async () => {
    const rootNodes = cluster.ports.map((port) => ({ url: `redis://127.0.0.1:${port}` }))
    const make = () => redisStore({ cluster: { rootNodes } })
    return { one: make(), other: make() }
  })

  storeSuite('the Redis store with a Sentinel', async () => {
    const sentinelRootNodes = [{ host: '127.0.0.1', port: watched.ports[2] as number }]
    const make = () => redisStore({ sentinel: { name: 'main', sentinelRootNodes } })
    return { one: make(), other: make() }
  })
})
