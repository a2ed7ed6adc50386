/** What docs/context.md promises. */

import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { initialize, type Json, legacy, listen, modern, post } from './client.js'
import { eventsOf, nextMessage, openGet } from './events.js'
import { app, type Db, db } from './preludes/context.js'
import type { User } from './preludes/user.js'
import { contextPage, load } from './programs.js'

type Env = { user: User | undefined; db: Db }
type Context = Json

const quiet = { info() {}, warn() {}, error() {} }
const as = (user: string) => ({ 'X-User': user })
const wants = { progressToken: 'p' }
let router: McpRouter<Env>
let url: string
/** The contexts of the calls to `look`. */
const looked: Context[] = []

beforeAll(async () => {
  router = (await load<{ router: McpRouter<Env> }>(contextPage)).router
  router.tool('look', { description: 'Shows its context.', handler: (_, ctx) => void looked.push(ctx) })
  router.resource('look://{id}', { handler: (_, ctx) => ctx.uri })
  url = `${await listen(app)}/mcp`
})
beforeEach(() => {
  db.last = Number.POSITIVE_INFINITY
  db.written.length = 0
  looked.length = 0
})

const make = (pages: number) => ({ name: 'report_make', arguments: { pages } })

describe('ctx', () => {
  it('has what the table says, for 2026-07-28', async () => {
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' } }
    await modern(`${url}?a=1`, 'tools/call', { name: 'look' }, { meta, headers: as('ana') })
    expect(looked[0]).toMatchObject({
      user: { id: 'ana' },
      client: { name: 'tester', version: '1', capabilities: {} },
      protocolVersion: '2026-07-28',
      sessionId: undefined,
    })
    expect(looked[0].db).toBe(db)
    expect(looked[0].request).toMatchObject({ method: 'POST', url: '/mcp?a=1' })
    expect(looked[0].request.headers['x-user']).toBe('ana')
    expect(looked[0].request.ip).toMatch(/127\.0\.0\.1/)
    expect(looked[0].request.raw.app).toBe(app)
  })

  it('knows older clients within a session only', async () => {
    const session = await initialize(url, as('ana'))
    const headers = { ...as('ana'), 'Mcp-Session-Id': session }
    await legacy(url, 'tools/call', { name: 'look' }, { headers })
    await legacy(url, 'tools/call', { name: 'look' })
    expect(looked).toMatchObject([
      { client: { name: 'tester' }, protocolVersion: '2025-11-25', sessionId: session },
      { client: undefined, protocolVersion: '2025-03-26', sessionId: undefined, user: undefined },
    ])
  })

  it('has the URI that was asked for in resource handlers', async () => {
    const { messages } = await modern(url, 'resources/read', { uri: 'look://7' })
    expect(messages[0].result.contents[0].text).toBe('look://7')
  })

  it('has no request in process', async () => {
    await router.call('look', {}, { user: { id: 'ana' }, context: { db } })
    expect(looked[0].request).toBeUndefined()
    expect(looked[0].db).toBe(db)
  })
})

describe('requireUser', () => {
  it('refuses anonymous callers with 401 and lets the others in', async () => {
    expect((await modern(url, 'tools/call', make(1))).status).toBe(401)
    const { messages } = await modern(url, 'tools/call', make(2), { headers: as('ana') })
    expect(messages[0].result.content[0].text).toBe('2 pages for ana')
  })
})

describe('context(req)', () => {
  it.each(['log', 'auth', 'session', 'elicit', 'sample', 'roots', 'once', 'closeStream'])(
    'must not return %s',
    async (name) => {
      const errors: string[] = []
      const own = new McpRouter<object>({
        logger: { ...quiet, error: (message: string) => errors.push(message) },
      })
      own.tool('t', { description: 'd', handler: () => 'ran' })
      const { isError } = await own.call('t', {}, { context: { [name]: 1 } })
      expect([isError, errors[0]]).toEqual([true, expect.stringContaining(`\`${name}\``)])
    },
  )

  it('runs once for a request', async () => {
    let times = 0
    const own = new McpRouter<{ user: unknown; times: number }>({ logger: quiet })
    own.tool('t', { description: 'd', visible: () => true, handler: (_, ctx) => ctx.times })
    const other = (await import('express')).default()
    other.use(mcp(own, { context: async () => ({ times: ++times }) }))
    const { messages } = await modern(`${await listen(other)}/mcp`, 'tools/call', { name: 't' })
    expect([messages[0].result.content[0].text, times]).toEqual(['1', 1])
  })
})

describe('progress', () => {
  it('turns the answer into an event stream when the client asked for it', async () => {
    for (const send of [modern, legacy]) {
      const reply = await send(url, 'tools/call', make(3), { meta: wants, headers: as('ana') })
      expect(reply.type).toMatch(/^text\/event-stream/)
      const progress = reply.messages.filter(({ method }) => method === 'notifications/progress')
      expect(progress.map(({ params }) => params)).toEqual(
        [1, 2, 3].map((page) => ({
          progressToken: 'p',
          progress: page,
          total: 3,
          message: `page ${page}`,
        })),
      )
      expect(reply.messages.at(-1).result.content[0].text).toBe('3 pages for ana')
    }
  })

  it('is not sent unasked: the answer is JSON', async () => {
    const reply = await modern(url, 'tools/call', make(3), { headers: as('ana') })
    expect([reply.type, reply.messages.length]).toEqual(['application/json', 1])
  })

  it('is not sent to a client that reads JSON alone', async () => {
    const headers = { ...as('ana'), Accept: 'application/json' }
    const reply = await modern(url, 'tools/call', make(3), { meta: wants, headers })
    expect([reply.type, reply.messages.length]).toEqual(['application/json', 1])
  })

  it('must rise strictly, and has no message before 2025-03-26', async () => {
    const sent: boolean[] = []
    router.tool('steps', {
      description: 'Reports oddly.',
      handler(_, ctx) {
        for (const done of [1, 1, 0.5, Number.NaN, 2]) sent.push(ctx.progress(done, 2, 'm'))
      },
    })
    onTestFinished(() => void router.remove('tool', 'steps'))
    const headers = { 'MCP-Protocol-Version': '2024-11-05' }
    const { messages } = await legacy(url, 'tools/call', { name: 'steps' }, { meta: wants, headers })
    expect(sent).toEqual([true, false, false, false, true])
    expect(messages.slice(0, -1).map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, total: 2 },
      { progressToken: 'p', progress: 2, total: 2 },
    ])
  })

  it('returns false after the end, and so does the log', async () => {
    await modern(url, 'tools/call', { name: 'look' }, { meta: wants })
    expect([looked[0].progress(1), looked[0].log.error('late')]).toEqual([false, false])
  })
})

describe('log', () => {
  const levels = ['debug', 'info', 'notice', 'warning', 'warn', 'error', 'critical', 'alert', 'emergency']
  const talking = () => {
    const own: [method: string, message: string][] = []
    const to = (method: string) => (message: string) => void own.push([method, message])
    const logger = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') }
    const made = new McpRouter<object>({ logger })
    const sent: boolean[] = []
    made.tool('talk', {
      description: 'd',
      handler(_, ctx) {
        for (const level of levels) sent.push((ctx.log as Json)[level](level))
        sent.push(ctx.log.error('with data', { n: 1n }))
      },
    })
    return { made, own, sent }
  }
  const heard = async (version: string, meta: object) => {
    const notices: Json[] = []
    const { made, own, sent } = talking()
    const params = { name: 'talk', _meta: meta }
    const caller = {
      protocolVersion: version,
      send: (message: object) => JSON.stringify(notices.push(message)) !== '',
    }
    await made.handle({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, caller)
    return { levels: notices.map(({ params: { level } }) => level), notices, own, sent }
  }
  const modernMeta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }

  it('always reaches your logger, under the method of the table', async () => {
    const { own, levels: sent } = await heard('', modernMeta)
    expect(sent).toEqual([])
    expect(own.slice(0, 9)).toEqual([
      ['debug', 'debug'],
      ['info', 'info'],
      ['info', 'notice'],
      ['warn', 'warning'],
      ['warn', 'warn'],
      ['error', 'error'],
      ['error', 'critical'],
      ['error', 'alert'],
      ['error', 'emergency'],
    ])
  })

  it('reaches 2026-07-28 clients from the level of the request on, and older ones from info on', async () => {
    const asked = { ...modernMeta, 'io.modelcontextprotocol/logLevel': 'alert' }
    expect((await heard('', asked)).levels).toEqual(['alert', 'emergency'])
    expect((await heard('2025-11-25', {})).levels.slice(0, 3)).toEqual(['info', 'notice', 'warning'])
  })

  it('is kept for a session at the level that the client set', async () => {
    const headers = { ...as('ana'), 'Mcp-Session-Id': await initialize(url, as('ana')) }
    const before = await legacy(url, 'tools/call', make(1), { headers })
    expect(before.messages[0]).toMatchObject({
      method: 'notifications/message',
      params: { level: 'info', logger: 'report_make', data: { message: 'report begun', data: { pages: 1 } } },
    })
    await legacy(url, 'logging/setLevel', { level: 'error' }, { headers })
    expect((await legacy(url, 'tools/call', make(1), { headers })).type).toBe('application/json')
  })

  it('never throws: what is not JSON is not sent', async () => {
    const own = new McpRouter<object>({ logger: quiet })
    own.tool('t', { description: 'd', handler: (_, ctx) => ctx.log.error('x', { n: 1n }) })
    const other = (await import('express')).default().use(mcp(own))
    const { messages } = await legacy(`${await listen(other)}/mcp`, 'tools/call', { name: 't' })
    expect(messages).toMatchObject([{ result: { content: [{ text: 'false' }] } }])
  })
})

describe('a call that ends early', () => {
  const signals: AbortSignal[] = []
  const begun = async () => {
    await expect.poll(() => signals.length).toBe(1)
    return signals[0] as AbortSignal
  }
  beforeAll(() => {
    router.tool('hang', {
      description: 'Never returns.',
      handler(_, { signal }) {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
  })
  beforeEach(() => {
    signals.length = 0
  })

  it.each([
    ['2026-07-28', modern],
    ['older', legacy],
  ])('aborts when a client of %s closes the connection', async (_, send) => {
    const client = new AbortController()
    const reply = send(url, 'tools/call', { name: 'hang' }, { signal: client.signal }).catch(() => 'left')
    const signal = await begun()
    client.abort()
    expect(await reply).toBe('left')
    await expect.poll(() => signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ name: 'AbortError' })
  })

  it('stops the handler of the page, which passes its signal on', async () => {
    db.last = 2
    const client = new AbortController()
    const extra = { headers: as('ana'), signal: client.signal }
    const reply = modern(url, 'tools/call', make(5), extra).catch(() => 'left')
    await expect.poll(() => db.written).toEqual([1, 2])
    client.abort()
    await reply
    await expect.poll(() => router.stats().running).toBe(0)
    expect(db.written).toEqual([1, 2])
  })

  it('aborts by a notification of the same session, and answers 202', async () => {
    const headers = { ...as('ana'), 'Mcp-Session-Id': await initialize(url, as('ana')) }
    const reply = legacy(url, 'tools/call', { name: 'hang' }, { headers, id: 7 })
    const signal = await begun()
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
    await post(url, cancel)
    expect(signal.aborted).toBe(false)
    await post(url, cancel, { headers })
    expect(signal.aborted).toBe(true)
    expect(await reply).toMatchObject({ status: 202, messages: [] })
  })

  it('ignores the notification of a 2026-07-28 client over HTTP', async () => {
    const client = new AbortController()
    const reply = modern(url, 'tools/call', { name: 'hang' }, { signal: client.signal }).catch(() => 'left')
    const signal = await begun()
    const headers = { 'MCP-Protocol-Version': '2026-07-28' }
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    expect((await post(url, cancel, { headers })).status).toBe(202)
    expect(signal.aborted).toBe(false)
    client.abort()
    await reply
  })

  it('aborts after timeoutMs, and says so', async () => {
    const handle = router.get('tool', 'hang')
    handle?.update({ timeoutMs: 10 })
    onTestFinished(() => handle?.update({ timeoutMs: 60_000 }))
    const { messages } = await modern(url, 'tools/call', { name: 'hang' })
    expect(messages[0].result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('10 ms') }],
    })
    expect(signals[0]?.reason).toMatchObject({ name: 'TimeoutError' })
  })
})

describe('elsewhere', () => {
  it('middleware, list and complete have the same ctx; visible has less', async () => {
    const had: Record<string, Json> = {}
    const own = new McpRouter<Env>({ logger: quiet })
    own.use((call, next) => {
      had.middleware = call.ctx
      return next()
    })
    own.resource('a://{b}', {
      list: (ctx) => {
        had.list = ctx
        return []
      },
      complete: {
        b: (_typed, _chosen, ctx) => {
          had.complete = ctx
          return []
        },
      },
      visible: (caller) => {
        had.visible = caller
        return true
      },
      handler: () => 'x',
    })
    const ask = (method: string, params: object = {}) =>
      own.handle(
        { jsonrpc: '2.0', id: 1, method, params },
        { user: { id: 'ana' }, context: { db }, protocolVersion: '2025-11-25' },
      )
    await ask('resources/list')
    await ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'a://{b}' },
      argument: { name: 'b', value: '' },
    })
    await ask('resources/read', { uri: 'a://1' })
    for (const place of ['middleware', 'list', 'complete'])
      expect(had[place]).toMatchObject({ user: { id: 'ana' }, protocolVersion: '2025-11-25' })
    for (const place of ['middleware', 'list', 'complete', 'visible']) expect(had[place].db).toBe(db)
    expect(Object.keys(had.visible).sort()).toEqual(['auth', 'db', 'request', 'user'])
  })
})

describe('what a session keeps', () => {
  const chooses = { name: 'report_folder', arguments: { folder: 'spring' } }
  const asks = { name: 'report_folder', arguments: {} }

  it('is there for the session alone', async () => {
    const headers = { ...as('ana'), 'Mcp-Session-Id': await initialize(url, as('ana')) }
    const other = { ...as('ana'), 'Mcp-Session-Id': await initialize(url, as('ana')) }
    const textOf = async (given: Record<string, string>, params: object) =>
      (await legacy(url, 'tools/call', params, { headers: given })).messages.at(-1).result.content[0].text
    expect(await textOf(headers, chooses)).toBe('spring')
    expect(await textOf(headers, asks)).toBe('spring')
    expect(await textOf(other, asks)).toBe('none yet')
  })

  it('counts calls that overlap', async () => {
    const headers = { ...as('ana'), 'Mcp-Session-Id': await initialize(url, as('ana')) }
    const count = async () =>
      (await legacy(url, 'tools/call', { name: 'report_count', arguments: {} }, { headers })).messages.at(-1)
        .result.content[0].text
    expect((await Promise.all([count(), count(), count()])).sort()).toEqual([
      '1 reports',
      '2 reports',
      '3 reports',
    ])
  })

  it('is not there for other clients', async () => {
    const { messages } = await modern(url, 'tools/call', chooses, { headers: as('ana') })
    expect(messages[0].result.content[0].text).toBe('Name the folder in each call.')
  })
})

describe('a long call', () => {
  it('is fetched by a client that comes back', async () => {
    const headers = { ...as('ana'), 'Mcp-Session-Id': await initialize(url, as('ana')) }
    const body = { jsonrpc: '2.0', id: 'long', method: 'tools/call', params: { name: 'report_archive' } }
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect(text).toContain('retry: 50')
    const lastEventId = /^id: (.+)$/m.exec(text)?.[1] ?? ''
    const again = await openGet(url, { ...headers, 'Last-Event-ID': lastEventId })
    const answer = await nextMessage(eventsOf(again))
    expect(answer).toMatchObject({ id: 'long', result: { content: [{ text: 'archived' }] } })
  })

  it('is an ordinary one for other clients', async () => {
    const { type, messages } = await modern(url, 'tools/call', { name: 'report_archive' })
    expect([type, messages[0].result.content[0].text]).toEqual(['application/json', 'archived'])
  })
})
