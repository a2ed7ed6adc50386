/** What docs/router.md promises. */

import { connect } from 'node:net'
import { type McpError, McpRouter, memoryStore, tool } from 'mcp-router'
import { HttpHandler, type HttpRequest, refuseWith } from 'mcp-router/adapter'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Json, portOf } from './client.js'
import { seen } from './preludes/router.js'
import { load, routerPage } from './programs.js'

type Router = McpRouter<{ user: { id: string; staff?: boolean } | undefined }>
interface Exports {
  router: Router
  lineServer(router: Router): import('node:net').Server
  saveNote(index: number, text: string): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const quiet = { info() {}, warn() {}, error() {} }
const ana = { user: { id: 'ana' } }
let page: Exports

beforeAll(async () => {
  page = await load<Exports>(routerPage)
})

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = (method: string, params: Json = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: modernMeta },
})
const ask = async (
  router: Pick<Router, 'handle'> | McpRouter,
  message: unknown,
  caller = {},
): Promise<Json> => router.handle(message, caller)

describe('options', () => {
  it('are checked, and the nearest one is named', () => {
    expect(() => new McpRouter({ pagesize: 5 } as never)).toThrow(/`pageSize`/)
    expect(() => new McpRouter({ pageSize: 0 })).toThrow(/pageSize/)
    expect(() => new McpRouter({ secret: 'short' })).toThrow(/16 bytes/)
  })

  it('tell clients who serves, how to use it, and how long to keep its lists', async () => {
    const { result } = await ask(page.router, modern('server/discover'))
    expect(result).toMatchObject({
      instructions: expect.stringContaining('Search before you add'),
      supportedVersions: ['2026-07-28'],
      ttlMs: 60_000,
      cacheScope: 'public',
    })
    expect(result._meta['io.modelcontextprotocol/serverInfo']).toEqual({ name: 'notes', version: '1.0.0' })
  })

  it('have the defaults of the table', async () => {
    const router = new McpRouter({ logger: quiet })
    for (let n = 0; n <= 1_000; n++) router.tool(`t${n}`, { description: 'd', handler: () => '' })
    router.resource('a://b', { text: '' })
    const { result } = await ask(router, modern('tools/list'))
    expect([result.tools.length, result.ttlMs, result.cacheScope]).toEqual([1_000, 300_000, 'public'])
    expect(result.nextCursor).toBeTypeOf('string')
    expect(result._meta['io.modelcontextprotocol/serverInfo']).toEqual({
      name: 'mcp-router',
      version: '0.0.0',
    })
    const read = await ask(router, modern('resources/read', { uri: 'a://b' }))
    expect(read.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })

  it('send what each revision knows about the server', async () => {
    const router = new McpRouter({
      title: 'Notes',
      description: 'd',
      websiteUrl: 'https://example.com',
      logger: quiet,
    })
    const info = async (protocolVersion: string) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
      return (await ask(router, { jsonrpc: '2.0', id: 1, method: 'initialize', params })).result.serverInfo
    }
    expect(await info('2025-03-26')).toEqual({ name: 'mcp-router', version: '0.0.0' })
    expect(await info('2025-06-18')).toEqual({ name: 'mcp-router', version: '0.0.0', title: 'Notes' })
    expect(await info('2025-11-25')).toMatchObject({ description: 'd', websiteUrl: 'https://example.com' })
  })

  it('make a list private that `visible` or `list` shapes', async () => {
    const router = new McpRouter({ logger: quiet })
    router.tool('t', { description: 'd', visible: () => true, handler: () => '' })
    router.resource('a://{b}', { list: () => [], handler: () => '' })
    expect((await ask(router, modern('tools/list'))).result.cacheScope).toBe('private')
    expect((await ask(router, modern('resources/list'))).result.cacheScope).toBe('private')
    expect((await ask(router, modern('resources/templates/list'))).result.cacheScope).toBe('public')
  })

  it('speak the revisions of `protocolVersions` and no others', async () => {
    const router = new McpRouter({ protocolVersions: ['2026-07-28'], logger: quiet })
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    const refused = await ask(router, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(refused.error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } })
    const old = new McpRouter({ protocolVersions: ['2025-06-18'], logger: quiet })
    expect((await ask(old, modern('ping'))).error.code).toBe(-32601)
  })

  it('refuse every request of an anonymous caller where the router requires a user', async () => {
    const router = new McpRouter({ requireUser: true, logger: quiet })
    router.tool('t', { description: 'd', handler: () => '' })
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      modern('tools/list'),
    ])
      expect((await ask(router, message)).error.code).toBe(-31001)
    const { result } = await ask(router, modern('tools/list'), ana)
    expect([result.tools.length, result.cacheScope]).toEqual([1, 'private'])
  })
})

describe('hooks', () => {
  it('see each served request, and what an entry holds', async () => {
    const entries: Json[] = []
    const router = new McpRouter({ logger: quiet, onActivity: (entry) => entries.push(entry) })
    router.tool('t', { description: 'd', handler: () => 'x' })
    await ask(router, modern('tools/call', { name: 't' }), ana)
    await ask(router, modern('tools/list'), ana)
    await ask(router, { jsonrpc: '2.0', id: 1, method: 'ping' })
    await ask(router, { jsonrpc: '2.0', method: 'notifications/x' })
    await ask(router, { ...modern('tools/list'), params: {} }, { protocolVersion: '2025-06-18' })
    await router.call('t')
    expect(entries.map(({ method }) => method)).toEqual([
      'tools/call',
      'tools/list',
      'ping',
      'tools/list',
      'tools/call',
    ])
    expect(entries[0]).toEqual({
      method: 'tools/call',
      name: 't',
      tool: 't',
      user: { id: 'ana' },
      protocolVersion: '2026-07-28',
      startedAt: expect.any(Date),
      durationMs: expect.any(Number),
      outcome: 'ok',
      inputBytes: expect.any(Number),
      outputBytes: expect.any(Number),
    })
    expect(entries[1]).toMatchObject({ name: undefined, tool: undefined, user: undefined })
  })

  it('of the page see the calls of its tools', async () => {
    await page.router.call('note_search', { word: 'milk' })
    await page.router.call('note_search', { word: '' })
    expect(seen.observed.slice(-2)).toMatchObject([
      { name: 'note_search', outcome: 'ok' },
      { name: 'note_search', outcome: 'error' },
    ])
  })

  it('decide by the caller who reads the message of a fault, and tell it once', async () => {
    page.router.tool('note_break', {
      description: 'Fails.',
      handler() {
        throw new Error('disk full')
      },
    })
    onTestFinished(() => void page.router.remove('tool', 'note_break'))
    const read = async (user?: { id: string; staff?: boolean }) =>
      (await page.router.call('note_break', {}, { user })).content[0] as { text: string }
    expect((await read({ id: 'ana', staff: true })).text).toBe('disk full')
    expect((await read({ id: 'ben' })).text).toMatch(/^Internal error\. Reference: (.+)$/)
    const [shown, masked] = seen.captured
    expect(seen.captured).toHaveLength(2)
    expect(shown).toMatchObject({ name: 'note_break', reference: undefined })
    expect((await read()).text).not.toContain(masked?.reference)
    expect(masked?.reference).toBeTypeOf('string')
  })

  it('harm nothing when they fail, and a promise masks', async () => {
    const boom = () => {
      throw new Error('hook')
    }
    const router = new McpRouter({
      logger: quiet,
      onError: boom,
      onActivity: boom,
      exposeErrors: (async () => true) as never,
    })
    router.tool('t', {
      description: 'd',
      handler() {
        throw new Error('secret')
      },
    })
    expect(await router.call('t')).toMatchObject({ content: [{ text: expect.stringMatching(/^Internal/) }] })
  })
})

describe('secret', () => {
  it('rotates: the first seals, all open', async () => {
    const [older, newer] = ['an older secret of docs', 'a newer secret of docs']
    const make = (secret: string[]) => {
      const router = new McpRouter({ secret, pageSize: 1, logger: quiet })
      for (const name of ['a', 'b']) router.tool(name, { description: 'd', handler: () => '' })
      return router
    }
    const cursorOf = async (router: McpRouter) => (await ask(router, modern('tools/list'))).result.nextCursor
    const opens = async (router: McpRouter, cursor: string) =>
      (await ask(router, modern('tools/list', { cursor }))).error === undefined
    const [before, both, after] = [make([older]), make([newer, older]), make([newer])]
    expect(await opens(both, await cursorOf(before))).toBe(true)
    expect(await opens(after, await cursorOf(both))).toBe(true)
    expect(await opens(after, await cursorOf(before))).toBe(false)
  })
})

describe('add', () => {
  const own = tool({ description: 'd', handler: () => '' })

  it('takes names from keys, properties, and `name`', () => {
    class Tools {
      of_class = own
    }
    const router = new McpRouter({ logger: quiet })
    router.add({ of_record: own, other: 5 }).add(new Tools())
    router.add([tool({ name: 'of_array', description: 'd', handler: () => '' })])
    router.add({ default: tool({ name: 'of_default', description: 'd', handler: () => '' }) })
    router.add({ key: tool({ name: 'of_name', description: 'd', handler: () => '' }) })
    expect(router.list().map(({ name }) => name)).toEqual([
      'of_record',
      'of_class',
      'of_array',
      'of_default',
      'of_name',
    ])
    expect(() => router.add({ other: 5 })).toThrow(TypeError)
    expect(() => router.add({ default: own })).toThrow(/no name/)
    expect(() => router.add({ of_class: own })).toThrow(/router\.test\.ts:.*router\.test\.ts:/)
  })
})

describe('a router in a router', () => {
  it('has prefixes on tools and prompts, and its own limits', async () => {
    expect(page.router.list().map(({ name, uri }) => uri ?? name)).toEqual([
      'note_search',
      'note_count',
      'archive_search',
      'archive://newest',
      'note://{index}',
      'note_plan',
    ])
    const found = await page.router.call('archive_search', { word: 'fence' }, ana)
    expect(found.content).toMatchObject([{ text: 'ana archived nothing with "fence"' }])
    await expect(page.router.call('archive_search', { word: 'fence' })).rejects.toMatchObject({
      code: -31001,
    })
    expect((await ask(page.router, modern('tools/list'))).result.tools).toHaveLength(3)
  })

  it('keeps its middleware inside, and shows what comes later', async () => {
    const order: string[] = []
    const [outer, inner] = [new McpRouter({ logger: quiet }), new McpRouter({ logger: quiet })]
    outer.use((_, next) => {
      order.push('outer')
      return next()
    })
    inner.use((_, next) => {
      order.push('inner')
      return next()
    })
    outer.use('in', inner)
    const late = inner.tool('late', { description: 'd', handler: () => 'x' })
    await outer.call('in_late')
    expect(order).toEqual(['outer', 'inner'])
    expect(() => inner.use('out', outer)).toThrow(/in itself/)
    expect(() => outer.tool('in_late', { description: 'd', handler: () => '' })).toThrow(/"in_late"/)
    late.remove()
    expect(outer.has('tool', 'in_late')).toBe(false)
  })
})

describe('finding and changing', () => {
  it('goes by kind and name, a resource by its URI', () => {
    const { router } = page
    expect(router.get('tool', 'archive_search')).toMatchObject({ kind: 'tool', name: 'archive_search' })
    expect(router.get('resource', 'archive://newest')).toMatchObject({ name: 'newest' })
    expect([router.has('prompt', 'note_plan'), router.has('tool', 'note_plan')]).toEqual([true, false])
    expect([router.get('tool', 'none'), router.remove('tool', 'none')]).toEqual([undefined, false])
  })

  it('updates some options and keeps the others', async () => {
    const router = new McpRouter({ logger: quiet })
    const handle = router.tool('t', { description: 'old', title: 'T', handler: () => '' })
    handle.update({ description: 'new' })
    expect(handle).toMatchObject({ description: 'new', title: 'T' })
    expect((await ask(router, modern('tools/list'))).result.tools[0].description).toBe('new')
    expect(() => handle.update({ name: 'u' })).toThrow(/name/)
    expect([handle.remove(), handle.remove()]).toEqual([true, false])
  })
})

describe('in process', () => {
  it('fails as a model or a client would see it', async () => {
    expect((await page.router.call('note_search', {})).isError).toBe(true)
    await expect(page.router.call('none')).rejects.toMatchObject({ name: 'McpError', code: -32602 })
    await expect(page.router.read('archive://none', ana)).rejects.toBeInstanceOf(Error)
    await expect(page.router.getPrompt('none')).rejects.toMatchObject({ code: -32602 })
  })

  it('takes notices, context, client and a signal from its caller', async () => {
    const router = new McpRouter<{ user: unknown; db: string }>({ logger: quiet })
    router.tool('t', {
      description: 'd',
      needs: ['roots'],
      async handler(_, ctx) {
        ctx.progress(1)
        ctx.log.info(ctx.db)
        return ctx.client?.name
      },
    })
    const notices: Json[] = []
    const client = { name: 'job', version: '1', capabilities: { roots: {} } }
    const send = (message: object) => notices.push(message) > 0
    const { content } = await router.call('t', {}, { context: { db: 'db' }, client, send })
    expect(content).toMatchObject([{ text: 'job' }])
    expect(notices.map(({ method }) => method)).toEqual(['notifications/progress', 'notifications/message'])
    await expect(router.call('t')).rejects.toMatchObject({ code: -32021 })
    const signal = AbortSignal.abort()
    await expect(router.call('t', {}, { client, signal })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('starting, watching, stopping', () => {
  it('ready() names what cannot be served, and compiles the rest', async () => {
    await expect(page.start()).resolves.toBeUndefined()
    const compile = () => {
      throw new Error('no code here')
    }
    const router = new McpRouter({ schemas: [{ compile }], logger: quiet })
    router.tool('t', { description: 'd', input: { type: 'object' }, handler: () => '' })
    const failed: AggregateError = await router.ready().then(
      () => expect.unreachable(),
      (error) => error,
    )
    expect(failed).toBeInstanceOf(AggregateError)
    expect(failed.errors.map(({ message }) => message)).toEqual([expect.stringContaining('tool "t"')])
  })

  it('stats() counts what the table says', async () => {
    const router = new McpRouter({ logger: quiet })
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    router.tool('wait', { description: 'd', handler: () => released })
    router.tool('fail', {
      description: 'd',
      handler() {
        throw new Error('x')
      },
    })
    expect(router.stats()).toEqual({ calls: 0, running: 0, streams: 0, sessions: 0, errors: 0 })
    const waiting = router.call('wait')
    expect(router.stats()).toMatchObject({ calls: 1, running: 1 })
    release()
    await waiting
    await router.call('fail')
    await ask(router, modern('tools/list'))
    expect(router.stats()).toEqual({ calls: 3, running: 0, streams: 0, sessions: 0, errors: 1 })
  })

  it('close() lets running calls end, aborts them after `drainMs`, and refuses new ones', async () => {
    const router = new McpRouter({ logger: quiet })
    let signal: AbortSignal | undefined
    router.tool('hang', {
      description: 'd',
      handler: (_, ctx) => {
        signal = ctx.signal
        return new Promise(() => {})
      },
    })
    const hanging = router.call('hang')
    await new Promise(setImmediate)
    await router.close({ drainMs: 10 })
    expect(signal?.reason).toMatchObject({ name: 'AbortError' })
    expect(await hanging).toMatchObject({ isError: true, content: [{ text: 'the server is closing' }] })
    expect((await ask(router, modern('tools/list'))).error.message).toMatch(/closing/)
    await expect(router.call('hang')).rejects.toThrow(/closing/)
  })
})

describe('a transport of your own', () => {
  /** The line server of the page with one more tool, and a client of it. */
  async function lines() {
    const router: Router = new McpRouter({ logger: quiet })
    router.tool('who', {
      description: 'd',
      handler: (_, ctx) => {
        ctx.log.info('asked')
        ctx.progress(1, 1)
        return { user: ctx.user?.id, client: ctx.client, version: ctx.protocolVersion, said: 'a\u2028b' }
      },
    })
    const signals: AbortSignal[] = []
    router.tool('hang', {
      description: 'd',
      handler: (_, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    const socket = connect(await portOf(page.lineServer(router).listen(0)), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const received: Json[] = []
    let wake = (): void => {}
    // Not with readline: in some releases of Node it takes U+2028 for the end of a line.
    let rest = ''
    socket.setEncoding('utf8').on('data', (text) => {
      const whole = (rest + text).split('\n')
      rest = whole.pop() ?? ''
      received.push(...whole.map((line) => JSON.parse(line)))
      wake()
    })
    const next = async (): Promise<Json> => {
      while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return received.shift()
    }
    const send = (message: unknown) => socket.write(`${JSON.stringify(message)}\n`)
    return { router, signals, socket, next, send }
  }

  it('answers line by line, in both eras', async () => {
    const { socket, next, send } = await lines()
    socket.write('{ no json\n\n')
    expect((await next()).error.code).toBe(-32700)
    socket.write('null\n')
    expect((await next()).error.code).toBe(-32600)
    const meta = { ...modernMeta, progressToken: 'p' }
    send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who', _meta: meta } })
    expect(await next()).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p' } })
    const { result } = await next()
    expect(JSON.parse(result.content[0].text)).toMatchObject({ user: 'ana', version: '2026-07-28' })
  })

  it('remembers what initialize agreed on, and the level that the client set', async () => {
    const { next, send } = await lines()
    const clientInfo = { name: 'tester', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: { roots: {} }, clientInfo }
    send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect((await next()).result.protocolVersion).toBe('2025-06-18')
    send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'who' } })
    expect((await next()).params).toMatchObject({ level: 'info', data: 'asked' })
    expect(JSON.parse((await next()).result.content[0].text)).toMatchObject({
      version: '2025-06-18',
      client: { name: 'tester', version: '1', capabilities: { roots: {} } },
      said: 'a\u2028b',
    })
    send({ jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level: 'error' } })
    expect((await next()).id).toBe(3)
    send({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'who' } })
    expect((await next()).id).toBe(4)
  })

  it('cancels a call that is running, and all of them when the connection goes', async () => {
    const { signals, socket, next, send, router } = await lines()
    for (const id of [1, 2]) send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'hang' } })
    await expect.poll(() => signals.length).toBe(2)
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    send({ jsonrpc: '2.0', id: 3, method: 'ping' })
    expect((await next()).id).toBe(3)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    socket.destroy()
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(router.stats().running).toBe(0)
  })

  it('answers a batch of 2025-03-26 with an array', async () => {
    const { next, send } = await lines()
    send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/x' },
    ])
    expect(await next()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })
})

describe('a mount of your own', () => {
  const request = (url: string, body: unknown): Omit<HttpRequest, 'endpoint'> => ({
    method: 'POST',
    url,
    headers: {},
    header: (name) => ({ 'content-type': 'application/json', host: 'localhost' })[name],
    host: 'localhost',
    ip: '127.0.0.1',
    peerAddress: '127.0.0.1',
    trustsProxy: false,
    raw: { caller: 'ana' },
    readBody: () => ({ kind: 'parsed', value: body }),
    onClose: () => {},
  })

  it('translates a request and writes an answer', async () => {
    const router = new McpRouter({ logger: quiet })
    router.tool('who', { description: 'd', handler: (_, ctx) => String(ctx.user) })
    const http = new HttpHandler(router, {}, (raw) => (raw as { caller: string }).caller)
    expect(http.route('', '/elsewhere')).toBeUndefined()
    const endpoint = http.route('', '/mcp') ?? expect.unreachable()
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } }
    const answer = await http.handle({ ...request('/mcp', message), endpoint })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body as string).result.content[0].text).toBe('ana')
  })

  it('refuses with what a middleware answered', () => {
    const headers = { 'retry-after': '7' }
    expect(refuseWith({ status: 429, headers, body: '' }).message).toBe(
      '429 Too Many Requests. Try again in 7 seconds.',
    )
    for (const body of ['[1]', '5', '{"error":5}', '<html>', 'x'.repeat(301)])
      expect(refuseWith({ status: 403, headers: {}, body }).message, body).toMatch(/^403 Forbidden/)
    const challenge = { 'www-authenticate': 'Bearer' }
    expect((refuseWith({ status: 401, headers: challenge, body: '' }) as McpError).code).toBe(-31001)
  })
})

describe('telling clients of changes', () => {
  it('reaches whoever subscribed, over router.handle() too', async () => {
    const { saveNote } = page
    const heard: Json[] = []
    const gone = new AbortController()
    let hear: () => void = () => {}
    const told = new Promise<void>((resolve) => {
      hear = resolve
    })
    const caller = {
      ...ana,
      signal: gone.signal,
      send(message: Json) {
        heard.push(message)
        if (message.method === 'notifications/resources/updated') hear()
        return true
      },
    }
    const over = page.router.handle(
      modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['note://0', 'other://0'] } }),
      caller,
    )
    await vi.waitFor(() => expect(heard).toHaveLength(1), { interval: 2 })
    await saveNote(0, 'Buy bread')
    await told
    const subscription = { 'io.modelcontextprotocol/subscriptionId': 1 }
    expect(heard.map(({ method, params }) => [method, params])).toEqual([
      [
        'notifications/subscriptions/acknowledged',
        { notifications: { resourceSubscriptions: ['note://0'] }, _meta: subscription },
      ],
      ['notifications/resources/updated', { uri: 'note://0', _meta: subscription }],
    ])
    gone.abort()
    expect(await over).toBeUndefined()
    await saveNote(0, 'Buy milk')
    expect(heard).toHaveLength(2)
  })

  it('ends by a cancellation, or with a result when the router closes', async () => {
    const own = new McpRouter({ logger: quiet })
    own.tool('t', { description: 'd', handler: () => 'x' })
    const heard: Json[] = []
    const caller = { send: (message: Json) => heard.push(message) > 0 }
    const listen = () =>
      own.handle(modern('subscriptions/listen', { notifications: { toolsListChanged: true } }), caller)
    const cancelled = listen()
    await vi.waitFor(() => expect(heard).toHaveLength(1), { interval: 2 })
    await own.handle({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, caller)
    expect(await cancelled).toBeUndefined()
    const ended = listen()
    await vi.waitFor(() => expect(heard).toHaveLength(2), { interval: 2 })
    await own.close()
    expect(await ended).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it('is unknown to a caller that nothing can be sent to', async () => {
    const { error } = await ask(page.router, modern('subscriptions/listen', { notifications: {} }))
    expect(error.code).toBe(-32601)
  })
})

describe('the store', () => {
  it('is checked, and stays open when it was given', async () => {
    expect(() => new McpRouter({ store: {} as never })).toThrow(/store.*memoryStore/)
    const store = memoryStore()
    await store.set('k', 'v', 60_000)
    await new McpRouter({ store }).close()
    expect(await store.get('k')).toBe('v')
    await store.close()
  })
})

it('stops as the page says', async () => {
  await expect(page.stop()).resolves.toBeUndefined()
})
