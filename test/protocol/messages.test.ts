import { McpRouter } from 'mcp-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { addOneOfEach, routers } from '../support/routers.js'
import { envelope } from '../wire/client.js'

const { make } = routers({ name: 'n', version: '1' })
let router: McpRouter

beforeEach(() => {
  router = addOneOfEach(make())
})

describe('messages', () => {
  it.each([0, 1, -1, '', '1', 'a'])('have their id echoed with its type: %j', async (id) => {
    expect(await router.handle({ jsonrpc: '2.0', id, method: 'ping' })).toEqual({
      jsonrpc: '2.0',
      id,
      result: {},
    })
    expect(await router.handle({ jsonrpc: '2.0', id, method: 'none' })).toMatchObject({
      id,
      error: { code: -32601 },
    })
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'hello'],
    ['an object', {}],
    ['another JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['the id null', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['a fraction as id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    ['an object as id', { jsonrpc: '2.0', id: {}, method: 'ping' }],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 5 }],
    ['params by position', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['params null', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }],
  ])('that are none are -32600, with the id where it can be read: %s', async (_, message) => {
    const answer = await router.handle(message)
    const id = (message as { id?: unknown } | null)?.id
    expect(answer).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    expect((answer as { id?: unknown }).id).toBe(id === 1 ? 1 : undefined)
    expect('id' in (answer as object)).toBe(id === 1)
  })

  it('that notify or respond are never answered', async () => {
    const handler = vi.fn()
    router.tool('never', { description: 'd', handler })
    for (const method of [
      'notifications/initialized',
      'notifications/cancelled',
      'notifications/none',
      'ping',
    ])
      expect(await router.handle({ jsonrpc: '2.0', method })).toBeUndefined()
    expect(
      await router.handle({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'never' } }),
    ).toBeUndefined()
    expect(await router.handle({ jsonrpc: '2.0', id: 1, result: {} })).toBeUndefined()
    expect(await router.handle({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } })).toBeUndefined()
    expect(handler).not.toHaveBeenCalled()
  })
})

describe('batches', () => {
  const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const pong = (id: unknown) => ({ jsonrpc: '2.0', id, result: {} })
  const march = { protocolVersion: '2025-03-26' }
  const refused = { error: { code: -32600 } }

  it('of 2025-03-26 are answered one by one, notifications not at all', async () => {
    expect(await router.handle([ping(1), note, ping('2')], march)).toEqual([pong(1), pong('2')])
    expect(await router.handle([note, note], march)).toBeUndefined()
    expect(await router.handle([ping(1), 5, { ...ping(2), method: 'initialize' }], march)).toMatchObject([
      pong(1),
      refused,
      { id: 2, ...refused },
    ])
  })

  it('hold messages whose members are not what they should be', async () => {
    const unwritable = { toString: 1, valueOf: 1 }
    const messages = [
      { ...ping(1), method: unwritable },
      { ...ping(unwritable) },
      { ...ping(3), jsonrpc: unwritable },
    ]
    for (const message of messages) {
      expect(await router.handle([message], march)).toMatchObject([refused])
      expect(await router.handle(message, march)).toMatchObject(refused)
    }
    const modernOnly = new McpRouter({
      name: 'x',
      version: '1',
      logger: false,
      protocolVersions: ['2026-07-28'],
    })
    const initialize = { ...ping(1), method: 'initialize', params: { protocolVersion: unwritable } }
    expect(await modernOnly.handle(initialize as never)).toMatchObject({ error: { code: -32022 } })
  })

  it('are refused when empty, too long, modern, or of another revision', async () => {
    expect(await router.handle([], march)).toMatchObject(refused)
    expect(
      await router.handle(
        Array.from({ length: 1000 }, (_, id) => ping(id)),
        march,
      ),
    ).toMatchObject(refused)
    const modernOne = { ...ping(1), method: 'tools/list', params: { _meta: envelope() } }
    expect(await router.handle([ping(2), modernOne], march)).toMatchObject(refused)
    for (const protocolVersion of ['2024-11-05', '2025-06-18', '2025-11-25'])
      expect(await router.handle([ping(1)], { protocolVersion })).toMatchObject(refused)
  })
})
