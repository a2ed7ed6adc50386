/** The contract on workerd, and tests that the contract can't run across processes. */

import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { post } from '../../contract/client.js'
import { type Client, legacy, modern, rpc, stateless } from '../../contract/clients.js'
import { mountContract } from '../../contract/contract.js'
import { assertValid } from '../../contract/core/valid.js'
import { expectText } from '../../contract/expect.js'
import { type Served, serve } from '../../contract/host.js'
import { offered } from './flood.js'
import { ask, remoteHost } from './workerd/host.js'
import { bundle, type Running, startWorkerd } from './workerd/workerd.js'

let workerd: Running
let bare: Running

beforeAll(async () => {
  workerd = await startWorkerd(await bundle('worker.ts'), 8)
  bare = await startWorkerd(await bundle('bare.ts'), 1)
})
afterAll(() => Promise.all([workerd?.stop(), bare?.stop()]))

const keptOpen = 'workerd does not close a connection that it is asked to close'

const resets = 'workerd notices a connection that is merely closed when it writes next: see below'

const host = remoteHost(
  () => workerd.origins,
  [
    [/ the whole URL to the app| as a whole URL$/, keptOpen],
    [/^leaves encoded letters to the app/, keptOpen],
    [/^refuses a request without a host/, keptOpen],
    [/^answers 6 MiB .* at once/, 'workerd resets a connection whose request was answered unread'],
    [/^answers 403 to the origin ""/, 'workerd drops headers that are empty'],
    [/^answers 404 once `sessionTtlMs` is over/, 'the clock of another process goes on'],
    [
      /^aborts the handler when its client drops the stream/,
      'it needs the router in this process: see below',
    ],
    [/^aborts what runs when its client leaves/, resets],
    [/^refuses streams beyond `maxStreams`/, resets],
    [/^sends progress before the answer, and cancels/, 'a Worker ends what outlasts the answer to its POST'],
    [/^lets running calls end when the router closes/, 'it needs the router in this process'],
  ],
)

mountContract('workerd', host)

/** Sends a POST, and can break the connection so that the server notices at once. */
function breakable(
  url: string,
  body: object,
): { response: Promise<IncomingMessage>; reset(): void; leave(): void } {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const request: ClientRequest = httpRequest(url, { method: 'POST', headers, agent: false })
  const response = new Promise<IncomingMessage>((resolve) => request.on('response', resolve))
  request.on('error', () => {}).end(JSON.stringify(body))
  return {
    response,
    reset: () => void request.socket?.resetAndDestroy(),
    leave: () => void request.destroy(),
  }
}

const idle = ({ origin }: Served) =>
  vi.waitFor(async () => expect(await ask(origin, 'stats')).toMatchObject({ running: 0, streams: 0 }))

const both = 'application/json, text/event-stream'
const readings = [both, 'application/json'].flatMap((accept) => [
  ['modern', accept, modern] as const,
  ['stateless', accept, stateless] as const,
  ['legacy', accept, legacy] as const,
])

/** A call that waits to be released or aborted. */
async function waiting(make: (typeof readings)[number][2], Accept: string) {
  const { url, running, aborted, release } = await serve(host)
  const client = await make(url)
  const call = client.abandon('tools/call', { name: 'wait', arguments: {} }, { headers: { Accept } })
  return { running, aborted, release, call }
}

describe('clients of workerd that disconnect', () => {
  it.each(readings)('abort the handler of a %s call within a second (reads %s)', async (_, Accept, make) => {
    const { running, aborted, call } = await waiting(make, Accept)
    await running.opened
    const left = performance.now()
    call.leave()
    expect(await aborted.opened).toMatchObject({ name: 'AbortError' })
    expect(performance.now() - left).toBeLessThan(1_000)
  })

  it.each(readings)(
    'abort the handler of a %s call within a second after the response has started (reads %s)',
    async (_, Accept, make) => {
      const { aborted, call } = await waiting(make, Accept)
      const { body } = await call.incoming
      body.on('error', () => {})
      await once(body, 'data')
      const left = performance.now()
      call.leave()
      expect(await aborted.opened).toMatchObject({ name: 'AbortError' })
      expect(performance.now() - left).toBeLessThan(1_000)
    },
  )

  it('abort the handler before the response started, if the connection was reset', async () => {
    const served = await serve(host)
    const call = breakable(served.url, rpc('tools/call', { name: 'wait', arguments: {} }))
    await served.running.opened
    call.reset()
    expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
  })

  it.each(['reset', 'leave'] as const)(
    'abort the handler of a stream: %s',
    async (how) => {
      const served = await serve(host)
      const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
      const call = breakable(served.url, rpc('tools/call', params))
      const response = await call.response
      response.on('error', () => {})
      const [chunk] = await once(response, 'data')
      expect(String(chunk)).toContain('notifications/progress')
      call[how]()
      expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
    },
    // All streams send keep-alive comments every 15 seconds.
    10_000,
  )
})

describe('clients of workerd that accept only JSON', () => {
  it.each([
    ['modern', '2026-07-28', modern],
    ['stateless', '2025-03-26', stateless],
    ['legacy', '2025-11-25', legacy],
  ] as const)('get the answer of a %s call after white space', async (_, version, make) => {
    const { release, call } = await waiting(make, 'application/json')
    const { status, headers, body } = await call.incoming
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    })
    const [begun] = await once(body, 'data')
    expect(String(begun)).toMatch(/^ +$/)
    release.open()
    const message = JSON.parse(begun + (await text(body)))
    assertValid(version, 'tools/call', message)
    expect(message).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'released' }] } })
  })
})

describe('slow readers of workerd', () => {
  it('miss notifications that would pile up, and get the rest and the result', async () => {
    const served = await serve(host)
    const params = { name: 'flood', arguments: {}, _meta: { progressToken: 'p' } }
    const stream = await modern(served.url).open('tools/call', params)
    await vi.waitFor(
      async () => expect(await ask(served.origin, 'stats')).toMatchObject({ running: 0 }),
      5_000,
    )
    const messages = await stream.rest()
    const taken = Number(messages.pop().result.content[0].text)
    expect(taken).toBeLessThan(offered / 2)
    expect(messages).toHaveLength(taken)
    const steps = messages.map((message) => message.params.progress)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    await idle(served)
  })
})

it('serves 10,000 calls of every era on workerd, 200 at a time', async () => {
  const served = await serve(host)
  const clients: Client[] = [await legacy(served.url), modern(served.url), stateless(served.url)]
  const wrong: string[] = []
  let next = 0
  const askOn = async (): Promise<void> => {
    while (next < 10_000) {
      const id = next++
      const answer = await (clients[id % clients.length] as Client).call('echo', { text: `t${id}` }, { id })
      if (expectText(answer, id) !== `t${id}`) wrong.push(answer.text)
    }
  }
  await Promise.all(Array.from({ length: 200 }, askOn))
  expect(wrong).toEqual([])
  expect(await ask(served.origin, 'stats')).toMatchObject({ running: 0, streams: 0, errors: 0 })
}, 60_000)

describe('a Worker that exports the handler', () => {
  const call = { name: 'greet', arguments: { name: 'Ann' } }

  it('serves a router defined before the first request, with sessions and without', async () => {
    const url = `${bare.origins[0]}/mcp`
    for (const client of [await legacy(url), modern(url), stateless(url)])
      expect(expectText(await client.request('tools/call', call))).toMatch(/^Hello Ann/)
    expect((await legacy(url)).sessionId).toBeDefined()
  })

  it("doesn't treat bindings as a caller", async () => {
    expect(expectText(await post(`${bare.origins[0]}/mcp`, rpc('tools/call', call)))).toBe(
      'Hello Ann, whoever you are',
    )
  })
})
