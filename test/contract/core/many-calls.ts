/** Ten thousand calls of every kind, two hundred at a time: every answer is right, and nothing is left behind. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { settled } from '../../support/time.js'
import { type Answer, type Headers, type Json, post, send } from '../client.js'
import { envelope, initialize, mirror, rpc } from '../clients.js'
import { Connections } from '../exchange.js'
import { type Host, serve } from '../host.js'

const calls = 10_000
const atOnce = 200
const warmUp = 3_000
/** 200 bytes that each call left behind would be more. */
const mostGrowth = 2 * 1024 * 1024

interface Kind {
  ask(id: number, session: string): { body: unknown; headers?: Headers }
  /** Whether the answer belongs to the question, and is right. */
  fits(answer: Answer, id: number): boolean
}

const echo = (id: number, meta?: object): Json => ({
  name: 'echo',
  arguments: { text: `t${id}` },
  ...(meta && { _meta: meta }),
})
const saysBack = (message: Json, id: number): boolean =>
  message.id === id && message.result.content[0].text === `t${id}`
const eventsOf = ({ text }: Answer): Json[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
const fitsSteps = (answer: Answer, id: number): boolean => {
  const [first, second, last] = eventsOf(answer)
  const tokens = [first, second].map((message) => message?.params.progressToken)
  return tokens.every((token) => token === id) && saysBack(last, id)
}

const kinds: readonly Kind[] = [
  {
    ask: (id, session) => ({ body: rpc('tools/call', echo(id), id), headers: { 'Mcp-Session-Id': session } }),
    fits: ({ status, json }, id) => status === 200 && saysBack(json, id),
  },
  {
    ask: (id) => ({
      body: rpc('tools/call', echo(id, envelope), id),
      headers: mirror('tools/call', echo(id)),
    }),
    fits: ({ status, json }, id) =>
      status === 200 && saysBack(json, id) && json.result.resultType === 'complete',
  },
  {
    ask: (id) => ({
      body: rpc('tools/call', echo(id), id),
      headers: { 'MCP-Protocol-Version': '2025-06-18' },
    }),
    fits: ({ status, json }, id) => status === 200 && saysBack(json, id),
  },
  {
    ask: (id) => ({
      body: rpc('tools/call', { ...echo(id, { ...envelope, progressToken: id }), name: 'steps' }, id),
      headers: mirror('tools/call', { name: 'steps' }),
    }),
    fits: fitsSteps,
  },
  {
    ask: (id, session) => ({
      body: rpc('tools/call', { ...echo(id, { progressToken: id }), name: 'steps' }, id),
      headers: { 'Mcp-Session-Id': session },
    }),
    fits: fitsSteps,
  },
  {
    ask: (id) => ({ body: rpc('tools/call', { name: 'whoami' }, id), headers: { 'X-User': `u${id}` } }),
    fits: ({ json }, id) => json.id === id && json.result.content[0].text.includes(`{"id":"u${id}"}`),
  },
  {
    ask: (id) => ({ body: rpc('tools/call', { name: `t${id}` }, id) }),
    fits: ({ status, json, text }, id) =>
      status === 200 && json.id === id && json.error.code === -32602 && text.includes(`t${id}`),
  },
  {
    ask: (id) => ({ body: rpc('tools/call', { name: 'echo', arguments: { text: id } }, id) }),
    fits: ({ json }, id) => json.id === id && json.result.isError === true,
  },
  {
    ask: (id) => ({ body: `{"id":${id},` }),
    fits: ({ status, json }) => status === 400 && json.error.code === -32700,
  },
  {
    ask: (id) => ({ body: rpc('tools/call', { name: 'private' }, id) }),
    fits: ({ status, json }, id) => status === 401 && json.id === id,
  },
]

/** Asks `count` times, of each kind in turn; returns what was not answered right. */
async function askAll(
  url: string,
  session: string,
  { count, connections }: { count: number; connections: Connections },
) {
  const wrong: unknown[] = []
  let next = 0
  const askOn = async (): Promise<void> => {
    while (next < count) {
      const id = next++
      const kind = kinds[id % kinds.length] as Kind
      const answer = await send(url, { ...kind.ask(id, session), connections })
      if (!fits(kind, answer, id)) wrong.push([id, answer.status, answer.text])
    }
  }
  await Promise.all(Array.from({ length: atOnce }, askOn))
  return wrong
}

function fits(kind: Kind, answer: Answer, id: number): boolean {
  try {
    return kind.fits(answer, id)
  } catch {
    return false // lacks what it should have
  }
}

/** Bytes in use once everything that can go has gone. */
async function heapUsed(): Promise<number> {
  const collect = collector()
  for (let round = 0; round < 3; round++) {
    await settled()
    collect()
  }
  return process.memoryUsage().heapUsed
}

function collector(): () => void {
  const { Bun } = globalThis as { Bun?: { gc(synchronously: boolean): void } }
  if (Bun !== undefined) return () => Bun.gc(true)
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

export function manyCalls(host: Host): void {
  it('answers 10,000 mixed calls, 200 at a time, and is as large afterwards as before', async () => {
    const { url, router } = await serve(host, { login: ({ 'x-user': id }) => id && { id } })
    router.tool('steps', {
      description: 'Reports twice, then says it again',
      input: z.object({ text: z.string() }),
      handler({ text }, ctx) {
        ctx.progress(1, 2)
        ctx.progress(2, 2)
        return text
      },
    })
    const warnings: unknown[] = []
    const onWarning = (warning: unknown): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const connections = new Connections(atOnce)
    onTestFinished(() => {
      process.off('warning', onWarning)
      connections.close()
    })
    const session = String((await post(url, initialize())).headers['mcp-session-id'])
    const warm = await askAll(url, session, { count: warmUp, connections })
    expect(warm.slice(0, 5)).toEqual([])
    const growths: number[] = []
    // What leaks does so every time; what a runtime compiles or caches on the way comes once.
    while (growths.length < 3 && !growths.some((growth) => growth < mostGrowth)) {
      const before = await heapUsed()
      const wrong = await askAll(url, session, { count: calls, connections })
      expect(wrong.slice(0, 5)).toEqual([])
      growths.push((await heapUsed()) - before)
    }
    expect(Math.min(...growths)).toBeLessThan(mostGrowth)
    expect(router.stats()).toMatchObject({ running: 0, streams: 0 })
    expect(warnings).toEqual([])
  }, 120_000)
}
