/** `toolSearch: true`: three tools in the place of many, and nobody finds or calls what they could not before. */

import { McpRouter } from 'mcp-router'
import { describe, expect, test, vi } from 'vitest'
import { quiet } from '../contract/host.js'

interface Caller {
  user?: { id: string; admin?: boolean } | undefined
}

function shop(options: object = {}) {
  const warn = vi.fn()
  const router = new McpRouter<{ user: Caller['user'] }>({
    toolSearch: true,
    pinned: ['order_list'],
    logger: { ...quiet, warn },
    ...options,
  })
  const input = {
    type: 'object',
    properties: { orderId: { type: 'string' } },
    required: ['orderId'],
  } as const
  router.tool('order_list', { description: 'Lists orders', handler: () => 'orders' })
  router.tool('order_delete', {
    description: 'Deletes one',
    input,
    handler: ({ orderId }) => `deleted ${orderId}`,
  })
  router.tool('refund', {
    description: 'Gives the money back',
    title: 'Refund an order',
    requireUser: true,
    handler: (_, ctx) => `refunded by ${ctx.user.id}`,
  })
  router.tool('audit', {
    description: 'All orders of all',
    visible: ({ user }) => user?.admin === true,
    handler: () => 'audit',
  })
  return { router, warn }
}

const list = async ({ router }: ReturnType<typeof shop>): Promise<string[]> => {
  const answer = await router.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  return (answer as unknown as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}
const search = async ({ router }: ReturnType<typeof shop>, args: object, caller: Caller = {}) => {
  const { content } = await router.call('search_tools', args, caller)
  const { tools } = JSON.parse((content[0] as { text: string }).text) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

describe('toolSearch', () => {
  test('lists three tools and the pinned ones', async () => {
    expect(await list(shop())).toEqual(['search_tools', 'describe_tool', 'call_tool', 'order_list'])
  })

  test('finds by name, title, arguments and description, best first', async () => {
    const made = shop()
    expect(await search(made, { query: 'orders' })).toEqual(['order_delete', 'order_list', 'refund'])
    expect(await search(made, { query: 'money' })).toEqual(['refund'])
    expect(await search(made, { query: 'delete order', limit: 1 })).toEqual(['order_delete'])
    expect(await search(made, { query: 'nonsense' })).toEqual([])
    expect(await search(made, { query: '' })).toEqual(['order_list', 'order_delete', 'refund'])
  })

  test('refuses a query of more than 300 characters or 12 words, and a name that no tool can have', async () => {
    const { router } = shop()
    const refusalOf = async (name: string, args: object): Promise<unknown> => {
      const { isError, content } = await router.call(name, args)
      return isError === true ? (content[0] as { text: string }).text : undefined
    }
    const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')
    expect(await refusalOf('search_tools', { query: words(12) })).toBeUndefined()
    expect(await refusalOf('search_tools', { query: `${words(12)} W3-w4` })).toBeUndefined()
    expect(await refusalOf('search_tools', { query: words(13) })).toContain(
      'at most 12 words in `query`, got 13',
    )
    expect(await refusalOf('search_tools', { query: 'x'.repeat(300) })).toBeUndefined()
    expect(await refusalOf('search_tools', { query: 'x'.repeat(301) })).toContain('300')
    expect(await refusalOf('describe_tool', { name: 'x'.repeat(129) })).toContain('128')
  })

  test('finds a tool by its new description once it has changed', async () => {
    const made = shop()
    const handle = made.router.tool('ship', { description: 'Sends a parcel', handler: () => 'sent' })
    expect(await search(made, { query: 'parcel' })).toEqual(['ship'])
    handle.update({ description: 'Sends a crate' })
    expect(await search(made, { query: 'parcel' })).toEqual([])
    expect(await search(made, { query: 'crate' })).toEqual(['ship'])
  })

  test('describes one tool', async () => {
    const { router } = shop()
    const { content } = await router.call('describe_tool', { name: 'order_delete' })
    expect(JSON.parse((content[0] as { text: string }).text)).toMatchObject({
      name: 'order_delete',
      description: 'Deletes one',
      inputSchema: { properties: { orderId: { type: 'string' } } },
    })
    expect(await router.call('describe_tool', { name: 'order_delet' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('did you mean "order_delete"?') }],
    })
  })

  test('calls a tool with its own checks and its own rules', async () => {
    const { router } = shop()
    const call = (name: string, args: object = {}, caller: Caller = {}) =>
      router.call('call_tool', { name, arguments: args }, caller)
    expect((await call('order_delete', { orderId: '7' })).content).toMatchObject([{ text: 'deleted 7' }])
    expect(await call('order_delete')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('orderId') }],
    })
    await expect(call('refund')).rejects.toThrow('Sign in')
    expect((await call('refund', {}, { user: { id: 'ana' } })).content).toMatchObject([
      { text: 'refunded by ana' },
    ])
    await expect(call('nothing')).rejects.toThrow('there is no tool "nothing"')
  })

  test('hides from search, description and call what is not visible', async () => {
    const made = shop()
    const admin = { user: { id: 'root', admin: true } }
    expect(await search(made, { query: 'audit' })).toEqual([])
    expect(await search(made, { query: 'audit' }, admin)).toEqual(['audit'])
    expect((await made.router.call('describe_tool', { name: 'audit' })).isError).toBe(true)
    await expect(made.router.call('call_tool', { name: 'audit' })).rejects.toThrow('there is no tool "audit"')
    expect((await made.router.call('call_tool', { name: 'audit' }, admin)).content).toMatchObject([
      { text: 'audit' },
    ])
  })

  test('cannot be made to call itself', async () => {
    const { router } = shop()
    const nested = await router.call('call_tool', { name: 'call_tool', arguments: { name: 'order_list' } })
    expect(nested).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('other tools') }],
    })
  })

  test('warns of a pinned name that is no tool', async () => {
    const made = shop({ pinned: ['order_lst'] })
    await list(made)
    await list(made)
    expect(made.warn.mock.calls.flat().filter((text) => String(text).includes('pinned'))).toEqual([
      'pinned: there is no tool "order_lst"; did you mean "order_list"?',
    ])
  })

  test('knows no name where none is near', async () => {
    const made = shop({ pinned: ['invoices'] })
    await list(made)
    expect(made.warn.mock.calls.flat()).toContain('pinned: there is no tool "invoices"')
  })

  test('is off unless asked for', async () => {
    expect(await list(shop({ toolSearch: false }))).toEqual(['order_list', 'order_delete', 'refund'])
  })
})
