/**
 * Measures the cost of each step of a notification, and extrapolates to 1,000 machines and 10,000,000 listeners.
 * `npm run build && npx tsx --tsconfig bench/tsconfig.json bench/fan-out.ts`
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

/** Costs of single steps, in microseconds of CPU time unless noted. */
export interface Costs {
  /** Redis: stores a notification for disconnected machines. */
  readonly redisPublish: number
  /** Redis: pushes a notification to one machine. */
  readonly redisPush: number
  /** Redis: one poll of one channel by one machine for missed messages. */
  readonly redisPoll: number
  /** A machine: receives a notification. */
  readonly receive: number
  /** A machine: writes a notification to one stream. `redisSession`: the share of Redis for a stream of a session. */
  readonly write: { readonly modern: number; readonly session: number; readonly redisSession: number }
  /** Memory of one open stream. Bytes. */
  readonly stream: { readonly ours: number; readonly bare: number }
}

interface Load {
  readonly machines: number
  readonly listeners: number
  /** Notifications per second, each sent to all listeners. */
  readonly notifications: number
}

/** How many channels every machine subscribes to, and how often it polls each. */
const channels = 3
const pollsPerSecond = 0.5

/** Returns the load as a share of one core, and the memory in gigabytes. `sessions`: the share of listeners in sessions. */
export function loadOf(costs: Costs, { machines, listeners, notifications }: Load, sessions = 0) {
  const perMachine = listeners / machines
  const second = 1_000_000
  const pushes = notifications * (costs.redisPublish + machines * costs.redisPush)
  const polls = machines * channels * pollsPerSecond * costs.redisPoll
  const logs = notifications * listeners * sessions * costs.write.redisSession
  const writing = costs.write.modern * (1 - sessions) + costs.write.session * sessions
  return {
    redis: (pushes + polls + logs) / second,
    machine: (notifications * (costs.receive + perMachine * writing)) / second,
    gigabytes: (perMachine * costs.stream.ours) / 1e9,
  }
}

/** Returns the highest rate of notifications that one core of Redis and of each machine can handle. */
export function maxNotifications(costs: Costs, machines: number, listeners: number, sessions = 0) {
  const idle = loadOf(costs, { machines, listeners, notifications: 0 }, sessions)
  const one = loadOf(costs, { machines, listeners, notifications: 1 }, sessions)
  const redis = (1 - idle.redis) / (one.redis - idle.redis)
  const machine = 1 / one.machine
  return { most: Math.min(redis, machine), first: redis < machine ? 'Redis' : 'machine' }
}

const round = 3_000

/** Creates a store with long timeouts, since the machine is under full load. */
function patientStore(url: string): RedisStore {
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

/** Measures Redis with few and with many subscribed machines. */
async function measureRedis(): Promise<Pick<Costs, 'redisPublish' | 'redisPush' | 'redisPoll'>> {
  const redis = await redisServer()
  const { url } = redis
  const stores: RedisStore[] = []
  const listen = async (count: number): Promise<void> => {
    const added = Array.from({ length: count }, () => patientStore(url))
    stores.push(...added)
    await Promise.all(added.map((store) => store.subscribe('notifications', () => {})))
  }
  const sender = patientStore(url)
  const notification = JSON.stringify({
    method: 'notifications/resources/updated',
    params: { uri: 'news://today' },
  })
  const publish = (): Promise<void> => sender.publish('notifications', notification)
  await redisPer(url, round, publish)
  const alone = await redisPer(url, round, publish)
  await listen(100)
  const crowded = await redisPer(url, 500, publish)
  await sender.append('log', notification, { entries: 100, bytes: 1e6, ageMs: 60_000 })
  const [entry] = (await sender.read('log')) ?? []
  const poll = await redisPer(url, round, () => sender.read('log', entry?.id))
  for (const store of [...stores, sender]) await store.close()
  await redis.stop()
  return { redisPublish: alone, redisPush: (crowded - alone) / 100, redisPoll: poll }
}

/** Starts a process that opens and reads streams of a server. */
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
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the memory of this process, without the kernel's memory for sockets. */
function memory(): number {
  for (let times = 0; times < 5; times++) collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const streams = 2_000
const silent = { info() {}, warn() {}, error() {} }

interface StreamCosts {
  readonly bytes: number
  /** CPU time for each stream and notification. Microseconds. */
  readonly write: number
  /** CPU time of Redis for each stream and notification. Microseconds. */
  readonly redis: number
}

async function measureStreams(how: 'modern' | 'session'): Promise<StreamCosts> {
  const redis = await redisServer()
  const store = patientStore(redis.url)
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

/** Measures the CPU time to receive one notification: with a subscriber, minus the time without one. */
async function measureReceive(): Promise<number> {
  const redis = await redisServer()
  const [here, there] = [patientStore(redis.url), patientStore(redis.url)]
  await here.subscribe('subscribed', (text) => JSON.parse(text))
  const send = async (channel: string): Promise<number> => {
    const started = process.cpuUsage()
    for (let done = 0; done < round; done += 50)
      await Promise.all(Array.from({ length: 50 }, () => there.publish(channel, '{"method":"x"}')))
    const { user, system } = process.cpuUsage(started)
    return (user + system) / round
  }
  await send('unsubscribed')
  const cost = (await send('subscribed')) - (await send('unsubscribed'))
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
    receive: await measureReceive(),
    write: { modern: modern.write, session: session.write, redisSession: session.redis },
    stream: { ours: modern.bytes, bare },
  }
}

const costs = await measureCosts()
console.log(
  JSON.stringify(costs, (_, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value), 2),
)
console.log(
  '| Machines | Listeners | In sessions | Redis at 1/s | Machine at 1/s | GB each | Max. notifications/s | Bottleneck |',
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
  const { redis, machine, gigabytes } = loadOf(costs, { machines, listeners, notifications: 1 }, sessions)
  const { most, first } = maxNotifications(costs, machines, listeners, sessions)
  const cells = [`${(redis * 100).toFixed(2)} %`, `${(machine * 100).toFixed(1)} %`, gigabytes.toFixed(2)]
  console.log(
    `| ${machines} | ${listeners} | ${sessions * 100} % | ${cells.join(' | ')} | ${most.toPrecision(2)} | ${first} |`,
  )
}
process.exit()
