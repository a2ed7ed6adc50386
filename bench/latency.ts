/** Measures the 99th percentile of latency at 70 % of the raw route's peak load. */

import { connect, type Socket } from 'node:net'
import { message, toolCall } from './calls.js'
import { type App, onResponses, post, repeat, type Side, startApp } from './load.js'
import { median } from './measure.js'
import { costRow, type Row } from './row.js'

const connections = 64
const roundMs = 2_000
const rounds = 5
const version = '2025-11-25'
const args = { a: 2, b: 3 }

export async function measureLatency(): Promise<Row[]> {
  const rows: Row[] = []
  for (const framework of ['Express', 'Koa', 'Fastify', 'node:http']) {
    const app = await startApp('./apps/add.ts', [framework])
    const route = { app, request: post('/add', message(version, 'add', args)) }
    const ours = { app, request: toolCall(version, 'add', args) }
    for (const side of [route, ours]) await p99(side, 1_000)
    const perSecond = 0.7 * (await peak(app, route))
    const tails = { ours: [] as number[], against: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      tails.against.push(await p99(route, perSecond))
      tails.ours.push(await p99(ours, perSecond))
    }
    const medians = { ours: median(tails.ours), against: median(tails.against) }
    rows.push(
      costRow(
        `p99 at 70 % of the raw peak, ${framework}`,
        'its own JSON route',
        Number((1 / 1.3).toFixed(2)),
        medians,
        'ms',
      ),
    )
    app.stop()
  }
  return rows
}

/** Measures the peak rate in requests per second. */
async function peak({ port }: App, { request }: Side): Promise<number> {
  const sockets = await open(port)
  const bytes = Buffer.from(request)
  const until = performance.now() + roundMs
  const counts = await Promise.all(sockets.map((socket) => repeat(socket, bytes, until)))
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / roundMs
}

/**
 * Measures the 99th percentile of latency in milliseconds. Requests are due at a fixed rate, whether or not earlier ones
 * have completed, and the wait for a free connection counts.
 */
async function p99({ app, request }: Side, perSecond: number): Promise<number> {
  const sockets = await open(app.port)
  const bytes = Buffer.from(request)
  const began = performance.now()
  const dueAt = (index: number): number => began + (index * 1_000) / perSecond
  const idle = [...sockets]
  const took: number[] = []
  let due = 0
  let sent = 0
  const serve = (): void => {
    while (idle.length > 0 && sent < due) send(idle.pop() as Socket)
  }
  const dueTimes = new Map<Socket, number>()
  const send = (socket: Socket): void => {
    dueTimes.set(socket, dueAt(sent))
    sent += 1
    socket.write(bytes)
  }
  for (const socket of sockets) {
    onResponses(socket, nothing, () => {
      took.push(performance.now() - (dueTimes.get(socket) as number))
      idle.push(socket)
      serve()
    })
  }
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const now = performance.now() - began
      due = Math.floor(Math.min(now, roundMs) * (perSecond / 1_000))
      serve()
      if (now < roundMs) setImmediate(tick)
      else resolve()
    }
    tick()
  })
  for (const socket of sockets) socket.destroy()
  return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.POSITIVE_INFINITY
}

function open(port: number): Promise<Socket[]> {
  const one = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      socket.once('connect', () => resolve(socket))
      socket.once('error', reject)
    })
  return Promise.all(Array.from({ length: connections }, one))
}

function nothing(): void {}
