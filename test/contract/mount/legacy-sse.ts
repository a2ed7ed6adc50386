/** The 2024-11-05 transport: a stream that begins with the address to post to, and carries every answer. */

import { expect, it, vi } from 'vitest'
import { type Headers, type Json, open, post, type Stream, send } from '../client.js'
import { initialize, rpc } from '../clients.js'
import { assertValid } from '../core/valid.js'
import { expectError } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, type Served, serve } from '../host.js'

const on = { legacySse: true }
const capabilities = { roots: {} }
/** Asks its client, and ends with the answer. */
const asking = (served: Served): unknown =>
  served.router.tool('ask', {
    description: 'Asks for the roots',
    handler: async (_, ctx) => `${(await ctx.roots()).length} roots`,
  })
const answerTo = (id: unknown) => ({ jsonrpc: '2.0', id, result: { roots: [] } })
const cancel = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})
const login = ({ 'x-user': id }: Headers): unknown => (id === undefined ? undefined : { id })
const quiet = ({ router }: Served) =>
  vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })

interface Connected {
  readonly stream: Stream
  readonly endpoint: string
  /** Posts, and reads the next message of the stream. */
  ask(method: string, params?: object, id?: unknown): Promise<Json>
}

async function connect(
  { origin, url }: Served,
  headers: Headers = {},
  at = `${url}/sse`,
): Promise<Connected> {
  const stream = await open(at, { method: 'GET', headers })
  const event = await stream.nextEvent()
  if (event?.event !== 'endpoint') throw new Error(`expected the endpoint, got ${JSON.stringify(event)}`)
  const endpoint = origin + event.data
  return {
    stream,
    endpoint,
    async ask(method, params, id = 1) {
      const answer = await post(endpoint, rpc(method, params, id), headers)
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: '' })
      const message = await stream.next()
      if (message?.method === undefined) assertValid('2024-11-05', method, message)
      return message
    },
  }
}

async function connected(served: Served, headers?: Headers): Promise<Connected> {
  const client = await connect(served, headers)
  const opened = await client.ask('initialize', initialize({ version: '2024-11-05' }).params)
  expect(opened.result.protocolVersion).toBe('2024-11-05')
  return client
}

export function legacySse(host: Host): void {
  it('is off unless asked for', async () => {
    const { url } = await serve(host)
    expect((await send(`${url}/sse`, { method: 'GET' })).status).toBe(404)
    expect((await send(`${url}/message`, { body: rpc('ping') })).status).toBe(404)
  })

  it('says where to post, takes messages with 202, and answers on the stream', async () => {
    const served = await serve(host, { options: on })
    const client = await connected(served)
    expect(client.stream.status).toBe(200)
    expect(client.stream.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(client.endpoint).toMatch(/\/mcp\/message\?sessionId=[\w-]{20,}$/)
    expect(await client.ask('ping', undefined, 'p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
    const { result } = await client.ask('tools/call', { name: 'whoami', arguments: {} })
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      protocolVersion: '2024-11-05',
      client: { name: 'contract' },
    })
    expect((await client.ask('nonsense')).error.code).toBe(-32601)
  })

  it('says it with a whole URL where that is asked for', async () => {
    const served = await serve(host, { options: { legacySse: { absolute: true } } })
    const endpointAt = async (at: string): Promise<string> => {
      const stream = await open(at, { method: 'GET' })
      return String((await stream.nextEvent())?.data)
    }
    const endpoint = await endpointAt(`${served.url}/sse`)
    expect(endpoint).toMatch(/^https?:\/\//)
    expect(new URL(endpoint).host).toBe(new URL(served.url).host)
    expect((await post(endpoint, rpc('ping'))).status).toBe(202)

    const publicUrl = 'https://api.example.com/v1/mcp/'
    const behind = await serve(host, { options: { legacySse: { absolute: true }, publicUrl } })
    expect(await endpointAt(`${behind.url}/sse`)).toMatch(
      /^https:\/\/api\.example\.com\/v1\/mcp\/message\?sessionId=/,
    )
    const legacySse = { sse: '/old/sse', message: '/old/message', absolute: true }
    const own = await serve(host, { options: { legacySse, publicUrl } })
    expect(await endpointAt(`${own.origin}/old/sse`)).toMatch(
      /^https:\/\/api\.example\.com\/old\/message\?sessionId=/,
    )
  })

  it('sends progress before the answer, and cancels', async () => {
    const served = await serve(host, { options: on })
    const client = await connected(served)
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    expect(await client.ask('tools/call', params, 7)).toMatchObject({ params: { progress: 1 } })
    const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
    expect((await post(client.endpoint, note)).status).toBe(202)
    expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
    expect(await client.ask('ping', undefined, 8)).toMatchObject({ id: 8 })
  })

  it('tells of changes and of subscribed resources', async () => {
    const served = await serve(host, { options: on })
    const client = await connect(served)
    const opened = await client.ask('initialize', initialize({ version: '2024-11-05' }).params)
    expect(opened.result.capabilities.resources).toEqual({ subscribe: true, listChanged: true })
    await client.ask('resources/subscribe', { uri: 'config://app' })
    await served.router.notify.resourceUpdated('config://other')
    await served.router.notify.resourceUpdated('config://app')
    expect((await client.stream.next()).params).toEqual({ uri: 'config://app' })
    await client.ask('resources/unsubscribe', { uri: 'config://app' })
    await served.router.notify.resourceUpdated('config://app')
    await served.router.notify.toolsChanged()
    expect((await client.stream.next()).method).toBe('notifications/tools/list_changed')
  })

  it('keeps the log level of a connection', async () => {
    const served = await serve(host, { options: on })
    const client = await connected(served)
    await client.ask('logging/setLevel', { level: 'debug' })
    const messages = [
      await client.ask('tools/call', { name: 'log', arguments: {} }),
      await client.stream.next(),
    ]
    expect(messages.map(({ params }) => params.level)).toEqual(['debug', 'warning'])
  })

  it('belongs to whoever opened it', async () => {
    const warnings: string[] = []
    const logger = { info() {}, error() {}, warn: (message: string) => warnings.push(message) }
    const served = await serve(host, { options: on, login, server: { logger } })
    const ann = await connected(served, { 'X-User': 'ann' })
    for (const headers of [{ 'X-User': 'bob' }, {}]) {
      expectError(await post(ann.endpoint, rpc('ping'), headers), 403, -31003)
    }
    expect(warnings.filter((message) => message.includes('another caller'))).toHaveLength(2)
    const { result } = await ann.ask('tools/call', { name: 'whoami', arguments: {} })
    expect(JSON.parse(result.content[0].text).user).toEqual({ id: 'ann' })
    const nobody = await connected(served)
    expectError(await post(nobody.endpoint, rpc('ping'), { 'X-User': 'ann' }), 403, -31003)
  })

  it('is not opened for a caller whom it cannot be bound to, nor for nobody where a user is wanted', async () => {
    const nameless = await serve(host, { options: on, login: () => ({ name: 'nameless' }) })
    const refused = await send(`${nameless.url}/sse`, { method: 'GET' })
    expectError(refused, 403, -31003)
    expect(refused.json.error.message).toContain('userId')
    const strict = await serve(host, { options: on, server: { requireUser: true } })
    expectError(await send(`${strict.url}/sse`, { method: 'GET' }), 401, -31001)
  })

  it('answers 404 to messages without a stream, and 4xx to what is no message', async () => {
    const served = await serve(host, { options: on })
    for (const query of ['', '?sessionId=', '?sessionId=unknown']) {
      expectError(await send(`${served.url}/message${query}`, { body: rpc('ping') }), 404, -32001)
    }
    const client = await connected(served)
    expectError(await send(client.endpoint, { body: '{' }), 400, -32700)
    const typed = { body: rpc('ping'), headers: { 'Content-Type': 'text/plain' } }
    expectError(await send(client.endpoint, typed), 415, -32600)
    client.stream.leave()
    await quiet(served)
    expectError(await send(client.endpoint, { body: rpc('ping') }), 404, -32001)
  })

  it('answers 405 with Allow to other methods', async () => {
    const { url } = await serve(host, { options: on })
    for (const [path, method, allow] of [
      ['/sse', 'POST', 'GET'],
      ['/message', 'GET', 'POST'],
    ] as const) {
      const answer = await send(url + path, { method })
      expectError(answer, 405, -32600)
      expect(answer.headers.allow).toBe(allow)
    }
  })

  it('keeps foreign pages away, and lets allowed ones in', async () => {
    const served = await serve(host, { options: { ...on, cors: ['https://app.example.com'] } })
    const foreign = { Origin: 'https://evil.example' }
    expectError(await send(`${served.url}/sse`, { method: 'GET', headers: foreign }), 403, -32600)
    const client = await connected(served)
    expectError(await post(client.endpoint, rpc('ping'), foreign), 403, -32600)
    const own = { Origin: 'https://app.example.com' }
    const stream = await open(`${served.url}/sse`, { method: 'GET', headers: own })
    expect(stream.headers['access-control-allow-origin']).toBe(own.Origin)
    const preflight = await send(client.endpoint, {
      method: 'OPTIONS',
      headers: { ...own, 'Access-Control-Request-Method': 'POST' },
    })
    expect(preflight.status).toBe(204)
  })

  it('is served where the app wants it', async () => {
    const served = await serve(host, { options: { legacySse: { sse: '/events', message: '/messages' } } })
    const client = await connect(served, {}, `${served.origin}/events`)
    expect(client.endpoint).toMatch(/:\d+\/messages\?sessionId=/)
    expect(await client.ask('ping')).toMatchObject({ result: {} })
    expect((await send(`${served.url}/sse`, { method: 'GET' })).status).toBe(404)
  })

  it('aborts what runs when its client leaves', async () => {
    const served = await serve(host, { options: on })
    const client = await connected(served)
    const call = rpc('tools/call', { name: 'wait', arguments: {} })
    expect((await post(client.endpoint, call)).status).toBe(202)
    await served.running.opened
    client.stream.leave()
    expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
    await quiet(served)
  })

  it('runs nothing for a client that left while its login was at work', async () => {
    const [asked, found] = [latch(), latch<unknown>()]
    const ran: string[] = []
    let slow = false
    const user = (): unknown => {
      if (!slow) return { id: 1 }
      asked.open()
      return found.opened
    }
    const served = await serve(host, { options: { ...on, user } })
    served.router.tool('act', { description: 'x', handler: () => `ran ${ran.push('handler')}` })
    const client = await connected(served)
    slow = true
    const posted = post(client.endpoint, rpc('tools/call', { name: 'act', arguments: {} }))
    await asked.opened
    client.stream.leave()
    await vi.waitFor(() => expect(served.router.stats().streams).toBe(0), { interval: 2 })
    found.open({ id: 1 })
    expect((await posted).status).toBe(202)
    await quiet(served)
    expect(ran).toEqual([])
  })

  it('lets nobody in who comes while the router closes', async () => {
    const served = await serve(host, { options: on })
    const client = await connected(served)
    await post(client.endpoint, rpc('tools/call', { name: 'wait', arguments: {} }, 5))
    await served.running.opened
    const closed = served.router.close({ drainMs: 60_000 })
    const refused = await send(`${served.url}/sse`, { method: 'GET' })
    expectError(refused, 503, -32603)
    expect(refused.headers['retry-after']).toBeDefined()
    served.release.open()
    await closed
  })

  it('answers a batch as one, and closes no stream that its client could not come back to', async () => {
    const served = await serve(host, { options: on })
    served.router.tool('pause', { description: 'x', handler: (_, ctx) => String(ctx.closeStream()) })
    const client = await connect(served)
    await client.ask('initialize', initialize({ version: '2025-03-26' }).params)
    const calls = [rpc('tools/call', { name: 'pause', arguments: {} }, 1), rpc('ping', undefined, 2)]
    expect((await post(client.endpoint, calls)).status).toBe(202)
    const answers: Json[] = await client.stream.next()
    expect(answers).toMatchObject([
      { id: 1, result: { content: [{ text: 'false' }] } },
      { id: 2, result: {} },
    ])
  })

  it('lets running calls end when the router closes, then ends', async () => {
    const served = await serve(host, { options: on })
    const [busy, idle] = [await connected(served), await connected(served)]
    await post(busy.endpoint, rpc('tools/call', { name: 'wait', arguments: {} }, 5))
    await served.running.opened
    const closed = served.router.close({ drainMs: 60_000 })
    expect(await idle.stream.rest()).toEqual([])
    expect((await post(busy.endpoint, rpc('ping'))).status).toBe(503)
    served.release.open()
    expect(await busy.stream.rest()).toMatchObject([{ id: 5, result: { content: [{ text: 'released' }] } }])
    await closed
  })

  it('is among the streams that `maxStreams` bounds, and bounds what runs on one', async () => {
    const served = await serve(host, { options: { ...on, maxStreams: 1 } })
    const client = await connected(served)
    expect((await send(`${served.url}/sse`, { method: 'GET' })).status).toBe(503)
    const statuses: number[] = []
    for (let id = 0; id <= 100; id++) {
      const call = rpc('tools/call', { name: 'wait', arguments: {} }, id)
      statuses.push((await post(client.endpoint, call)).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 100 }, () => 202), 503])
  })

  it('takes answers and cancellations however many calls run, so that calls that ask their client can end', async () => {
    const served = await serve(host, { options: on })
    asking(served)
    const client = await connect(served)
    await client.ask('initialize', initialize({ version: '2025-03-26', capabilities }).params)
    const call = (id: number) => rpc('tools/call', { name: 'ask', arguments: {} }, id)
    for (let id = 0; id < 100; id++) expect((await post(client.endpoint, call(id))).status).toBe(202)
    const asked: Json[] = []
    while (asked.length < 100) asked.push((await client.stream.next()).id)
    expect((await post(client.endpoint, call(100))).status).toBe(503)
    expect((await post(client.endpoint, cancel(0))).status).toBe(202)
    await vi.waitFor(() => expect(served.router.stats().running).toBe(99), { interval: 2 })
    expect((await post(client.endpoint, call(101))).status).toBe(202)
    asked.push((await client.stream.next()).id)
    // The request of a batch is refused, the answer beside it is not.
    const mixed = [answerTo(asked[1]), call(102)]
    expect((await post(client.endpoint, mixed)).status).toBe(503)
    expect((await client.stream.next()).id).toBe(1)
    expect((await post(client.endpoint, asked.slice(2, 51).map(answerTo))).status).toBe(202)
    for (const id of asked.slice(51)) expect((await post(client.endpoint, answerTo(id))).status).toBe(202)
    const ended: Json[] = []
    while (ended.length < 99) ended.push(await client.stream.next())
    expect(ended.map(({ id }) => id)).toEqual(expect.arrayContaining([2, 50, 51, 99, 101]))
    for (const { result } of ended) expect(result.content[0].text).toBe('0 roots')
  })

  it('counts the requests of a batch one by one', async () => {
    const served = await serve(host, { options: on })
    const client = await connect(served)
    await client.ask('initialize', initialize({ version: '2025-03-26' }).params)
    const calls = Array.from({ length: 100 }, (_, id) =>
      rpc('tools/call', { name: 'wait', arguments: {} }, id),
    )
    expect((await post(client.endpoint, calls)).status).toBe(202)
    await served.running.opened
    expect((await post(client.endpoint, rpc('ping', undefined, 'p'))).status).toBe(503)
  })

  it('takes answers and cancellations while the router closes', async () => {
    const served = await serve(host, { options: on })
    asking(served)
    const client = await connect(served)
    await client.ask('initialize', initialize({ version: '2025-11-25', capabilities }).params)
    await post(client.endpoint, rpc('tools/call', { name: 'ask', arguments: {} }, 5))
    await post(client.endpoint, rpc('tools/call', { name: 'wait', arguments: {} }, 6))
    const { id } = await client.stream.next()
    await served.running.opened
    const closed = served.router.close({ drainMs: 60_000 })
    expect((await post(client.endpoint, cancel(6))).status).toBe(202)
    expect((await post(client.endpoint, answerTo(id))).status).toBe(202)
    expect(await client.stream.rest()).toMatchObject([{ id: 5, result: { content: [{ text: '0 roots' }] } }])
    await closed
  })
}
