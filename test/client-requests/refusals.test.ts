/** What cannot be asked, of whom and when, and answers that are none: each refusal says what came, and nothing runs on it. */

import type { McpRouter } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'
import { settled } from '../support/time.js'
import { connect } from '../wire/client.js'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
type Json = any
// biome-ignore lint/suspicious/noExplicitAny: handlers of many shapes
type Ask = (ctx: any) => unknown

const { log, make } = routers()
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} }
const client = { name: 'x', version: '1', capabilities }
const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
const question = { message: 'Who?', schema: z.object({ name: z.string() }) }
const page = { message: 'Pay', url: 'https://pay.example/x' }
const ask = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 }
const said = { role: 'assistant', content: { type: 'text', text: 'Ho' }, model: 'm' }

function asking(handler: Ask): McpRouter {
  const router = make({ exposeErrors: true })
  router.tool('t', { description: 'd', handler: (_, ctx) => handler(ctx) as string })
  return router
}

/** A client on a connection that answers each question with `result`. */
function answering(router: McpRouter, version: string, result: unknown) {
  const asked: Json[] = []
  const own = connect(router, version, {
    client,
    send(message: Json) {
      asked.push(message)
      void router.handle({ jsonrpc: '2.0', id: message.id, result }, own.caller)
      return true
    },
  })
  return { asked, call: () => own.request('tools/call', { name: 't', arguments: {} }) as Promise<Json> }
}

const textOf = ({ result }: Json): string => result?.content?.[0]?.text

describe('a page to open', () => {
  it('is asked for with an id of its own before 2026-07-28, and without one there', async () => {
    const router = asking((ctx) => ctx.elicit(page))
    const { asked, call } = answering(router, '2025-11-25', { action: 'accept' })
    expect(JSON.parse(textOf(await call()))).toEqual({ action: 'accept' })
    expect(asked[0].params).toEqual({
      ...page,
      mode: 'url',
      elicitationId: expect.stringMatching(/^[\w-]{24}$/),
    })
    const { inputRequests } = await connect(router).result('tools/call', { name: 't' }, meta)
    const [request] = Object.values<Json>(inputRequests)
    expect(request).toEqual({ method: 'elicitation/create', params: { ...page, mode: 'url' } })
  })

  it('is nothing for clients of 2025-06-18, whatever they declare', async () => {
    const { asked, call } = answering(
      asking((ctx) => ctx.elicit(page)),
      '2025-06-18',
      {},
    )
    expect((await call()).error.message).toContain('clients of 2025-06-18 cannot open a page')
    expect(asked).toEqual([])
  })
})

describe('a model of the client', () => {
  it.each<[string, object, RegExp]>([
    ['tools', { ...ask, tools: [{ name: 'a', inputSchema: { type: 'object' } }] }, /2025-06-18 has no tools/],
    [
      'a message of two blocks',
      { ...ask, messages: [{ role: 'user', content: [said.content, said.content] }] },
      /one block in 2025-06-18, and this one has 2/,
    ],
  ])('is not given %s before 2025-11-25', async (_, given, message) => {
    const { asked, call } = answering(
      asking((ctx) => ctx.sample(given)),
      '2025-06-18',
      said,
    )
    expect((await call()).error.message).toMatch(message)
    expect(asked).toEqual([])
  })

  it('gets a list of one block as that block, and the context that it is to include', async () => {
    const messages = [{ role: 'user', content: [said.content] }]
    const handler: Ask = (ctx) => ctx.sample({ ...ask, messages, includeContext: 'thisServer' })
    const { asked, call } = answering(asking(handler), '2025-06-18', said)
    expect(JSON.parse(textOf(await call()))).toEqual(said)
    expect(asked[0].params).toEqual({
      ...ask,
      messages: [{ role: 'user', content: said.content }],
      includeContext: 'thisServer',
    })
  })

  it.each<[object, RegExp]>([
    [{ ...ask, messages: [] }, /`messages` to be a list/],
    [{ ...ask, messages: 'Hi' }, /`messages` to be a list.*"Hi"/],
    [{ ...ask, maxTokens: 0 }, /`maxTokens` to be a whole number, got 0/],
    [{ ...ask, maxTokens: 1.5 }, /`maxTokens`/],
  ])('is not asked %j', async (given, message) => {
    const { asked, call } = answering(
      asking((ctx) => ctx.sample(given)),
      '2025-11-25',
      said,
    )
    expect(textOf(await call())).toMatch(message)
    expect(asked).toEqual([])
  })
})

describe('an answer', () => {
  it.each<[string, Ask, object, RegExp]>([
    [
      'a role',
      (ctx) => ctx.sample(ask),
      { ...said, role: 'system' },
      /role to be user or assistant, got "system"/,
    ],
    ['content', (ctx) => ctx.sample(ask), { ...said, content: 'Ho' }, /content to be a content block/],
    ['blocks', (ctx) => ctx.sample(ask), { ...said, content: [said.content, 7] }, /content block/],
    ['a model', (ctx) => ctx.sample(ask), { ...said, model: 7 }, /model to be a text, got 7/],
    ['roots', (ctx) => ctx.roots(), { roots: 'file:///' }, /roots to be a list, got "file/],
    ['a root', (ctx) => ctx.roots(), { roots: [{ name: 'home' }] }, /each root to have a uri/],
    ['an action', (ctx) => ctx.elicit(question), { action: 'yes' }, /action/],
    [
      'the content',
      (ctx) => ctx.elicit(question),
      { action: 'accept', content: 7 },
      /content to be an object, got 7/,
    ],
    ['a field', (ctx) => ctx.elicit(question), { action: 'accept', content: { name: 7 } }, /name/],
  ])('without %s that fits is refused, in both eras', async (_, handler, result, message) => {
    const router = asking(handler)
    const { call } = answering(router, '2025-11-25', result)
    expect((await call()).error).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
    const own = connect(router)
    const { inputRequests, requestState } = await own.result('tools/call', { name: 't' }, meta)
    const [key = ''] = Object.keys(inputRequests)
    const again = { name: 't', requestState, inputResponses: { [key]: result } }
    expect(await own.error('tools/call', again, meta)).toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    })
  })

  it('that is long travels by the store, and one that is too long is refused', async () => {
    const router = asking(async (ctx) => {
      const { content } = await ctx.elicit({ ...question, key: 'a' })
      await ctx.elicit({ ...question, key: 'b' })
      return String(content.name.length)
    })
    const own = connect(router)
    const name = (length: number) => ({ action: 'accept', content: { name: 'é'.repeat(length) } })
    const { requestState } = await own.result('tools/call', { name: 't' }, meta)
    const first = { name: 't', requestState, inputResponses: { a: name(100_000) } }
    const next = await own.result('tools/call', first, meta)
    expect(next.requestState.length).toBeLessThan(1_000)
    const last = { name: 't', requestState: next.requestState, inputResponses: { b: name(1) } }
    expect(textOf({ result: await own.result('tools/call', last, meta) })).toBe('100000')
    const long = { ...first, inputResponses: { a: name(1024 * 1024) } }
    expect(await own.error('tools/call', long, meta)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('at most 1048576 characters, got 1048'),
    })
  })
})

describe('a handler', () => {
  it('cannot ask when its call is over', async () => {
    const asked: Promise<unknown>[] = []
    let over: () => void = () => {}
    const router = asking((ctx) => {
      asked.push(new Promise<void>((resolve) => (over = resolve)).then(() => ctx.elicit(question)))
      return 'done'
    })
    const { call } = answering(router, '2025-11-25', { action: 'decline' })
    expect(textOf(await call())).toBe('done')
    over()
    await expect(asked[0]).rejects.toThrow('elicitation/create was asked after the call was over')
  })

  it('cannot ask two questions under one key', async () => {
    const router = asking((ctx) => Promise.all([1, 2].map(() => ctx.elicit({ ...question, key: 'who' }))))
    const answer = (await connect(router).request('tools/call', { name: 't' }, meta)) as Json
    expect(textOf(answer)).toContain('two questions of one call have the key "who"')
  })

  it('that lists or completes cannot ask', async () => {
    const router = make({ exposeErrors: true })
    const list = (ctx: Json) => ctx.elicit(question)
    router.resource('note://{id}', { list, handler: () => 'x' } as Json)
    const own = connect(router)
    await own.request('resources/list', {}, meta)
    expect(JSON.stringify(log.entries)).toContain('elicitation/create cannot be asked in resources/list')
  })

  it('that goes on although its client is being asked is told of it once, and its answer is dropped', async () => {
    const router = asking(async (ctx) => {
      for (const key of ['a', 'b']) await ctx.elicit({ ...question, key }).catch(() => {})
      return 'went on'
    })
    const result = await connect(router).result('tools/call', { name: 't' }, meta)
    expect(Object.keys(result.inputRequests)).toEqual(['a'])
    await settled()
    expect(log.at('warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('caught InputRequired and went on'),
    ])
  })
})

describe('once', () => {
  it.each([
    [7, () => 1, /once\(\): expected a key, got 7/],
    ['a', 'work', /once\(\): expected a function, got "work"/],
  ])('takes a key and a function, and not %j with something else', async (key, work, message) => {
    const answer = (await connect(asking((ctx) => ctx.once(key, work))).request(
      'tools/call',
      { name: 't' },
      meta,
    )) as Json
    expect(textOf(answer)).toMatch(message)
  })

  it('remembers no failure: another run that waited for it, and one that comes later, do it again', async () => {
    const ends: (() => void)[] = []
    const work = vi.fn(async () => {
      await new Promise<void>((resolve) => ends.push(resolve))
      if (work.mock.calls.length === 1) throw new Error('out of stock')
      return 'reserved'
    })
    const router = asking(async (ctx) => {
      await ctx.elicit({ ...question, key: 'who' })
      return ctx.once('reserve', work)
    })
    const own = connect(router)
    const { requestState } = await own.result('tools/call', { name: 't' }, meta)
    const inputResponses = { who: { action: 'accept', content: { name: 'Ana' } } }
    const run = () =>
      own.request('tools/call', { name: 't', requestState, inputResponses }, meta) as Promise<Json>
    const [first, second] = [run(), run()]
    await vi.waitFor(() => expect(ends).toHaveLength(1))
    ends[0]?.()
    expect(textOf(await first)).toContain('out of stock')
    await vi.waitFor(() => expect(ends).toHaveLength(2))
    ends[1]?.()
    expect(textOf(await second)).toBe('reserved')
    expect(textOf(await run())).toBe('reserved')
    expect(work).toHaveBeenCalledTimes(2)
  })
})
