/** Nulls and values of the wrong type in display data: clients refuse a whole answer for one of them. */

import {
  CallToolResultSchema,
  GetPromptResultSchema,
  ListResourcesResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { image, type McpRouter, result, text } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { routers } from '../support/routers.js'
import { connect, versions } from '../wire/client.js'

const { log, make } = routers({ exposeErrors: false })
let router: McpRouter

beforeEach(() => {
  router = make()
})

const nulls = { title: null, description: null, mimeType: null, size: null, icons: null, annotations: null }
const wrong: [member: string, value: unknown][] = [
  ['title', 5],
  ['description', { en: 'x' }],
  ['mimeType', ['text/plain']],
  ['size', '12'],
  ['size', -1],
  ['icons', [{ src: 5 }]],
  ['icons', 'x.png'],
  ['annotations', 'user'],
  ['annotations', { audience: ['model'] }],
  ['annotations', { audience: 'user' }],
  ['annotations', { priority: 2 }],
  ['annotations', { lastModified: 'yesterday' }],
  ['annotations', { audience: null, priority: null, lastModified: null }],
]
const inner = (member: string, value: unknown) =>
  member === 'annotations' && typeof value === 'object' ? (Object.keys(value ?? {})[0] as string) : member

describe.each(versions)('a list for %s', (version) => {
  const list = async (rows: unknown[]) => {
    router.resource('a://{b}', { list: () => rows as never, handler: () => 'x' })
    const answer = await connect(router, version).result('resources/list')
    ListResourcesResultSchema.parse(answer)
    return answer.resources
  }

  it('leaves null members out without a word', async () => {
    const rows = [
      { uri: 'a://1', name: 'one' },
      { uri: 'a://2', name: 'two', ...nulls, meta: null },
    ]
    expect(await list(rows)).toMatchObject([{ name: 'one' }, { name: 'two' }])
    expect(log.entries).toEqual([])
  })

  it.each(wrong)('leaves out %s: %j, and the log names it', async (member, value) => {
    const rows = [
      { uri: 'a://1', name: 'one' },
      { uri: 'a://2', name: 'two', [member]: value },
    ]
    expect(await list(rows)).toMatchObject([{ name: 'one' }, { uri: 'a://2', name: 'two' }])
    const messages = log.at('warn').map(({ message }) => message)
    if (JSON.stringify(value).includes('null')) return expect(messages).toEqual([])
    expect(messages).toEqual([expect.stringContaining('list of resource "a://{b}": left out')])
    expect(messages[0]).toContain(`\`${inner(member, value)}\``)
    expect(messages[0]).toContain('"a://2"')
  })

  it.each([
    null,
    5,
    { name: 'no uri' },
    { uri: 'a://3' },
    { uri: null, name: 'x' },
    { uri: 'no scheme', name: 'x' },
  ])('leaves out the row %#, which no client could use, and lists the others', async (row) => {
    expect(await list([row, { uri: 'a://1', name: 'one' }, row])).toMatchObject([{ name: 'one' }])
    expect(log.at('error')).toHaveLength(1)
    expect(log.at('warn').map(({ message }) => message)).toEqual([expect.stringContaining('2 resources')])
  })

  it('takes dates', async () => {
    const lastModified = new Date(0)
    const sent = await list([{ uri: 'a://1', name: 'one', annotations: { lastModified, priority: 1 } }])
    expect(sent[0].annotations.priority).toBe(1)
    expect(log.entries).toEqual([])
  })
})

it('a row that JSON cannot carry hides no other', async () => {
  const rows = [
    { uri: 'a://1', name: 'one', meta: { n: 1n } },
    { uri: 'a://2', name: 'two' },
  ]
  router.resource('a://{b}', { list: () => rows, handler: () => 'x' })
  expect((await connect(router).result('resources/list')).resources).toMatchObject([{ name: 'two' }])
  expect(log.at('error')).toHaveLength(1)
})

it('warns of one member once, however often the list is asked for', async () => {
  router.resource('a://{b}', {
    list: () => [{ uri: 'a://1', name: 'one', title: 5 as never }],
    handler: () => 'x',
  })
  for (const _ of [1, 2, 3]) await connect(router).result('resources/list')
  expect(log.at('warn')).toHaveLength(1)
})

describe('blocks', () => {
  const block = { ...text('hi'), annotations: { audience: ['model'], priority: 1 }, _meta: null } as never

  it('of tools lose members that clients refuse', async () => {
    const sent = { content: [{ type: 'text', text: 'hi', annotations: { priority: 1 } }] }
    for (const value of [block, [block], { content: [block], _meta: null }, result({ content: block })]) {
      const owner = make()
      owner.tool('t', { description: 'd', handler: () => value as never })
      const { content } = CallToolResultSchema.parse(await owner.call('t'))
      expect({ content }).toEqual(sent)
      expect(log.at('warn').at(-1)?.message).toMatch(/^tool "t": left out `audience`/)
    }
  })

  it('that link and embed do too', async () => {
    const link = { type: 'resource_link', uri: 'a://1', name: 'one', ...nulls }
    const embedded = { type: 'resource', resource: { uri: 'a://1', text: 'x', mimeType: null, _meta: 5 } }
    router.tool('t', { description: 'd', handler: () => [link, embedded] as never })
    const { content } = CallToolResultSchema.parse(await router.call('t'))
    expect(content).toEqual([
      { type: 'resource_link', uri: 'a://1', name: 'one' },
      { type: 'resource', resource: { uri: 'a://1', text: 'x' } },
    ])
  })

  it('of prompts do too', async () => {
    router.prompt('p', { description: 'd', handler: () => ({ role: 'user', content: block }) })
    const { messages } = GetPromptResultSchema.parse(await router.getPrompt('p'))
    expect(messages).toMatchObject([{ content: { annotations: { priority: 1 } } }])
    expect(log.at('warn').at(-1)?.message).toMatch(/^prompt "p": left out `audience`/)
  })

  it.each(['data:image/png;base64,AQ==', 'AQ', 'A_-=', 'not base64!', 'A==='])(
    'whose data is %j are faults that the log explains',
    async (data) => {
      router.tool('t', { description: 'd', handler: () => image(data, 'image/png') })
      router.resource('a://b', { handler: () => ({ blob: data }) })
      expect(await router.call('t')).toMatchObject({ isError: true })
      await expect(router.read('a://b')).rejects.toMatchObject({ code: -32603 })
      for (const { message } of log.at('error')) expect(message).toMatch(/to be base64, got/)
      expect(log.at('error')).toHaveLength(2)
    },
  )

  it.each(['', 'AQ==', 'AQI=', 'AQID'])('whose data is %j are sent', async (data) => {
    router.tool('t', { description: 'd', handler: () => image(data, 'image/png') })
    expect((await router.call('t')).content).toEqual([{ type: 'image', data, mimeType: 'image/png' }])
  })
})

it('contents of resources lose null and invalid members', async () => {
  router.resource('a://b', {
    handler: () =>
      [
        { text: 'x', mimeType: null, meta: null },
        { text: 'y', mimeType: 5, meta: 'x' },
      ] as never,
  })
  const { contents } = ReadResourceResultSchema.parse(await router.read('a://b'))
  expect(contents).toEqual([
    { uri: 'a://b', mimeType: 'text/plain', text: 'x' },
    { uri: 'a://b', mimeType: 'text/plain', text: 'y' },
  ])
  expect(log.at('warn').map(({ message }) => message)).toEqual([
    expect.stringContaining('`mimeType`'),
    expect.stringContaining('`_meta`'),
  ])
})

it('a fixed resource with a date that clients refuse throws when it is defined', () => {
  expect(() => router.resource('a://b', { text: 'x', annotations: { lastModified: '31.1.2026' } })).toThrow(
    /lastModified.*ISO 8601/,
  )
})

it('completions leave nulls out', async () => {
  router.prompt('p', {
    description: 'd',
    input: { type: 'object', properties: { a: { type: 'string' } } } as never,
    complete: { a: () => ['x', null, 'y'] as never },
    handler: () => 'x',
  } as never)
  const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }
  expect((await connect(router).result('completion/complete', params)).completion).toMatchObject({
    values: ['x', 'y'],
    total: 2,
  })
})

it('names a wrong member once for each definition, however often it is called', async () => {
  const annotations = { priority: 2 }
  const bad = { ...text('x'), annotations } as never
  router.tool('t', { description: 'd', handler: () => result({ content: [bad] }) })
  router.prompt('p', { handler: () => [{ role: 'user', content: bad }] })
  router.resource('a://{b}', { handler: () => ({ text: 'x', annotations }) as never })
  for (let call = 0; call < 30; call++) {
    await router.call('t', {})
    await router.getPrompt('p', {})
    await router.read(`a://${call}`)
  }
  const all = log.at('warn').map(({ message }) => message)
  expect(all.length).toBe(new Set(all).size)
  const warnings = all.filter((message) => message.includes(': left out '))
  expect(warnings.filter((message) => message.startsWith('tool "t"'))).toHaveLength(1)
  expect(warnings.filter((message) => message.startsWith('prompt "p"'))).toHaveLength(1)
  expect(warnings.filter((message) => message.startsWith('resource '))).toHaveLength(warnings.length - 2)
  expect(warnings.length).toBeLessThanOrEqual(22)
})
