/** What clients do, each in one visit: some behave, some leave, stall, lie or come back. A visit throws for a wrong answer. */

import { connect } from 'node:net'
import { type Answer, open, post, raw, send } from '../contract/client.js'
import {
  type Client,
  envelope,
  initialize,
  legacy,
  mirror,
  modern,
  rpc,
  stateless,
} from '../contract/clients.js'
import { answerMs } from './limits.js'

export type Visit = (url: string) => Promise<void>

/** The visitor itself was too late for what it was asked, as on a machine that is busy; it was told so. */
export class TooLate extends Error {}

/** Since before it asked for anything: the server can only have begun to wait later. */
const isLate = (since: number): boolean => performance.now() - since >= answerMs

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const some = (most: number): number => Math.floor(Math.random() * most)
const pick = <T>(...of: readonly T[]): T => of[some(of.length)] as T

function expectThat(is: boolean, what: string, answer: unknown): void {
  if (!is) throw new Error(`${what}, got ${JSON.stringify(answer)?.slice(0, 500)}`)
}

function expectText({ json }: Answer, text: string): void {
  expectThat(json?.result?.content?.[0]?.text === text, `expected the text ${text}`, json)
}

async function anyone(url: string): Promise<Client> {
  const era = pick('modern', 'stateless', 'legacy')
  if (era === 'legacy') return legacy(url)
  return era === 'modern' ? modern(url) : stateless(url, '2025-11-25')
}

export const visits: Readonly<Record<string, Visit>> = {
  async behaves(url) {
    const client = await anyone(url)
    const [a, b] = [some(100), some(100)]
    expectText(await client.call('add', { a, b }), String(a + b))
    const { json } = await client.request('tools/list')
    expectThat(json.result.tools.length === 6, 'expected six tools', json)
  },

  async 'reads a stream'(url) {
    const client = await anyone(url)
    const params = { name: 'wait', arguments: { ms: some(100) }, _meta: { progressToken: 'p' } }
    const messages = await (await client.open('tools/call', params)).rest()
    expectThat(
      messages.at(-1)?.result?.content[0].text === 'waited',
      'expected the answer at the end',
      messages,
    )
  },

  async 'meets a crash'(url) {
    const { json } = await (await anyone(url)).call('crash', { how: pick('throw', 'reject', 'odd', 'later') })
    expectThat(json?.result?.isError === true, 'expected an error of the tool', json)
  },

  async 'leaves while it waits'(url) {
    const client = await anyone(url)
    const call = client.abandon('tools/call', { name: 'wait', arguments: { ms: 500 } })
    await pause(some(50))
    call.leave()
  },

  async 'leaves a stream'(url) {
    const client = await anyone(url)
    const params = { name: 'wait', arguments: { ms: 500 }, _meta: { progressToken: 'p' } }
    const stream = await client.open('tools/call', params)
    await stream.next()
    stream.leave()
  },

  async cancels(url) {
    const client = await legacy(url)
    const answer = client.request('tools/call', { name: 'wait', arguments: { ms: 300 } }, { id: 'c' })
    await pause(some(40))
    await client.notify('notifications/cancelled', { requestId: 'c' })
    await answer
  },

  async 'stalls in its request'(url) {
    const { hostname, port, host } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"jsonrpc"`,
    )
    await pause(100 + some(400))
    socket.destroy()
  },

  async 'stalls in its answer'(url) {
    const { hostname, port, host } = new URL(url)
    const body = JSON.stringify(rpc('tools/call', { name: 'large', arguments: {}, _meta: { ...envelope } }))
    const headers = Object.entries(mirror('tools/call', { name: 'large' })).map(
      ([name, value]) => `${name}: ${value}`,
    )
    const own = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']
    const head = [`POST /mcp HTTP/1.1`, `Host: ${host}`, ...own, ...headers, `Content-Length: ${body.length}`]
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    for (let times = 0; times < 20; times++) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    await pause(100 + some(400))
    socket.destroy()
  },

  async 'lies about itself'(url) {
    const lie = pick(
      () => modern(url).request('tools/list', {}, { headers: { 'Mcp-Method': 'ping' } }),
      () =>
        modern(url, { meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }).request(
          'tools/list',
        ),
      () => stateless(url, '2025-11-25', { 'Mcp-Session-Id': 'A'.repeat(100) }).request('tools/list'),
      () => stateless(url, '2025-11-25', { Origin: 'https://evil.example' }).request('tools/list'),
      () => modern(url).call('add', { a: 1 }),
      () => modern(url).call('__proto__', {}),
      () => post(url, '{"jsonrpc":"2.0","id":1,'),
      () => post(url, '['.repeat(5_000)),
      () => post(url, [rpc('ping'), rpc('ping')], { 'MCP-Protocol-Version': '2025-11-25' }),
      () => post(url, rpc('tools/list', []), { 'Content-Type': 'text/plain' }),
      () => post(url, { jsonrpc: '2.0', id: 1, result: {} }),
      () => send(url, { method: 'PUT' }),
    )
    const { status, json } = await lie()
    const refused = status >= 400 && status < 500
    expectThat(
      refused || json?.error !== undefined || json?.result?.isError === true || status === 202,
      'expected a refusal',
      { status, json },
    )
  },

  async 'lies about its length'(url) {
    const head = `POST /mcp HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Type: application/json\r\nConnection: close\r\n`
    await raw(url, `${head}Content-Length: 3\r\n\r\n{"jsonrpc":"2.0"}\r\n\r\n`).catch(() => {})
    await raw(url, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`).catch(() => {})
  },

  async 'listens and comes back'(url) {
    const client = await legacy(url)
    for (let times = 0; times < 3; times++) {
      const stream = await client.listen()
      expectThat(stream.status === 200, 'expected a stream', stream.status)
      expectText(await client.call('tell'), 'told')
      await stream.next()
      stream.leave()
    }
    await send(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.sessionId } })
    const { status } = await client.request('ping')
    expectThat(status === 404, 'expected that the session is gone', status)
  },

  async subscribes(url) {
    const stream = await modern(url).open('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    })
    await stream.next()
    expectText(await modern(url).call('tell'), 'told')
    expectThat(
      (await stream.next())?.method === 'notifications/tools/list_changed',
      'expected the notice',
      undefined,
    )
    stream.leave()
  },

  async 'is asked'(url) {
    const client = await legacy(url, { capabilities: { elicitation: {} } })
    const began = performance.now()
    const stream = await client.open('tools/call', { name: 'ask', arguments: {} }, { id: 'a' })
    const { id } = await stream.next()
    const content = { name: 'Ana' }
    const given = await post(
      url,
      { jsonrpc: '2.0', id, result: { action: 'accept', content } },
      { 'Mcp-Session-Id': client.sessionId },
    )
    const taken = given.status === 202
    expectThat(taken || isLate(began), 'expected that the answer is taken', given.json)
    const last = (await stream.rest()).at(-1)
    if (!taken) {
      expectThat(last?.result?.isError === true, 'expected that the call ends without its answer', last)
      throw new TooLate()
    }
    expectThat(last?.result?.content[0].text === 'Ana', 'expected the answer', last)
  },

  async 'is asked in rounds'(url) {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const client = modern(url, { meta })
    const began = performance.now()
    const { json } = await client.call('ask', {})
    const { requestState, inputRequests } = json.result
    const answers = Object.keys(inputRequests).map((key) => [
      key,
      { action: 'accept', content: { name: 'Ana' } },
    ])
    const inputResponses = Object.fromEntries(answers)
    const again = { name: 'ask', arguments: {}, requestState, inputResponses }
    const answer = await client.request('tools/call', again)
    if (answer.json?.error?.code === -32602 && isLate(began)) throw new TooLate()
    expectText(answer, 'Ana')
  },

  async 'is asked and leaves'(url) {
    const client = await legacy(url, { capabilities: { elicitation: {} } })
    const stream = await client.open('tools/call', { name: 'ask', arguments: {} }, { id: 'a' })
    await stream.next()
    stream.leave()
  },

  async 'opens sessions and forgets them'(url) {
    for (let times = 0; times < 10; times++) await post(url, initialize())
    const stream = await open(url, { method: 'GET', headers: { Accept: 'text/event-stream' } })
    stream.leave()
  },
}
