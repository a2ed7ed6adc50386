/** Responses that start before their result is known (`HttpRequest.beginAfterMs`). */

import { McpRouter } from 'mcp-router'
import {
  fromHttpRefusal,
  HttpHandler,
  type HttpRequest,
  type HttpResponse,
  isPieces,
} from 'mcp-router/adapter'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { envelope, initialize, mirror, rpc } from '../../contract/clients.js'
import { addFixtures, latch } from '../../contract/fixtures.js'
import { quiet } from '../../contract/host.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const beginAfterMs = 200
const json = 'application/json'
const both = 'application/json, text/event-stream'

/** Checks that refuse a caller before any handler runs. */
const challenge = { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } }
const refusal = fromHttpRefusal({ status: 401, headers: { 'www-authenticate': 'Bearer' }, body: '' })

type Headers = Record<string, string | undefined>

function toRequest(body: object, headers: Headers): HttpRequest {
  const all: Headers = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const nothing = { ip: undefined, raw: undefined, peerAddress: '127.0.0.1', trustsProxy: false } as const
  return {
    ...nothing,
    method: 'POST',
    url: '/mcp',
    headers: {},
    header: (name) => all[name],
    endpoint: 'main',
    host: 'localhost',
    beginAfterMs,
    readBody: () => ({ kind: 'parsed', value: body }),
    onClose: () => {},
  }
}

function app({ server = {}, options = {} }: { server?: object; options?: object } = {}) {
  const router = new McpRouter<object>({ name: 'early', version: '1.0.0', logger: quiet, ...server })
  const fixtures = addFixtures(router)
  const http = new HttpHandler(router, options, () => undefined)
  const ask = async (body: object, headers: Headers = {}): Promise<HttpResponse> =>
    http.handle(toRequest(body, { accept: json, 'content-type': json, ...headers }))
  return { ...fixtures, router, ask }
}

type Ask = ReturnType<typeof app>['ask']
type Call = (name: string, headers?: Headers) => Promise<HttpResponse>

/** A tool call by each kind of client. */
const callers: Readonly<Record<string, (ask: Ask) => Call | Promise<Call>>> = {
  modern: (ask) => (name, headers) => {
    const params = { name, arguments: {}, _meta: envelope }
    return ask(rpc('tools/call', params), { ...mirror('tools/call', params), ...headers })
  },
  stateless: (ask) => (name, headers) => ask(rpc('tools/call', { name, arguments: {} }), headers),
  legacy: async (ask) => {
    const opened = await ask(initialize())
    const own = { 'Mcp-Session-Id': opened.headers['Mcp-Session-Id'], 'MCP-Protocol-Version': '2025-11-25' }
    return (name, headers) => ask(rpc('tools/call', { name, arguments: {} }), { ...own, ...headers })
  },
}
const kinds = Object.keys(callers)
const caller = (kind: string, ask: Ask): Call | Promise<Call> =>
  (callers[kind] as (ask: Ask) => Call | Promise<Call>)(ask)

async function textOf({ body }: HttpResponse): Promise<string> {
  if (!isPieces(body)) return String(body)
  let text = ''
  for await (const piece of body) text += piece
  return text
}

const late = { status: 200, headers: { 'Content-Type': json, 'Cache-Control': 'no-cache, no-transform' } }

describe('a JSON response that starts before its result is known', () => {
  it.each(kinds)('is one JSON text after white space, for a %s client', async (kind) => {
    const { ask, release, router } = app()
    const answer = (await caller(kind, ask))('wait')
    await vi.advanceTimersByTimeAsync(beginAfterMs)
    const response = await answer
    expect(response).toMatchObject(late)
    expect(router.stats().streams).toBe(1)
    const text = textOf(response)
    // The regular keep-alive filler.
    await vi.advanceTimersByTimeAsync(20_000)
    release.open()
    expect(await text).toMatch(/^ \{/)
    expect(JSON.parse(await text)).toMatchObject({ id: 1, result: { content: [{ text: 'released' }] } })
    expect(router.stats()).toMatchObject({ running: 0, streams: 0 })
  })

  it.each(kinds)('reports an error in the body, with status 200, to a %s client', async (kind) => {
    const { ask, release, router } = app()
    router.tool('fails', {
      description: 'x',
      async handler() {
        await release.opened
        throw refusal
      },
    })
    const answer = (await caller(kind, ask))('fails')
    await vi.advanceTimersByTimeAsync(beginAfterMs)
    const response = await answer
    release.open()
    expect(response).toMatchObject(late)
    expect(JSON.parse(await textOf(response))).toMatchObject({
      id: 1,
      error: { code: -31001, message: 'Sign in to use this' },
    })
  })

  it('is an array for a batch', async () => {
    const { ask, release } = app()
    const one = rpc('tools/call', { name: 'wait', arguments: {} }, 'a')
    const answer = ask([one, { ...rpc('ping'), id: 'b' }], { 'mcp-protocol-version': '2025-03-26' })
    await vi.advanceTimersByTimeAsync(beginAfterMs)
    const response = await answer
    release.open()
    expect(JSON.parse(await textOf(response)).map((message: { id: string }) => message.id)).toEqual([
      'a',
      'b',
    ])
  })

  it('is empty if the call was cancelled', async () => {
    const { ask, running } = app()
    const opened = await ask(initialize())
    const session = { 'Mcp-Session-Id': opened.headers['Mcp-Session-Id'] }
    const answer = ask(rpc('tools/call', { name: 'wait', arguments: {} }), session)
    await running.opened
    await vi.advanceTimersByTimeAsync(beginAfterMs)
    const response = await answer
    await ask({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, session)
    expect(await textOf(response)).toBe('')
  })

  it('aborts the handler when the client disconnects', async () => {
    const { ask, aborted, router } = app()
    const answer = ask(rpc('tools/call', { name: 'wait', arguments: {} }))
    await vi.advanceTimersByTimeAsync(beginAfterMs)
    const { body } = await answer
    if (isPieces(body)) body.leave()
    expect(await aborted.opened).toMatchObject({ name: 'AbortError' })
    await vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }))
  })
})

it('starts as an event stream for clients that accept one', async () => {
  const { ask, release } = app()
  const answer = ask(rpc('tools/call', { name: 'wait', arguments: {} }), { accept: both })
  await vi.advanceTimersByTimeAsync(beginAfterMs)
  const response = await answer
  release.open()
  expect(response).toMatchObject({ status: 200, headers: { 'Content-Type': 'text/event-stream' } })
  expect(await textOf(response)).toMatch(/^event: message\ndata: \{.*\}\n\n$/)
})

describe.each([json, both])('a response never starts before its result is known (%s)', (accept) => {
  it('if its handler is fast', async () => {
    const { ask, router } = app()
    const response = await ask(rpc('tools/call', { name: 'echo', arguments: { text: 'a' } }), { accept })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isPieces(response.body)).toBe(false)
    expect(router.stats().streams).toBe(0)
  })

  it('while the login runs', async () => {
    const found = latch<undefined>()
    const { ask } = app({ options: { user: () => found.opened } })
    const answer = ask(rpc('tools/call', { name: 'private', arguments: {} }), { accept })
    await vi.advanceTimersByTimeAsync(10_000)
    found.open(undefined)
    expect(await answer).toMatchObject(challenge)
  })

  it('while middleware runs, which may refuse the caller', async () => {
    const { ask, router, release } = app()
    router.use(async () => {
      await release.opened
      throw refusal
    })
    const answer = ask(rpc('tools/call', { name: 'echo', arguments: { text: 'a' } }), { accept })
    await vi.advanceTimersByTimeAsync(10_000)
    release.open()
    expect(await answer).toMatchObject(challenge)
  })

  it('if it creates a session, whose id is a header', async () => {
    const found = latch<undefined>()
    const { ask } = app({ options: { user: () => found.opened } })
    const answer = ask(initialize(), { accept })
    await vi.advanceTimersByTimeAsync(10_000)
    found.open(undefined)
    expect((await answer).headers).toHaveProperty('Mcp-Session-Id')
  })

  it('if middleware has responded and runs the handler later', async () => {
    const { ask, router, release, running } = app()
    router.use(async (_, next) => {
      void release.opened.then(next)
      return 'from a cache'
    })
    const response = await ask(rpc('tools/call', { name: 'wait', arguments: {} }), { accept })
    release.open()
    await running.opened
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isPieces(response.body)).toBe(false)
    expect(router.stats().streams).toBe(0)
  })
})
