/** Features of handlers of web requests: information passed with the request, paths, bodies and streams. */

import { McpRouter } from 'mcp-router'
import { type FetchHandler, mcp } from 'mcp-router/fetch'
import { describe, expect, it, vi } from 'vitest'
import { addFixtures } from '../../contract/fixtures.js'
import { quiet } from '../../contract/host.js'

const rpc = (name: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: {}, ...params },
})
const call = rpc('whoami')

function toRequest(
  body: unknown,
  { url = 'http://localhost/mcp', ...init }: RequestInit & { url?: string } = {},
) {
  const headers = { 'Content-Type': 'application/json', ...(init.headers as object) }
  return new Request(url, { method: 'POST', body: JSON.stringify(body), ...init, headers })
}

function app(options: object = {}) {
  const router = new McpRouter<object>({ name: 'web', version: '1.0.0', logger: quiet })
  const fixtures = addFixtures(router)
  return { ...fixtures, router, handler: mcp(router, options) as FetchHandler<object> }
}

/** The context that the handler of `whoami` got. */
async function seen(response: Response) {
  const { result } = (await response.json()) as { result: { content: { text: string }[] } }
  return JSON.parse(result.content[0]?.text ?? '')
}

describe('the second argument', () => {
  it('has the caller, who overrides the mount option', async () => {
    const { handler } = app({ user: () => 'from the option' })
    expect((await seen(await handler(toRequest(call), { user: 'ann' }))).user).toBe('ann')
    expect((await seen(await handler(toRequest(call)))).user).toBe('from the option')
  })

  it('may say that the caller is anonymous', async () => {
    const { handler } = app({ user: () => 'from the option' })
    expect(await seen(await handler(toRequest(call), { user: undefined }))).not.toHaveProperty('user')
  })

  it('has the context, which overrides the mount option', async () => {
    const router = new McpRouter<{ user: unknown; db: string }>({ logger: quiet })
    router.tool('db', { description: 'd', handler: (_, ctx) => `"${ctx.db}"` })
    const handler = mcp(router, { context: () => ({ db: 'of the mount' }) })
    expect(await seen(await handler(toRequest(rpc('db')), { context: { db: 'of the call' } }))).toBe(
      'of the call',
    )
    expect(await seen(await handler(toRequest(rpc('db'))))).toBe('of the mount')
  })

  it.each<[string, object, string | undefined]>([
    ['as it is given', { peerAddress: '192.0.2.1' }, '192.0.2.1'],
    ['as Deno tells it', { remoteAddr: { transport: 'tcp', hostname: '192.0.2.2', port: 1 } }, '192.0.2.2'],
    ['as Bun tells it', { requestIP: () => ({ address: '192.0.2.3' }) }, '192.0.2.3'],
    ['unless a proxy is known', { peerAddress: '192.0.2.1', ip: '203.0.113.9' }, '203.0.113.9'],
    ['and nobody where it is a Unix socket', { remoteAddr: { transport: 'unix', path: '/x' } }, undefined],
    ['and nobody where Bun knows none', { requestIP: () => null }, undefined],
    ['and nobody where Next.js tells of parameters', { params: Promise.resolve({}) }, undefined],
  ])('is the address of the peer, %s', async (_, given, ip) => {
    expect((await seen(await app().handler(toRequest(call), given))).ip).toBe(ip)
  })

  it('is ignored if it holds the bindings of Workers', async () => {
    const { handler } = app()
    const bindings = { user: 'intruder', ip: '192.0.2.1', body: rpc('never') }
    const found = await seen(await handler(toRequest(call), bindings, {}))
    expect(found).not.toHaveProperty('user')
    expect(found).not.toHaveProperty('ip')
  })
})

describe('the body', () => {
  it.each<[string, unknown]>([
    ['parsed', call],
    ['as text', JSON.stringify(call)],
    ['as bytes', new TextEncoder().encode(JSON.stringify(call))],
    ['as a buffer', new TextEncoder().encode(JSON.stringify(call)).buffer],
  ])('may have been read by earlier code, and is given %s', async (_, body) => {
    const request = toRequest(call)
    await request.text()
    expect((await app().handler(request, { body })).status).toBe(200)
  })

  it('is missing if earlier code has read or locked it', async () => {
    const [used, locked] = [toRequest(call), toRequest(call)]
    await used.text()
    locked.body?.getReader()
    for (const request of [used, locked]) {
      const response = await app().handler(request)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('other code read the body before the MCP endpoint')
    }
  })

  it.each<[string, unknown]>([
    ['text', 'x'.repeat(200)],
    ['bytes', new Uint8Array(200)],
  ])('is held to `maxBodyBytes` as %s', async (_, body) => {
    expect((await app({ maxBodyBytes: 100 }).handler(toRequest(call), { body })).status).toBe(413)
  })

  it.each<[string, unknown, Record<string, string>, number]>([
    ['packed, which nobody has unpacked', call, { 'Content-Encoding': 'gzip' }, 415],
    ['packed in a way that is none', call, { 'Content-Encoding': 'identity' }, 200],
    ['missing', undefined, {}, 400],
  ])('may be %s', async (_, body, headers, status) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }
    const request = new Request('http://localhost/mcp', { ...init, body: body ? JSON.stringify(body) : null })
    expect((await app().handler(request)).status).toBe(status)
  })

  it('is limited to `maxBodyBytes` by its length if earlier code has parsed it', async () => {
    const long = toRequest(call, { headers: { 'Content-Length': '101' } })
    expect((await app({ maxBodyBytes: 100 }).handler(long, { body: call })).status).toBe(413)
  })

  it('is not read without end: reading stops after 64 MiB', async () => {
    const piece = new Uint8Array(1024 * 1024)
    const [letGo, pieces] = [vi.fn(), vi.fn()]
    const body = new ReadableStream({
      pull(controller) {
        pieces()
        controller.enqueue(piece)
      },
      cancel: letGo,
    })
    const response = await app().handler(toRequest(call, { body, duplex: 'half' } as RequestInit))
    expect(response.status).toBe(413)
    expect(letGo).toHaveBeenCalledOnce()
    expect(pieces.mock.calls.length).toBeLessThan(70)
  })

  it('is refused if it breaks off', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    const response = await app().handler(toRequest(call, { body, duplex: 'half' } as RequestInit))
    expect(response.status).toBe(400)
  })
})

describe('the path', () => {
  it.each(['/api/mcp', '/mcp/else', '/MCP', '/', '/mcp//'])(
    '%s is not ours: 404, and no JSON-RPC',
    async (path) => {
      const response = await app().handler(toRequest(call, { url: `http://localhost${path}` }))
      expect(response.status).toBe(404)
      expect(await response.text()).toBe('Not found')
    },
  )

  it('must match completely: a prefix belongs in `path`', async () => {
    const { handler } = app({ path: '/api/mcp' })
    expect((await handler(toRequest(call, { url: 'http://localhost/api/mcp' }))).status).toBe(200)
    expect((await handler(toRequest(call))).status).toBe(404)
  })
})

describe('a request with an unknown peer', () => {
  const ask = (url: string, origin?: string, options: object = {}) =>
    app(options).handler(toRequest(call, { url, headers: origin === undefined ? {} : { Origin: origin } }))

  it('is served to clients under any host, and to web pages of this machine', async () => {
    expect((await ask('https://api.example/mcp')).status).toBe(200)
    expect((await ask('http://localhost:3000/mcp', 'http://localhost:3000')).status).toBe(200)
  })

  it('is refused to web pages whose host may have been rebound, until the host is configured', async () => {
    const page = ['https://api.example/mcp', 'https://api.example'] as const
    expect((await ask(...page)).status).toBe(403)
    expect((await ask(...page, { publicUrl: 'https://api.example/mcp' })).status).toBe(200)
    expect((await ask(...page, { allowedHosts: ['api.example'] })).status).toBe(200)
  })

  it.each(['127.0.0.1', undefined])(
    'is accepted if NODE_ENV is unset, with the peer %s',
    async (peerAddress) => {
      vi.stubEnv('NODE_ENV', '')
      const { handler } = app()
      const text = await (await handler(toRequest(rpc('throws')), { peerAddress })).text()
      vi.unstubAllEnvs()
      expect(text).toContain('Internal error. Reference: ')
      expect(text).not.toContain('hunter2')
    },
  )
})

describe('a streamed response', () => {
  const params = { _meta: { progressToken: 1 } }
  const idle = ({ router }: ReturnType<typeof app>) =>
    vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }))

  it('arrives piece by piece', async () => {
    const served = app()
    const { body } = await served.handler(toRequest(rpc('stream', params)))
    const pieces = body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await pieces?.read())?.value).toContain('"progress":1')
    served.release.open()
    let rest = ''
    for (let read = await pieces?.read(); read?.done === false; read = await pieces?.read())
      rest += read.value
    expect(rest).toMatch(/"progress":2[\s\S]*released/)
    await idle(served)
  })

  it('aborts the handler when the reader cancels it', async () => {
    const served = app()
    const { body } = await served.handler(toRequest(rpc('stream', params)))
    await body?.cancel()
    expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
    await idle(served)
  })

  it('aborts the handler when the request is aborted', async () => {
    const served = app()
    const client = new AbortController()
    await served.handler(toRequest(rpc('stream', params), { signal: client.signal }))
    client.abort()
    expect(await served.aborted.opened).toMatchObject({ name: 'AbortError' })
    await idle(served)
  })

  it('is not started for a request that was aborted before', async () => {
    const served = app()
    const ran: true[] = []
    served.router.tool('ran', { description: 'd', handler: () => void ran.push(true) })
    await served.handler(toRequest(rpc('ran'), { signal: AbortSignal.abort() }))
    expect(ran).toEqual([])
    await idle(served)
  })
})

it('leaves no listeners on the request', async () => {
  const { handler } = app()
  const request = toRequest(call)
  const added = vi.spyOn(request.signal, 'addEventListener')
  const removed = vi.spyOn(request.signal, 'removeEventListener')
  await handler(request)
  expect(removed.mock.calls).toEqual(added.mock.calls.map(([type, listener]) => [type, listener]))
})

it('rejects unknown options', () => {
  expect(() => mcp(new McpRouter(), { paths: '/x' } as never)).toThrow(/`paths`; did you mean `path`/)
  expect(() => mcp(new McpRouter(), { user: 'ann' } as never)).toThrow(/`user`/)
  expect(() => mcp(new McpRouter(), { routes: { include: ['/tasks'] } })).toThrow(/`routes`.*addOpenApi/)
})

it('refuses a token of more than 16 KiB without reading it', async () => {
  const verify = vi.fn()
  const { handler } = app({ auth: { authorizationServers: ['https://login.example'], verify } })
  const response = await handler(
    toRequest(call, { headers: { Authorization: `Bearer ${'x'.repeat(16_385)}` } }),
  )
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
  expect(verify).not.toHaveBeenCalled()
})

it.each<[string, object, RegExp]>([
  ['cors', { cors: ['https://app.example', '*'] }, /`cors`.*write '\*' alone/],
  ['legacySse', { legacySse: { sse: '/a', message: '/a' } }, /`legacySse`.*two paths; got \/a twice/],
  ['legacySse', { legacySse: { sse: '/mcp', message: '/b' } }, /`legacySse`.*other paths.*\/mcp/],
  ['publicUrl', { publicUrl: '/mcp' }, /`publicUrl`.*a URL/],
])('refuses a `%s` that contradicts itself', (_, options, message) => {
  expect(() => mcp(new McpRouter(), options as never)).toThrow(message)
})
