/**
 * A route's tool, called over HTTP, against the route itself over HTTP on the same app: a ratio of 2 is half the
 * throughput. The app has a process and, where the machine has two, a core of its own; the load is made here.
 */

import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { type Measured, median } from './measure.js'

const rounds = 9
const warmUps = 3
const roundMs = 500
const connections = 16

const call = (name: string, args: object): string =>
  post(
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        },
      },
    },
    [
      'Accept: application/json, text/event-stream',
      'MCP-Protocol-Version: 2026-07-28',
      'Mcp-Method: tools/call',
      `Mcp-Name: ${name}`,
    ],
  )

function post(path: string, body: object, headers: readonly string[] = []): string {
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

const newTask = { title: 'Water the plants', done: false }
const works = [
  {
    work: 'GET route as a tool over HTTP',
    tool: call('task_get', { id: '7' }),
    route: 'GET /tasks/7 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  },
  {
    work: 'POST route as a tool over HTTP',
    tool: call('task_create', newTask),
    route: post('/tasks', newTask),
  },
]

/** Alternating rounds, medians, as in process. */
export async function measureRouteTools(): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const framework of ['Express', 'Koa', 'Fastify']) {
    const server = fork(new URL('./route-server.ts', import.meta.url), [framework])
    try {
      const port = await started(server)
      for (const { work, tool, route } of works) {
        const sides = { ours: [] as number[], bare: [] as number[] }
        for (let round = -warmUps; round < rounds; round++) {
          const bare = await microseconds(port, route)
          const ours = await microseconds(port, tool)
          // The first rounds are for the compiler.
          if (round < 0) continue
          sides.bare.push(bare)
          sides.ours.push(ours)
        }
        const [oursMicroseconds, bareMicroseconds] = [median(sides.ours), median(sides.bare)]
        measured.push({
          work: `${work}, ${framework}`,
          oursMicroseconds,
          bareMicroseconds,
          addedMicroseconds: oursMicroseconds - bareMicroseconds,
          ratio: oursMicroseconds / bareMicroseconds,
        })
      }
    } finally {
      server.disconnect()
    }
  }
  return measured
}

async function started(server: ChildProcess): Promise<number> {
  const port = await new Promise<number>((resolve, reject) => {
    server.once('message', resolve)
    server.once('exit', (code) => reject(new Error(`the app of the benchmark ended with ${code}`)))
  })
  pin(server.pid, 0)
  pin(process.pid, 1)
  return port
}

/** Where the system can; elsewhere the two share the cores. */
function pin(pid: number | undefined, core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

/** The time per request while the app has as many as it can answer. */
async function microseconds(port: number, request: string): Promise<number> {
  const clients = await Promise.all(Array.from({ length: connections }, () => client(port, request)))
  const began = performance.now()
  const counts = await Promise.all(clients.map((run) => run(began + roundMs)))
  const tookMs = performance.now() - began
  return (tookMs * 1_000) / counts.reduce((sum, count) => sum + count, 0)
}

/** Sends the same bytes again as soon as they are answered: costs the machine much less than an HTTP client does. */
function client(port: number, request: string): Promise<(until: number) => Promise<number>> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const bytes = Buffer.from(request)
  const run = (until: number): Promise<number> =>
    new Promise((resolve, reject) => {
      let count = 0
      let size = 0
      socket.once('error', reject)
      socket.on('data', (answer) => {
        // All answers to the same request have the same length, but for the first one's head that is read here.
        if (size === 0) size = sizeOf(answer)
        if (answer.length !== size) throw new Error(`expected one answer of ${size} bytes, got: ${answer}`)
        count += 1
        if (performance.now() < until) return void socket.write(bytes)
        socket.destroy()
        resolve(count)
      })
      socket.write(bytes)
    })
  return new Promise((resolve) => socket.once('connect', () => resolve(run)))
}

/** Of a whole answer. */
function sizeOf(answer: Buffer): number {
  const text = answer.toString()
  const length = /^HTTP\/1\.1 2\d\d [\s\S]*?\r\ncontent-length: (\d+)\r\n[\s\S]*?\r\n\r\n/i.exec(text)
  if (length === null || text.includes('"isError":true') || text.includes('"error":'))
    throw new Error(`expected an answer of known length, got: ${text}`)
  return length[0].length + Number(length[1])
}
