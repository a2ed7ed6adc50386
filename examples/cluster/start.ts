/** Starts everything: Redis (unless REDIS_URL names one), three machines, and the proxy in front of them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { roundRobin } from './proxy.js'

export interface Cluster {
  /** The URL of the endpoint behind the proxy. */
  readonly url: string
  /** The URLs of the endpoints of the machines. */
  readonly machines: readonly string[]
  stop(): Promise<void>
}

export async function start(port: number): Promise<Cluster> {
  const children: ChildProcess[] = []
  const run = async (
    command: string,
    args: readonly string[],
    env: object,
    ready: RegExp,
  ): Promise<string> => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    return firstMatch(child, ready)
  }
  const redisUrl = process.env.REDIS_URL ?? (await startRedis(run))
  const secret = process.env.MCP_ROUTER_SECRET ?? randomBytes(32).toString('hex')
  const tsx = ['--import', 'tsx', fileURLToPath(new URL('machine.ts', import.meta.url))]
  const origins = await Promise.all(
    ['A', 'B', 'C'].map((name) =>
      run(
        process.execPath,
        tsx,
        { PORT: '0', MACHINE: name, REDIS_URL: redisUrl, MCP_ROUTER_SECRET: secret },
        /http:\S+/,
      ),
    ),
  )
  const proxy = roundRobin(origins).listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    machines: origins.map((origin) => `${origin}/mcp`),
    async stop() {
      proxy.close()
      proxy.closeAllConnections()
      const over = children.map((child) => child.exitCode === null && once(child, 'exit'))
      for (const child of children.reverse()) child.kill('SIGTERM')
      await Promise.all(over)
    },
  }
}

type Run = (command: string, args: readonly string[], env: object, ready: RegExp) => Promise<string>

async function startRedis(run: Run): Promise<string> {
  const port = String(await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  await run('redis-server', args, {}, /Ready to accept connections/)
  return `redis://127.0.0.1:${port}`
}

async function firstMatch(child: ChildProcess, ready: RegExp): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${child.spawnfile} ended before it was ready:\n${output}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      const [found] = ready.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cluster = await start(Number(process.env.PORT ?? 3000))
  console.log(`Three machines behind ${cluster.url}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cluster.stop())
}
