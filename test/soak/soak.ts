/** Mixed traffic on one host for some time, and what came of it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { legacy } from '../contract/clients.js'
import { TooLate, visits } from './visits.js'

export const hosts = ['express', 'fastify', 'koa', 'node', 'fetch'] as const
export type Host = (typeof hosts)[number]

export interface Options {
  readonly host: Host
  readonly seconds: number
  /** Clients at any time. */
  readonly clients?: number
  /**
   * How many times as fast time passes for the server. What is kept for an hour, as it should be, goes within a minute of a
   * clock of 60: without it no run of that length could tell what is kept for good. Default 1.
   */
  readonly clock?: number
  /** How many sessions are used before the clients come. What a server keeps of those is bounded: so many fill it. */
  readonly sessions?: number
  /** Told now and then how much memory is in use. */
  onSample?(bytes: number): void
}

export interface Outcome {
  /** Visits that ended well, by their name. */
  readonly visits: Readonly<Record<string, number>>
  /** Visits that were themselves too late for what they were asked, as clients on a busy machine are. */
  readonly late: readonly string[]
  /** What visits complained of. */
  readonly wrong: readonly string[]
  /** Visits without an answer in time. */
  readonly unanswered: readonly string[]
  /** Errors and rejections in the server that nobody caught. */
  readonly uncaught: readonly string[]
  /** Bytes in use after a collection, over time; the first once everything has been loaded and compiled. */
  readonly memory: readonly number[]
  readonly rss: number
  /** What the server still held once all clients had left. */
  readonly left: { readonly running: number; readonly streams: number }
}

/** Longer than anything that a visit asks for takes on a busy machine. */
const patience = 60_000

export async function soak({
  host,
  seconds,
  clients = 16,
  clock = 1,
  sessions = 0,
  onSample = () => {},
}: Options): Promise<Outcome> {
  const server = await start(host, clock)
  const tally = new Map<string, number>()
  const late: string[] = []
  const wrong: string[] = []
  const unanswered: string[] = []
  await openSessions(server.url, { sessions, clients })
  const end = Date.now() + seconds * 1_000
  const names = Object.keys(visits)

  async function visit(name: string): Promise<void> {
    try {
      await inTime(visits[name]?.(server.url) ?? Promise.resolve())
      tally.set(name, (tally.get(name) ?? 0) + 1)
    } catch (error) {
      if (error === silence) unanswered.push(name)
      else if (error instanceof TooLate) late.push(name)
      else wrong.push(`${name}: ${(error as Error).message}`)
    }
  }
  /** Every client begins elsewhere, so that together they visit in every way, however little time there is. */
  const share = Math.ceil(names.length / clients)
  async function client(nth: number): Promise<void> {
    for (let times = 0; times < share || Date.now() < end; times++)
      await visit(names[(nth * share + times) % names.length] as string)
  }
  /** Samples begin after a quarter of the time: until then code is compiled and caches fill. */
  async function sample(into: number[]): Promise<void> {
    for (let at = 10; at <= 40; at++) {
      await pause(Math.max(0, end - seconds * 1_000 * (1 - at / 40) - Date.now()))
      const bytes = (await server.ask('memory')) as number
      onSample(bytes)
      into.push(bytes)
    }
  }
  try {
    const memory: number[] = []
    const crowd = Array.from({ length: clients }, (_, nth) => client(nth))
    await Promise.all([...crowd, sample(memory)])
    const { uncaught, rss, ...left } = await idle(server)
    return { visits: Object.fromEntries(tally), late, wrong, unanswered, uncaught, memory, rss, left }
  } finally {
    await server.stop()
  }
}

async function openSessions(
  url: string,
  { sessions, clients }: { readonly sessions: number; readonly clients: number },
): Promise<void> {
  let left = sessions
  const client = async (): Promise<void> => {
    while (left-- > 0) await (await legacy(url)).request('ping')
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/**
 * The least of the last third over that of the first: 1 where memory is flat. What is kept is in each sample; answers that
 * wait for their readers are in some, and on a busy machine in more.
 */
export function growth(memory: readonly number[]): number {
  const third = Math.floor(memory.length / 3)
  return Math.min(...memory.slice(-third)) / Math.min(...memory.slice(0, third))
}

interface State {
  readonly running: number
  readonly streams: number
  readonly uncaught: string[]
  readonly rss: number
}

interface Server {
  readonly url: string
  ask(command: string): Promise<unknown>
  stop(): Promise<void>
}

async function start(host: Host, clock: number): Promise<Server> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/soak/server.ts', host, String(clock)], {
    cwd: root,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      NODE_ENV: 'production',
      TSX_TSCONFIG_PATH: `${root}tsconfig.json`,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // Frameworks print each client that left.
  let said = ''
  child.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-4_000)
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let answers: Promise<unknown> = Promise.resolve()
  const next = async (): Promise<unknown> => {
    const { done, value } = await lines.next()
    if (done) throw new Error(`the server of ${host} ended: ${said}`)
    return JSON.parse(value)
  }
  const ask = (command: string): Promise<unknown> => {
    child.stdin.write(`${command}\n`)
    answers = answers.then(next)
    return answers
  }
  return { url: (await next()) as string, ask, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const mostLooks = 300

/** Once every client has left, nothing runs and nothing is open. Calls that nobody can cancel end by their time limit. */
async function idle(server: Server): Promise<State> {
  for (let tries = 0; ; tries++) {
    const state = (await server.ask('state')) as State
    const { running, streams, uncaught, rss } = state
    if ((running === 0 && streams === 0) || tries === mostLooks) return { running, streams, uncaught, rss }
    await pause(100)
  }
}

const silence = Symbol('silence')
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silence), patience)
  })
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
