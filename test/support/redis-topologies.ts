/** A cluster of three `redis-server`s, and one server watched by a Sentinel. */

import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, freePort, type RedisServer, redisServer } from './redis-server.js'

export interface Topology {
  readonly servers: readonly RedisServer[]
  readonly ports: readonly number[]
  stop(): Promise<void>
}

const slots = 16_384

export async function redisCluster(): Promise<Topology> {
  const servers = await Promise.all(Array.from({ length: 3 }, () => redisServer('--cluster-enabled', 'yes')))
  const each = Math.ceil(slots / servers.length)
  for (const [index, { url }] of servers.entries()) {
    const last = Math.min(slots, (index + 1) * each) - 1
    await command(url, 'CLUSTER', 'ADDSLOTSRANGE', String(index * each), String(last))
    await command(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
  }
  for (const { url } of servers) await command(url, 'CLUSTER', 'MEET', '127.0.0.1', String(servers[0]?.port))
  for (const { url } of servers) {
    await until(async () => String(await command(url, 'CLUSTER', 'INFO')).includes('cluster_state:ok'))
    await until(async () => String(await command(url, 'CLUSTER', 'INFO')).includes('cluster_known_nodes:3'))
  }
  return topology(servers)
}

/** The first server is the primary, the second its replica, the third the Sentinel. */
export async function redisSentinel(): Promise<Topology> {
  const primary = await redisServer()
  const replica = await redisServer('--replicaof', '127.0.0.1', String(primary.port))
  await until(async () =>
    String(await command(replica.url, 'INFO', 'replication')).includes('master_link_status:up'),
  )
  const file = join(tmpdir(), `sentinel-${await freePort()}.conf`)
  const lines = [
    `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
    'sentinel down-after-milliseconds main 500',
    'sentinel failover-timeout main 2000',
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const sentinel = await redisServer(file, '--sentinel')
  await until(async () => String(await command(sentinel.url, 'SENTINEL', 'REPLICAS', 'main')) !== '')
  return topology([primary, replica, sentinel])
}

function topology(servers: readonly RedisServer[]): Topology {
  return {
    servers,
    ports: servers.map(({ port }) => port),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
