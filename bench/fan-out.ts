/**
 * How far a notice carries: measures here what one step costs, and works out from that what 1,000 machines and
 * 10,000,000 listeners come to. `npm run build && npx tsx --tsconfig bench/tsconfig.json bench/fan-out.ts`
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { type RedisStore, redisStore } from 'mcp-router/redis'
import { command, redisServer } from '../test/support/redis-server.js'

/** Microseconds of a processor, unless they say otherwise. */
export interface Costs {
  /** Redis: to keep a notice for those that are cut off. */
  readonly redisPublish: number
  /** Redis: to push it to one more machine. */
  readonly redisPush: number
  /** Redis: one look of one machine at one channel for what it missed. */
  readonly redisLook: number
  /** A machine: to hear a notice. */
  readonly hear: number
  /** A machine: to write it to one stream; Redis besides, where the streams are those of sessions. */
  readonly write: { readonly modern: number; readonly session: number; readonly redisSession: number }
  /** Bytes. */
  readonly stream: { readonly ours: number; readonly bare: number }
}

interface Load {
  readonly machines: number
  readonly listeners: number
  /** To all of them, in a second. */
  readonly notices: number
}

/** Channels that every machine listens to, and how often it looks at them. */
const channels = 3
const looksPerSecond = 0.5

/** Parts of one core, and gigabytes. */
export function loadOf(costs: Costs, { machines, listeners, notices }: Load, sessions = 0) {
  const perMachine = listeners / machines
  const second = 1_000_000
  const pushes = notices * (costs.redisPublish + machines * costs.redisPush)
  const looks = machines * channels * looksPerSecond * costs.redisLook
  const logs = notices * listeners * sessions * costs.write.redisSession
  const writing = costs.write.modern * (1 - sessions) + costs.write.session * sessions
  return {
    redis: (pushes + looks + logs) / second,
    machine: (notices * (costs.hear + perMachine * writing)) / second,
    gigabytes: (perMachine * costs.stream.ours) / 1e9,
  }
}

/** The most notices in a second that neither Redis nor a machine stands against with a core. */
export function mostNotices(costs: Costs, machines: number, listeners: number, sessions = 0) {
  const idle = loadOf(costs, { machines, listeners, notices: 0 }, sessions)
  const one = loadOf(costs, { machines, listeners, notices: 1 }, sessions)
  const redis = (1 - idle.redis) / (one.redis - idle.redis)
  const machine = 1 / one.machine
  return { most: Math.min(redis, machine), first: redis < machine ? 'Redis' : 'machine' }
}

const round = 3_000

/** The machine may be busy: nothing is given up here. */
function patient(url: string): RedisStore {
  return redisStore({ client: { url, socket: { socketTimeout: 600_000 } }, timeoutMs: 120_000 } as never)
}

async function cpuOfRedis(url: string): Promise<number> {
  const text = String(await command(url, 'INFO', 'cpu'))
  const of = (name: string): number => Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(text)?.[1])
  return (of('sys') + of('user')) * 1e6
}

async function redisPer(url: string, times: number, work: () => Promise<unknown>): Promise<number> {
  const before = await cpuOfRedis(url)
  for (let done = 0; done < times; done += 50) await Promise.all(Array.from({ length: 50 }, work))
  return ((await cpuOfRedis(url)) - before) / times
}

/** Redis itself, with few and with many machines that listen. */
async function measureRedis(): Promise<Pick<Costs, 'redisPublish' | 'redisPush' | 'redisLook'>> {
  const redis = await redisServer()
  const { url } = redis
  const stores: RedisStore[] = []
  const listen = async (count: number): Promise<void> => {
    const added = Array.from({ length: count }, () => patient(url))
    stores.push(...added)
    await Promise.all(added.map((store) => store.subscribe('notices', () => {})))
  }
  const sender = patient(url)
  const notice = JSON.stringify({
    method: 'notifications/resources/updated',
    params: { uri: 'news://today' },
  })
  const publish = (): Promise<void> => sender.publish('notices', notice)
  await redisPer(url, round, publish)
  const alone = await redisPer(url, round, publish)
  await listen(100)
  const crowded = await redisPer(url, 500, publish)
  await sender.append('log', notice, { entries: 100, bytes: 1e6, ageMs: 60_000 })
  const [entry] = (await sender.read('log')) ?? []
  const look = await redisPer(url, round, () => sender.read('log', entry?.id))
  for (const store of [...stores, sender]) await store.close()
  await redis.stop()
  return { redisPublish: alone, redisPush: (crowded - alone) / 100, redisLook: look }
}

/** Opens streams of a server, and reads them. */
async function crowd(url: string, count: number, how: string): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('crowd.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, url, String(count), how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return child
}

async function serve(listener: RequestListener): Promise<{ url: string; stop(): void }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/mcp`, stop }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What the process itself holds; what the kernel has for sockets comes on top. */
function memory(): number {
  for (let times = 0; times < 5; times++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const streams = 2_000
const silent = { info() {}, warn() {}, error() {} }

interface Streams {
  readonly bytes: number
  /** Microseconds for each stream, and for one notice besides; of Redis for each stream. */
  readonly write: number
  readonly redis: number
}

async function measureStreams(how: 'modern' | 'session'): Promise<Streams> {
  const redis = await redisServer()
  const store = patient(redis.url)
  const router = new McpRouter<object>({
    name: 'bench',
    version: '1.0.0',
    store,
    logger: silent,
    maxSessionsPerHour: 0,
  })
  router.resource('news://today', { text: 'Nothing.' })
  const { url, stop } = await serve(
    mcp(router, { maxStreams: 2 * streams, maxStreamsPerCaller: 2 * streams }),
  )
  const first = await crowd(url, 100, how)
  const before = memory()
  const child = await crowd(url, streams, how)
  const bytes = (memory() - before) / streams
  const notify = (): Promise<unknown> => router.notify.resourcesChanged() as Promise<unknown>
  await notify()
  const times = 30
  const [cpu, ofRedis] = [process.cpuUsage(), await cpuOfRedis(redis.url)]
  for (let done = 0; done < times; done++) {
    await notify()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { user, system } = process.cpuUsage(cpu)
  const redisTime = (await cpuOfRedis(redis.url)) - ofRedis
  for (const one of [first, child]) one.kill('SIGKILL')
  stop()
  await router.close({ drainMs: 0 })
  await store.close()
  await redis.stop()
  return { bytes, write: (user + system) / times / streams, redis: redisTime / times / streams }
}

async function measureBare(): Promise<number> {
  const open: ServerResponse[] = []
  const { url, stop } = await serve((request, response) => {
    request.resume()
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(': open\n\n')
    open.push(response)
  })
  const first = await crowd(url, 100, 'bare')
  const before = memory()
  const child = await crowd(url, streams, 'bare')
  const bytes = (memory() - before) / streams
  for (const one of [first, child]) one.kill('SIGKILL')
  stop()
  return bytes
}

/** One notice, heard by a machine that tells nobody: the processor's time with its listener, less that without. */
async function measureHear(): Promise<number> {
  const redis = await redisServer()
  const [here, there] = [patient(redis.url), patient(redis.url)]
  await here.subscribe('heard', (text) => JSON.parse(text))
  const send = async (channel: string): Promise<number> => {
    const began = process.cpuUsage()
    for (let done = 0; done < round; done += 50)
      await Promise.all(Array.from({ length: 50 }, () => there.publish(channel, '{"method":"x"}')))
    const { user, system } = process.cpuUsage(began)
    return (user + system) / round
  }
  await send('nobody')
  const cost = (await send('heard')) - (await send('nobody'))
  await here.close()
  await there.close()
  await redis.stop()
  return Math.max(0, cost)
}

export async function measureCosts(): Promise<Costs> {
  const bare = await measureBare()
  const redis = await measureRedis()
  const modern = await measureStreams('modern')
  const session = await measureStreams('session')
  return {
    ...redis,
    hear: await measureHear(),
    write: { modern: modern.write, session: session.write, redisSession: session.redis },
    stream: { ours: modern.bytes, bare },
  }
}

const costs = await measureCosts()
console.log(
  JSON.stringify(costs, (_, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value), 2),
)
console.log(
  '| Machines | Listeners | In sessions | Redis at 1/s | Machine at 1/s | GB each | Most notices/s | Breaks first |',
)
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
for (const [machines, listeners, sessions] of [
  [3, 30_000, 0],
  [3, 30_000, 1],
  [100, 1_000_000, 0],
  [100, 1_000_000, 1],
  [1_000, 1_000_000, 0],
  [1_000, 10_000_000, 0],
  [1_000, 10_000_000, 0.1],
  [1_000, 10_000_000, 1],
] as const) {
  const { redis, machine, gigabytes } = loadOf(costs, { machines, listeners, notices: 1 }, sessions)
  const { most, first } = mostNotices(costs, machines, listeners, sessions)
  const cells = [`${(redis * 100).toFixed(2)} %`, `${(machine * 100).toFixed(1)} %`, gigabytes.toFixed(2)]
  console.log(
    `| ${machines} | ${listeners} | ${sessions * 100} % | ${cells.join(' | ')} | ${most.toPrecision(2)} | ${first} |`,
  )
}
process.exit()
