/** Measures sequential round trips over stdio. */

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { message } from './calls.js'
import { stayAwake } from './load.js'
import { median } from './measure.js'
import { type Row, row } from './row.js'

const rounds = 9
const trips = 1_000

export async function measureStdio(): Promise<Row> {
  const [ours, bare] = [await start('ours'), await start('bare')]
  const rates = { ours: [] as number[], against: [] as number[] }
  for (let round = -3; round < rounds; round++) {
    const [there, here] = [await rateOf(bare), await rateOf(ours)]
    if (round < 0) continue
    rates.against.push(there)
    rates.ours.push(here)
  }
  ours.stop()
  bare.stop()
  const medians = { ours: median(rates.ours), against: median(rates.against) }
  return row('stdio round trips', 'a plain line reader', 0.8, medians)
}

interface Peer {
  request(message: object): Promise<void>
  stop(): void
}

async function start(kind: string): Promise<Peer> {
  const file = fileURLToPath(new URL('./apps/stdio.ts', import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, file, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let onResponse = (): void => {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"error"')) throw new Error(`expected a result, got: ${line}`)
    onResponse()
  })
  const peer: Peer = {
    request: (body) =>
      new Promise((resolve) => {
        onResponse = resolve
        child.stdin.write(`${JSON.stringify(body)}\n`)
      }),
    stop: () => void child.kill(),
  }
  const initializeParams = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  await peer.request({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams })
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return peer
}

async function rateOf(peer: Peer): Promise<number> {
  const call = message('2025-11-25', 'add', { a: 2, b: 3 })
  const sleep = stayAwake()
  const began = performance.now()
  for (let trip = 0; trip < trips; trip++) await peer.request(call)
  const took = performance.now() - began
  sleep()
  return (trips * 1_000) / took
}
