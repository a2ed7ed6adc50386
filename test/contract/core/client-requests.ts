/** Handlers that ask their client, in both eras: questions on the call's own stream, or `input_required` and a retry. */

import type { McpRouter } from 'mcp-router'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { passTime } from '../../support/time.js'
import type { Json, Stream } from '../client.js'
import { post } from '../client.js'
import { type Client, legacy, modern, stateless } from '../clients.js'
import { expectError, expectResult, expectText, expectToolError } from '../expect.js'
import { type Host, serve } from '../host.js'

const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
const asks = { meta: { 'io.modelcontextprotocol/clientCapabilities': everything } }
const named = z.object({ name: z.string().min(2) })
const login = ({ 'x-user': id }: { 'x-user'?: string | undefined }) => (id === undefined ? undefined : { id })

function add(router: McpRouter<object>): { ran: string[] } {
  const ran: string[] = []
  router.tool('greet', {
    description: 'Asks for a name',
    async handler(_, ctx) {
      ran.push('greet')
      const { action, content } = await ctx.elicit({ message: 'Who?', schema: named, key: 'who' })
      return `${action}: ${content?.name ?? 'nobody'}`
    },
  })
  router.tool('order', {
    description: 'Charges once and asks twice',
    input: z.object({ sku: z.string() }),
    async handler({ sku }, ctx) {
      const charged = await ctx.once('charge', () => {
        ran.push(`charge ${sku}`)
        return { receipt: ran.length }
      })
      const name = await ctx.elicit({ message: 'Who?', schema: named })
      const [size, roots] = await Promise.all([
        ctx.elicit({ message: 'Size?', schema: z.object({ size: z.enum(['s', 'm']) }) }),
        ctx.roots(),
      ])
      return `${charged.receipt} ${name.content?.name} ${size.content?.size} ${roots[0]?.uri}`
    },
  })
  router.tool('drop', {
    description: 'Asks before it drops',
    input: z.object({ table: z.string() }),
    confirm: true,
    handler({ table }) {
      ran.push(`drop ${table}`)
      return `dropped ${table}`
    },
  })
  router.tool('needy', { description: 'Needs forms', needs: ['elicitation'], handler: () => 'ran' })
  router.tool('visit', {
    description: 'Sends the user to a page',
    handler: async (_, ctx) =>
      (await ctx.elicit({ message: 'Pay', url: 'https://pay.example/x', key: 'pay' })).action,
  })
  return { ran }
}

/** Answers a question that came on a stream. */
function answer(url: string, { sessionId }: Client, id: unknown, body: object) {
  return post(url, { jsonrpc: '2.0', id, ...body }, { 'Mcp-Session-Id': sessionId })
}

async function question(stream: Stream): Promise<Json> {
  const message = await stream.next()
  expect(message).toMatchObject({ jsonrpc: '2.0', id: expect.any(String), method: expect.any(String) })
  return message
}

export function asking(host: Host): void {
  it('asks a legacy client on the stream of its call, and goes on with the posted answer', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = await legacy(url, { capabilities: everything })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} }, { id: 7 })
    const asked = await question(stream)
    expect(asked).toMatchObject({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Who?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string', minLength: 2 } },
          required: ['name'],
        },
      },
    })
    const posted = await answer(url, client, asked.id, {
      result: { action: 'accept', content: { name: 'Ana' } },
    })
    expect(posted).toMatchObject({ status: 202, text: '' })
    expect((await stream.rest())[0]).toMatchObject({ id: 7, result: { content: [{ text: 'accept: Ana' }] } })
  })

  it.each(['decline', 'cancel'])('tells the handler of %s', async (action) => {
    const { url, router } = await serve(host)
    add(router)
    const client = await legacy(url, { capabilities: everything })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} })
    await answer(url, client, (await question(stream)).id, { result: { action } })
    expect((await stream.rest())[0].result.content[0].text).toBe(`${action}: nobody`)
    const { json } = await modern(url, asks).request('tools/call', {
      name: 'greet',
      arguments: {},
      inputResponses: { who: { action } },
    })
    expect(json.result.content[0].text).toBe(`${action}: nobody`)
  })

  it('speaks to 2025-06-18 clients without `mode`, and cannot show them pages', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = await legacy(url, { version: '2025-06-18', capabilities: { elicitation: {} } })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} })
    const asked = await question(stream)
    expect(asked.params).not.toHaveProperty('mode')
    await answer(url, client, asked.id, { result: { action: 'accept', content: { name: 'Ana' } } })
    expect((await stream.rest())[0].result.content[0].text).toBe('accept: Ana')
    expect((await client.call('visit', {})).json.error ?? true).toBeTruthy()
  })

  it('refuses answers that nobody waits for: twice, of another id, after the end', async () => {
    const { url, router, errors } = await serve(host)
    add(router)
    const client = await legacy(url, { capabilities: everything })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} })
    const { id } = await question(stream)
    const result = { result: { action: 'accept', content: { name: 'Ana' } } }
    expectError(await answer(url, client, 'somebody', result), 400, -32600)
    expect((await answer(url, client, id, result)).status).toBe(202)
    expectError(await answer(url, client, id, { result: { action: 'decline' } }), 400, -32600)
    expect((await stream.rest())[0].result.content[0].text).toBe('accept: Ana')
    expectError(await answer(url, client, id, result), 400, -32600)
    expect(errors).toEqual([])
  })

  it('takes no answer of another session or another caller', async () => {
    const { url, router } = await serve(host, { login })
    add(router)
    const headers = { 'X-User': 'ana' }
    const ana = await legacy(url, { capabilities: everything, headers })
    const second = await legacy(url, { capabilities: everything, headers })
    const stream = await ana.open('tools/call', { name: 'greet', arguments: {} })
    const { id } = await question(stream)
    const result = { action: 'accept', content: { name: 'Eve' } }
    const forged = { jsonrpc: '2.0', id, result }
    expectError(await post(url, forged, { 'Mcp-Session-Id': second.sessionId, ...headers }), 400, -32600)
    const foreign = await post(url, forged, { 'Mcp-Session-Id': ana.sessionId, 'X-User': 'eve' })
    expect(foreign.status).toBe(403)
    expect((await post(url, forged, headers)).status).toBe(202)
    const own = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ana' } } }
    expect((await post(url, own, { 'Mcp-Session-Id': ana.sessionId, ...headers })).status).toBe(202)
    expect((await stream.rest())[0].result.content[0].text).toBe('accept: Ana')
  })

  it('makes a failed answer of the client a failure of the call, and a bad one -32602', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = await legacy(url, { capabilities: everything })
    const failing = await client.open('tools/call', { name: 'greet', arguments: {} })
    await answer(url, client, (await question(failing)).id, { error: { code: -1, message: 'not now' } })
    const [failed] = await failing.rest()
    expect(failed.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not now') }],
    })
    const bad = await client.open('tools/call', { name: 'greet', arguments: {} })
    await answer(url, client, (await question(bad)).id, {
      result: { action: 'accept', content: { name: 'A' } },
    })
    expect((await bad.rest())[0].error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('name'),
    })
  })

  it('stops waiting for a client that never answers, and tells it so', async () => {
    const { url, router } = await serve(host, { server: { inputTimeoutMs: 30 } })
    add(router)
    const client = await legacy(url, { capabilities: everything })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} })
    const { id } = await question(stream)
    expect(await stream.next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    })
    const [ended] = await stream.rest()
    expect(ended.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('30 ms') }],
    })
    expectError(await answer(url, client, id, { result: { action: 'decline' } }), 400, -32600)
  })

  it('does not count the time that a client takes to answer', async () => {
    const { url, router } = await serve(host, { server: { timeoutMs: 40 } })
    add(router)
    const client = await legacy(url, { capabilities: everything })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} })
    const { id } = await question(stream)
    // Other calls run into limits of 20 ms, one after the other, while this one waits.
    for (const _ of [1, 2, 3]) expect(expectToolError(await client.call('never', {}))).toContain('20 ms')
    await answer(url, client, id, { result: { action: 'accept', content: { name: 'Ana' } } })
    expect((await stream.rest())[0].result.content[0].text).toBe('accept: Ana')
  })

  it('lets a client cancel the call that asks, and leaves nothing behind', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = await legacy(url, { capabilities: everything })
    const stream = await client.open('tools/call', { name: 'greet', arguments: {} }, { id: 3 })
    const { id } = await question(stream)
    await client.notify('notifications/cancelled', { requestId: 3 })
    expect(await stream.rest()).toEqual([])
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
    expectError(await answer(url, client, id, { result: { action: 'decline' } }), 400, -32600)
  })

  it.each([
    ['has no session', (url: string) => Promise.resolve(stateless(url, '2025-11-25'))],
    ['declared nothing', (url: string) => legacy(url)],
  ])('refuses to ask a legacy client that %s', async (_, connect) => {
    const { url, router } = await serve(host)
    add(router)
    const client = await connect(url)
    for (const name of ['greet', 'needy']) {
      expect(expectToolError(await client.call(name, {}))).toContain('elicitation')
    }
  })

  it('answers `input_required` to 2026-07-28, and completes the retry', async () => {
    const { url, router } = await serve(host)
    const { ran } = add(router)
    const client = modern(url, asks)
    const asked = expectResult(await client.call('greet', {}))
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?' } } },
      requestState: expect.any(String),
    })
    for (const absent of ['ttlMs', 'cacheScope', 'content']) expect(asked).not.toHaveProperty(absent)
    const inputResponses = { who: { action: 'accept', content: { name: 'Ana' } } }
    for (const state of [{ requestState: asked.requestState }, {}]) {
      const params = { name: 'greet', arguments: {}, inputResponses, ...state }
      expect(expectText(await client.request('tools/call', params, { id: 2 }), 2)).toBe('accept: Ana')
    }
    expect(ran).toEqual(['greet', 'greet', 'greet'])
  })

  it('asks in rounds, keeps what was answered, and runs `once` once', async () => {
    const { url, router } = await serve(host)
    const { ran } = add(router)
    const client = modern(url, asks)
    const call = { name: 'order', arguments: { sku: 'A1' } }
    const first = expectResult(await client.request('tools/call', call))
    const [who] = Object.keys(first.inputRequests)
    const again = { ...call, requestState: first.requestState }
    expect(Object.keys(expectResult(await client.request('tools/call', again)).inputRequests)).toEqual([who])
    const second = expectResult(
      await client.request('tools/call', {
        ...again,
        inputResponses: { [who as string]: { action: 'accept', content: { name: 'Ana' } } },
      }),
    )
    expect(second.requestState).not.toBe(first.requestState)
    const entries = Object.entries<Json>(second.inputRequests)
    expect(entries.map(([, { method }]) => method)).toEqual(['elicitation/create', 'roots/list'])
    const inputResponses = {
      [entries[0]?.[0] as string]: { action: 'accept', content: { size: 'm' } },
      [entries[1]?.[0] as string]: { roots: [{ uri: 'file:///w' }] },
      unasked: { action: 'accept' },
    }
    const last = { ...call, inputResponses, requestState: second.requestState }
    expect(expectText(await client.request('tools/call', last))).toBe('1 Ana m file:///w')
    expect(ran).toEqual(['charge A1'])
  })

  it('refuses a state that was tampered with, of another call, of another caller, or too old', async () => {
    const pass = passTime()
    const { url, router } = await serve(host, { login, server: { stateTtlMs: 1_000 } })
    add(router)
    const client = modern(url, { ...asks, headers: { 'X-User': 'ana' } })
    const call = { name: 'order', arguments: { sku: 'A1' } }
    const { requestState } = expectResult(await client.request('tools/call', call))
    const refused = async (params: object, who = client): Promise<void> => {
      const { json } = await who.request('tools/call', { ...call, requestState, ...params })
      expect(json.error).toMatchObject({ code: -32602, message: expect.stringContaining('requestState') })
    }
    await refused({ requestState: `${requestState}-x` })
    await refused({ requestState: 7 })
    await refused({ requestState: '' })
    await refused({ arguments: { sku: 'A2' } })
    for (const other of [modern(url, { ...asks, headers: { 'X-User': 'eve' } }), modern(url, asks)]) {
      expectError(await other.request('tools/call', { ...call, requestState }), 403, -31003, 1)
    }
    pass(1_001)
    await refused({})
  })

  it.each([
    ['null', null],
    ['a number', 7],
    ['a list', []],
    ['answers that are no objects', { who: 7 }],
    ['an answer without action', { who: {} }],
    ['content that does not fit', { who: { action: 'accept', content: { name: 7 } } }],
  ])('refuses %s as inputResponses', async (_, inputResponses) => {
    const { url, router } = await serve(host)
    add(router)
    const params = { name: 'greet', arguments: {}, inputResponses }
    const { json } = await modern(url, asks).request('tools/call', params)
    expect(json.error.code).toBe(-32602)
  })

  it('says which capability a 2026-07-28 client lacks', async () => {
    const { url, router } = await serve(host)
    add(router)
    const bare = await modern(url).call('greet', {})
    expectError(bare, 400, -32021, 1)
    expect(bare.json.error.data).toEqual({ requiredCapabilities: { elicitation: {} } })
    const forms = modern(url, { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } })
    expect((await forms.call('visit', {})).json.error.data).toEqual({
      requiredCapabilities: { elicitation: { url: {} } },
    })
  })

  it('runs what needs confirmation once per confirmation, and never on one given in advance', async () => {
    const { url, router } = await serve(host)
    const { ran } = add(router)
    const client = modern(url, asks)
    const call = { name: 'drop', arguments: { table: 'users' } }
    const confirm = 'mcp-router/confirm'
    const yes = { inputResponses: { [confirm]: { action: 'accept' } } }
    const asked = expectResult(await client.request('tools/call', { ...call, ...yes }))
    expect(asked.inputRequests[confirm].params.message).toContain('"users"')
    const confirmed = { ...call, ...yes, requestState: asked.requestState }
    expect(expectText(await client.request('tools/call', confirmed))).toBe('dropped users')
    expect((await client.request('tools/call', confirmed)).json.error.code).toBe(-32602)
    const again = expectResult(await client.request('tools/call', call))
    const no = {
      ...call,
      inputResponses: { [confirm]: { action: 'decline' } },
      requestState: again.requestState,
    }
    expectToolError(await client.request('tools/call', no))
    expectError(await modern(url).request('tools/call', call), 400, -32021, 1)
    expect(ran).toEqual(['drop users'])
  })

  it('asks a legacy client for confirmation', async () => {
    const { url, router } = await serve(host)
    const { ran } = add(router)
    const client = await legacy(url, { capabilities: everything })
    for (const action of ['decline', 'accept']) {
      const stream = await client.open('tools/call', { name: 'drop', arguments: { table: 't' } })
      await answer(url, client, (await question(stream)).id, { result: { action } })
      expect((await stream.rest())[0].result.isError ?? false).toBe(action === 'decline')
    }
    expect(ran).toEqual(['drop t'])
  })
}
