/**
 * Load on an app in a process of its own: server and load on different cores where the machine has two. The client
 * sends the same bytes again as soon as they are answered, which costs much less than an HTTP client does.
 */

import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { median } from './measure.js'

const connections = 16
const roundMs = 500
/** The first rounds are for the compiler: so many, until both sides have answered this often, or at most so many. */
const warmUps = { least: 3, answers: 10_000, most: 10 }

export interface App {
  readonly port: number
  /** Microseconds that it took of the processor so far: what other processes take does not count. */
  cpu(): Promise<number>
  stop(): void
}

/** Starts `file` with `args`; it reports as `apps/report.ts` does. */
export async function startApp(file: string, args: readonly string[]): Promise<App> {
  const server = fork(new URL(file, import.meta.url), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const port = await said(server)
  pin(server.pid as number, 0)
  pin(process.pid, 1)
  return {
    port,
    cpu() {
      server.send('cpu')
      return said(server)
    },
    stop: () => void server.kill(),
  }
}

function said(server: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const ended = (code: unknown): void => reject(new Error(`the app of the benchmark ended with ${code}`))
    server.once('exit', ended)
    server.once('message', (number: number) => {
      server.off('exit', ended)
      resolve(number)
    })
  })
}

/** Where the system can; elsewhere the two share the cores. */
function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

/** One request of HTTP/1.1, as bytes. */
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
  /** Requests for each second of the processor that the app took. */
  readonly ours: number
  readonly against: number
}

/** Alternating rounds, medians: what disturbs one side disturbs the other. */
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
  const answered = sides.map(() => 0)
  for (let round = 0; round < warmUps.most; round++) {
    if (round >= warmUps.least && Math.min(...answered) >= warmUps.answers) return
    for (const [index, side] of sides.entries()) {
      answered[index] = (answered[index] ?? 0) + (await rateOf(side)).count
    }
  }
}

/** While the app has as many as it can answer. */
async function rateOf({ app, request }: Side): Promise<{ readonly count: number; readonly rate: number }> {
  const bytes = Buffer.from(request)
  const clients = await Promise.all(Array.from({ length: connections }, () => client(app.port)))
  const sleep = stayAwake()
  const before = await app.cpu()
  const until = performance.now() + roundMs
  const counts = await Promise.all(clients.map((socket) => repeat(socket, bytes, until)))
  const took = (await app.cpu()) - before
  sleep()
  const count = counts.reduce((sum, one) => sum + one, 0)
  return { count, rate: (count * 1_000_000) / took }
}

/**
 * To wake a client that sleeps costs whoever writes to it as much as a third of a request, and only a server that is fast
 * keeps its clients awake: this one never sleeps, whoever answers. Returns a way to let it.
 */
export function stayAwake(): () => void {
  let timer = setImmediate(again)
  function again(): void {
    timer = setImmediate(again)
  }
  return () => clearImmediate(timer)
}

function client(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Asks again as soon as it was answered; resolves with the number of answers. */
export function repeat(socket: Socket, bytes: Buffer, until: number): Promise<number> {
  let count = 0
  return new Promise((resolve, reject) => {
    onAnswers(socket, reject, () => {
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
 * Calls `onAnswer` for each answer, at once: a promise for each would make the client the slower side. Those to the same
 * request have the same length, so only the first one is read.
 */
export function onAnswers(socket: Socket, onError: (error: Error) => void, onAnswer: () => void): void {
  const answers = new Answers(onAnswer)
  socket.on('error', onError)
  socket.on('close', () => onError(new Error('the connection was closed')))
  socket.on('data', (chunk) => {
    try {
      answers.take(chunk)
    } catch (error) {
      onError(error as Error)
    }
  })
}

class Answers {
  readonly #onAnswer: () => void
  #size = 0
  #chunks: Buffer[] = []
  #received = 0

  constructor(onAnswer: () => void) {
    this.#onAnswer = onAnswer
  }

  take(chunk: Buffer): void {
    this.#received += chunk.length
    if (this.#size === 0) this.#size = this.#measure(chunk)
    if (this.#size === 0 || this.#received < this.#size) return
    this.#received = 0
    this.#onAnswer()
  }

  /** 0 until the whole answer has come. */
  #measure(chunk: Buffer): number {
    this.#chunks.push(chunk)
    const text = Buffer.concat(this.#chunks).toString('latin1')
    const size = sizeOf(text)
    if (size > 0 && size <= text.length) assertFine(text)
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

function assertFine(text: string): void {
  if (!/^HTTP\/1\.1 2\d\d /.test(text) || text.includes('"isError":true') || text.includes('"error":'))
    throw new Error(`expected a result, got: ${text}`)
}
