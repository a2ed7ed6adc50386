/**
 * Puts load on an app in a separate process, on a different core if there are two. The client repeats the same bytes as
 * soon as a response is complete, which costs far less than a real HTTP client.
 */

import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { median } from './measure.js'

const connections = 16
const roundMs = 500
/** Warm-up: at least `minRounds`, then until both sides have sent `responses` responses, and at most `maxRounds`. */
const warmUps = { minRounds: 3, responses: 10_000, maxRounds: 10 }

export interface App {
  readonly port: number
  /** Returns the CPU time of the app's process so far. Microseconds. */
  cpu(): Promise<number>
  stop(): void
}

/** Starts an app that uses `apps/report.ts`. */
export async function startApp(file: string, args: readonly string[]): Promise<App> {
  const server = fork(new URL(file, import.meta.url), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const port = await receive(server)
  pin(server.pid as number, 0)
  pin(process.pid, 1)
  return {
    port,
    cpu() {
      server.send('cpu')
      return receive(server)
    },
    stop: () => void server.kill(),
  }
}

function receive(server: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const ended = (code: unknown): void => reject(new Error(`the app of the benchmark ended with ${code}`))
    server.once('exit', ended)
    server.once('message', (number: number) => {
      server.off('exit', ended)
      resolve(number)
    })
  })
}

/** Pins a process to a core, if the system has `taskset`. */
function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

/** Builds the text of an HTTP/1.1 POST request. */
export function post(path: string, body: unknown, headers: readonly string[] = []): string {
  const text = JSON.stringify(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...headers,
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

export interface Side {
  readonly app: App
  readonly request: string
}

export interface Throughput {
  /** Requests per second of the app's CPU time. */
  readonly ours: number
  readonly against: number
}

/** Returns the medians of alternating rounds, so that disturbances affect both sides. */
export async function throughput(ours: Side, against: Side, rounds = 7): Promise<Throughput> {
  await warmUp(ours, against)
  const rates = { ours: [] as number[], against: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.against.push((await rateOf(against)).rate)
    rates.ours.push((await rateOf(ours)).rate)
  }
  return { ours: median(rates.ours), against: median(rates.against) }
}

async function warmUp(...sides: readonly Side[]): Promise<void> {
  const counts = sides.map(() => 0)
  for (let round = 0; round < warmUps.maxRounds; round++) {
    if (round >= warmUps.minRounds && Math.min(...counts) >= warmUps.responses) return
    for (const [index, side] of sides.entries()) {
      counts[index] = (counts[index] ?? 0) + (await rateOf(side)).count
    }
  }
}

/** Measures one round at full load. */
async function rateOf({ app, request }: Side): Promise<{ readonly count: number; readonly rate: number }> {
  const bytes = Buffer.from(request)
  const clients = await Promise.all(Array.from({ length: connections }, () => connectTo(app.port)))
  const sleep = stayAwake()
  const before = await app.cpu()
  const until = performance.now() + roundMs
  const counts = await Promise.all(clients.map((socket) => repeat(socket, bytes, until)))
  const took = (await app.cpu()) - before
  sleep()
  const count = counts.reduce((sum, requests) => sum + requests, 0)
  return { count, rate: (count * 1_000_000) / took }
}

/**
 * Keeps the event loop of the client busy, so that it never sleeps. Waking a sleeping client costs the server as much as a
 * third of a request, and a slow server would pay that more often. Returns a function that stops this.
 */
export function stayAwake(): () => void {
  let timer = setImmediate(again)
  function again(): void {
    timer = setImmediate(again)
  }
  return () => clearImmediate(timer)
}

function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Repeats a request as soon as the response is complete. Resolves to the number of responses. */
export function repeat(socket: Socket, bytes: Buffer, until: number): Promise<number> {
  let count = 0
  return new Promise((resolve, reject) => {
    onResponses(socket, reject, () => {
      count += 1
      if (performance.now() < until) {
        socket.write(bytes)
        return
      }
      socket.destroy()
      resolve(count)
    })
    socket.write(bytes)
  })
}

/**
 * Calls `onResponse` for each response synchronously, because a promise for each would make the client the bottleneck.
 * Responses to the same request have the same length, so only the first one is parsed.
 */
export function onResponses(socket: Socket, onError: (error: Error) => void, onResponse: () => void): void {
  const counter = new ResponseCounter(onResponse)
  socket.on('error', onError)
  socket.on('close', () => onError(new Error('the connection was closed')))
  socket.on('data', (chunk) => {
    try {
      counter.add(chunk)
    } catch (error) {
      onError(error as Error)
    }
  })
}

class ResponseCounter {
  readonly #onResponse: () => void
  #size = 0
  #chunks: Buffer[] = []
  #received = 0

  constructor(onResponse: () => void) {
    this.#onResponse = onResponse
  }

  add(chunk: Buffer): void {
    this.#received += chunk.length
    if (this.#size === 0) this.#size = this.#measure(chunk)
    if (this.#size === 0 || this.#received < this.#size) return
    this.#received = 0
    this.#onResponse()
  }

  /** Returns the length of the first response, or 0 until it is complete. */
  #measure(chunk: Buffer): number {
    this.#chunks.push(chunk)
    const text = Buffer.concat(this.#chunks).toString('latin1')
    const size = sizeOf(text)
    if (size > 0 && size <= text.length) assertSuccess(text)
    return size <= text.length ? size : 0
  }
}

function sizeOf(text: string): number {
  const end = text.indexOf('\r\n\r\n') + 4
  if (end < 4) return 0
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end)) ?? []
  if (length !== undefined) return end + Number(length)
  const last = text.indexOf('0\r\n\r\n', end - 2)
  return last < 0 ? 0 : last + 5
}

function assertSuccess(text: string): void {
  if (!/^HTTP\/1\.1 2\d\d /.test(text) || text.includes('"isError":true') || text.includes('"error":'))
    throw new Error(`expected a result, got: ${text}`)
}
