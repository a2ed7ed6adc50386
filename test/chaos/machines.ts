/** Processes that share one Redis, each through a network of its own that can be cut. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type RedisServer, redisServer } from '../support/redis-server.js'
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.js'

export interface Machine {
  readonly url: string
  /** What lies between it and Redis. */
  readonly network: TcpProxy
  kill(): Promise<void>
}

export interface Cluster {
  readonly redis: RedisServer
  readonly machines: readonly Machine[]
  stop(): Promise<void>
}

export async function startCluster(size: number): Promise<Cluster> {
  const redis = await redisServer()
  const machines = await Promise.all(Array.from({ length: size }, (_, index) => startMachine(redis, index)))
  return {
    redis,
    machines,
    async stop() {
      await Promise.all(machines.map((machine) => machine.kill()))
      await Promise.all(machines.map(({ network }) => network.close()))
      await redis.stop()
    },
  }
}

async function startMachine({ port }: RedisServer, index: number): Promise<Machine> {
  const network = await tcpProxy(port)
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('machine.ts', import.meta.url))],
    {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        MACHINE: String(index),
        REDIS_URL: `redis://127.0.0.1:${network.port}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return { url: await firstLine(child), network, kill: () => kill(child) }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('a machine ended before it was ready')
  })
  const [chunk] = (await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended])) as [
    Buffer,
  ]
  ended.catch(() => {})
  return String(chunk).trim()
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = once(child, 'exit')
  child.kill('SIGKILL')
  await over
}
