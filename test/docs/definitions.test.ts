/** What docs/definitions.md promises. */

import {
  type ClientInfo,
  type ClientNeed,
  embed,
  image,
  type Logger,
  link,
  McpRouter,
  resource,
  result,
  text,
  tool,
} from 'mcp-router'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json } from './client.js'
import { definitionsPage, load } from './programs.js'

let page: McpRouter
let router: McpRouter
const warnings: string[] = []
const logger: Logger = { info() {}, warn: (message: string) => void warnings.push(message), error() {} }

beforeAll(async () => {
  page = (await load<{ router: McpRouter }>(definitionsPage)).router
})
beforeEach(() => {
  warnings.length = 0
  router = new McpRouter({ logger })
})

const ask = async (of: McpRouter, method: string, params: object = {}, version = '2025-11-25') =>
  (await of.handle({ jsonrpc: '2.0', id: 1, method, params }, { protocolVersion: version })) as Json
const listed = async (of: McpRouter, method: string, key: string): Promise<Json[]> =>
  (await ask(of, method)).result[key]

describe('the page', () => {
  it('adds, finds, reads and prompts', async () => {
    expect((await page.call('note_find', { word: 'milk' })).content[0]).toMatchObject({
      text: expect.stringContaining('Buy milk'),
    })
    expect((await page.call('note_add', { text: 'x' })).structuredContent).toEqual({ id: 3 })
    expect((await page.read('note://0?format=json')).contents[0]).toMatchObject({
      mimeType: 'application/json',
    })
    expect((await page.read('config://app')).contents).toEqual([
      { uri: 'config://app', mimeType: 'application/json', text: '{"theme":"dark"}' },
    ])
    await expect(page.read('note://99')).rejects.toThrow(/not found/i)
    const { messages } = await page.getPrompt('note_review', { tag: 'home', count: '2' })
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'Review the last 2 notes tagged home.' } },
      { role: 'assistant', content: { type: 'text' } },
    ])
    expect((await page.call('note_card', { index: 0 })).content.map(({ type }) => type)).toEqual([
      'text',
      'resource_link',
    ])
    expect(page.get('tool', 'note_add')).toMatchObject({
      description: 'Adds a note.',
      title: 'Add a note',
    })
  })

  it('lists and completes', async () => {
    const resources = await listed(page, 'resources/list', 'resources')
    expect(resources.map(({ uri }) => uri).slice(0, 2)).toEqual(['note://0', 'note://1'])
    expect(resources.at(-1)).toMatchObject({ uri: 'config://app', name: 'app', size: 16 })
    const complete = async (ref: object, name: string, value: string, chosen: object = {}) =>
      (
        await ask(page, 'completion/complete', {
          ref,
          argument: { name, value },
          context: { arguments: chosen },
        })
      ).result.completion.values
    const review = { type: 'ref/prompt', name: 'note_review' }
    expect(await complete(review, 'tag', 'h')).toEqual(['home'])
    expect(await complete(review, 'tag', 'h', { count: '0' })).toEqual([])
    expect(await complete({ type: 'ref/resource', uri: 'note://{index}{?format}' }, 'index', '0')).toEqual([
      '0',
    ])
  })
})

describe('defaults', () => {
  it('of names: the key, or the last part of the URI', () => {
    const handler = () => ''
    router.resource('note://{id}', { handler })
    router.resource('note://{id}/tags', { handler })
    router.resource('config://app', { text: '' })
    router.add({ key: resource('config://other', { text: '' }) })
    router.add({ tool_key: tool({ description: 'd', handler }) })
    expect(router.list().map(({ name }) => name)).toEqual(['tool_key', 'app', 'key', 'note', 'tags'])
  })

  it('of `mimeType` and `size`: by the content, where it is known', async () => {
    router.resource('a://text', { text: 'äx' })
    router.resource('a://bytes', { blob: Uint8Array.of(1, 2) })
    router.resource('a://handler', { handler: () => 'x' })
    router.resource('a://said', { mimeType: 'image/png', size: 9, handler: () => Uint8Array.of(1) })
    const resources = await listed(router, 'resources/list', 'resources')
    expect(resources.map(({ mimeType, size }) => [mimeType, size])).toEqual([
      ['text/plain', 3],
      ['application/octet-stream', 2],
      [undefined, undefined],
      ['image/png', 9],
    ])
    const types = ['text', 'bytes', 'handler', 'said'].map(
      async (name) => (await router.read(`a://${name}`)).contents[0]?.mimeType,
    )
    expect(await Promise.all(types)).toEqual([
      'text/plain',
      'application/octet-stream',
      'text/plain',
      'image/png',
    ])
  })

  it('of listed resources: the template is asked for `mimeType`', async () => {
    router.resource('a://{b}', {
      mimeType: 'text/markdown',
      list: () => [{ uri: 'a://1', name: 'one' }],
      handler: () => 'x',
    })
    expect((await listed(router, 'resources/list', 'resources'))[0].mimeType).toBe('text/markdown')
  })

  it('of handlers without `input`: an empty object, or the variables as strings', async () => {
    router.tool('t', { description: 'd', handler: (input) => input })
    expect((await router.call('t', { _meta: {} })).content).toMatchObject([{ text: '{}' }])
    router.resource('a://{b}{?c}', { handler: (variables) => JSON.stringify(variables) })
    expect((await router.read('a://1?c=2')).contents[0]?.text).toBe('{"b":"1","c":"2"}')
  })

  it('warns of a tool or prompt without description, and of names that some clients refuse', () => {
    router.tool('a', { handler: () => '' })
    router.prompt('p', { handler: () => '' })
    router.tool('a.b', { description: 'd', handler: () => '' })
    expect(warnings).toHaveLength(3)
    expect(() => router.tool('a b', { description: 'd', handler: () => '' })).toThrow(/1 to 128/)
  })
})

describe('requireUser', () => {
  it('of a definition guards its calls and leaves it in the lists', async () => {
    router.tool('t', { description: 'd', requireUser: true, handler: () => '' })
    expect(await listed(router, 'tools/list', 'tools')).toHaveLength(1)
    expect((await ask(router, 'tools/call', { name: 't' })).error.code).toBe(-31001)
  })

  it('of the router guards the lists too', async () => {
    const all = new McpRouter({ requireUser: true, logger })
    all.tool('t', { description: 'd', handler: () => '' })
    expect((await ask(all, 'tools/list')).error.code).toBe(-31001)
  })
})

type Capabilities = ClientInfo['capabilities']

describe('needs', () => {
  it.each<[ClientNeed, Capabilities, Capabilities]>([
    ['elicitation', { elicitation: {} }, { elicitation: { url: {} } }],
    ['elicitation.url', { elicitation: { url: {} } }, { elicitation: {} }],
    ['sampling', { sampling: {} }, {}],
    ['sampling.tools', { sampling: { tools: {} } }, { sampling: {} }],
    ['roots', { roots: {} }, {}],
  ])('%s is met by the client that says so', async (need, able, unable) => {
    router.tool('t', { description: 'd', needs: [need], handler: () => 'ran' })
    const client = (capabilities: Capabilities) => ({ client: { name: 'c', version: '1', capabilities } })
    expect((await router.call('t', {}, client(able))).content).toMatchObject([{ text: 'ran' }])
    await expect(router.call('t', {}, client(unable))).rejects.toMatchObject({ code: -32021 })
  })
})

describe('unknownArguments', () => {
  const input = z.object({ name: z.string().optional() })
  const loose = z.looseObject({ name: z.string().optional() })
  const call = async (args: object) => (await router.call('t', args)).content[0] as { text: string }

  it('`reject` is the default of libraries: it names the nearest key and is published', async () => {
    router.tool('t', { description: 'd', input, handler: (seen) => seen })
    expect((await call({ nam: 'x' })).text).toMatch(/nam: .*"name"/)
    expect(router.get('tool', 't')?.inputSchema).toMatchObject({ additionalProperties: false })
  })

  it('`strip` drops them, `pass` leaves them to the schema', async () => {
    router.tool('t', { description: 'd', input, unknownArguments: 'strip', handler: (seen) => seen })
    expect((await call({ name: 'x', other: 1 })).text).toBe('{"name":"x"}')
    router.get('tool', 't')?.update({ unknownArguments: 'pass' })
    expect((await call({ name: 'x', other: 1 })).text).toBe('{"name":"x"}')
  })

  it('is not asked where the schema says it itself, and `pass` for hand-written ones', async () => {
    router.tool('t', { description: 'd', input: loose, handler: (seen) => seen })
    expect((await call({ other: 1 })).text).toBe('{"other":1}')
    const written = { type: 'object', properties: { a: {} } } as const
    router.tool('w', { description: 'd', input: written, handler: (seen) => seen })
    expect((await router.call('w', { other: 1 })).content).toMatchObject([{ text: '{"other":1}' }])
    const strict = z.strictObject({ a: z.string().optional() })
    router.tool('s', { description: 'd', input: strict, unknownArguments: 'pass', handler: () => '' })
    expect((await router.call('s', { other: 1 })).isError).toBe(true)
  })

  it.each([
    ...['sessionId', 'action', 'chatInput', 'toolCallId', 'tool', 'toolParameters', 'random_string'],
    ...['wait_for_previous', 'wait_for_previous_tools', 'waitForPreviousTools', 'toolAction', 'toolSummary'],
    ...['_sessionID', '_auth_auth_type', '_meta'],
  ])('drops %s, which a client added, unless the schema names it', async (key) => {
    router.tool('t', { description: 'd', input, handler: (seen) => seen })
    expect((await call({ name: 'x', [key]: 1 })).text).toBe('{"name":"x"}')
    await call({ [key]: 1 })
    expect(warnings).toHaveLength(1)
    router.tool('named', {
      description: 'd',
      input: z.object({ [key]: z.number() }),
      handler: (seen) => seen,
    })
    expect((await router.call('named', { [key]: 1 })).content).toMatchObject([{ text: `{"${key}":1}` }])
  })
})

describe('x-mcp-header', () => {
  it('is published as it is, from hand-written JSON Schema and from Zod', async () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' }
    expect(page.get('tool', 'note_export')?.inputSchema).toMatchObject({ properties: { region } })
    const input = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })
    router.tool('t', { description: 'd', input, handler: () => '' })
    expect(router.get('tool', 't')?.inputSchema).toMatchObject({ properties: { region } })
  })

  it.each<[string, object]>([
    ['a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['a name with a space', { a: { type: 'string', 'x-mcp-header': 'A b' } }],
    ['an item of an array', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
    [
      'a name that is there twice',
      { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
    ],
  ])('fails on %s when the tool is added', (_, properties) => {
    const input = { type: 'object', properties } as const
    expect(() => router.tool('t', { description: 'd', input, handler: () => '' })).toThrow(/x-mcp-header/)
  })
})

describe('returns', () => {
  it.each<[unknown, Json]>([
    ['x', [{ type: 'text', text: 'x' }]],
    [5, [{ type: 'text', text: '5' }]],
    [{ a: 1 }, [{ type: 'text', text: '{"a":1}' }]],
    [undefined, []],
    [null, []],
    [text('x'), [{ type: 'text', text: 'x' }]],
    [
      [text('x'), link('a://b/c')],
      [{}, { type: 'resource_link', name: 'c' }],
    ],
    [image(Uint8Array.of(1), 'image/png'), [{ type: 'image', data: 'AQ==', mimeType: 'image/png' }]],
    [embed('a://b', 'x'), [{ type: 'resource', resource: { mimeType: 'text/plain', text: 'x' } }]],
    [{ content: [text('x')] }, [{ type: 'text', text: 'x' }]],
    [{ content: [text('x')], more: 1 }, [{ type: 'text', text: expect.stringContaining('"more":1') }]],
  ])('of a tool: %j', async (value, content) => {
    router.tool('t', { description: 'd', handler: () => value as string })
    expect((await router.call('t')).content).toMatchObject(content)
  })

  it('of a tool with `output`: the parsed value, or a result()', async () => {
    const output = z.object({ a: z.number() })
    router.tool('t', { description: 'd', output, handler: () => ({ a: 1, secret: 2 }) })
    expect(await router.call('t')).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
    })
    router.tool('r', { description: 'd', output, handler: () => result({ content: 'no', isError: true }) })
    expect(await router.call('r')).toEqual({ content: [{ type: 'text', text: 'no' }], isError: true })
  })

  it.each<[unknown, Json]>([
    ['x', [{ text: 'x' }]],
    [Uint8Array.of(1), [{ blob: 'AQ==' }]],
    [{ text: 'x', mimeType: 'a/b' }, [{ text: 'x', mimeType: 'a/b' }]],
    [{ blob: 'AQ==' }, [{ blob: 'AQ==' }]],
    [{ blob: Uint8Array.of(1), uri: 'a://c', meta: { m: 1 } }, [{ uri: 'a://c', _meta: { m: 1 } }]],
    [
      [{ text: 'x' }, { blob: 'AQ==' }],
      [{ uri: 'a://b' }, { uri: 'a://b' }],
    ],
  ])('of a resource: %j', async (value, contents) => {
    router.resource('a://b', { handler: () => value as string })
    expect((await router.read('a://b')).contents).toMatchObject(contents)
  })

  it.each([undefined, null])('of a resource: %s is "not found"', async (value) => {
    router.resource('a://b', { handler: () => value })
    await expect(router.read('a://b')).rejects.toThrow(/not found/i)
  })

  it.each<[unknown, Json]>([
    ['x', [{ role: 'user', content: { type: 'text', text: 'x' } }]],
    [{ role: 'assistant', content: 'x' }, [{ role: 'assistant', content: { text: 'x' } }]],
    [
      [
        { role: 'user', content: text('x') },
        { role: 'assistant', content: 'y' },
      ],
      [{ role: 'user' }, { role: 'assistant', content: { text: 'y' } }],
    ],
  ])('of a prompt: %j', async (value, messages) => {
    router.prompt('p', { description: 'd', handler: () => value as string })
    expect((await router.getPrompt('p')).messages).toMatchObject(messages)
  })
})

describe('prompts and completion', () => {
  it('refuse a schema that takes no string', () => {
    const input = z.object({ count: z.number() })
    expect(() => router.prompt('p', { description: 'd', input, handler: () => '' })).toThrow(/count/)
  })

  it('send 100 values, and whether there are more', async () => {
    const many = Array.from({ length: 101 }, (_, n) => String(n))
    router.resource('a://{b}', { complete: { b: async () => many }, handler: () => '' })
    const params = { ref: { type: 'ref/resource', uri: 'a://{b}' }, argument: { name: 'b', value: '' } }
    const { completion } = (await ask(router, 'completion/complete', params)).result
    expect([completion.values.length, completion.hasMore]).toEqual([100, true])
  })
})

describe('cache', () => {
  it('of a resource is sent instead of the one of the router', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const hint = async (uri: string) => (await ask(page, 'resources/read', { uri, _meta })).result
    expect(await hint('config://app')).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
    expect(await hint('note://0')).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })
})

describe('templates', () => {
  it('match a segment, slashes, and a query in any order; a fixed resource wins', async () => {
    const handler = (variables: object) => JSON.stringify(variables)
    router.resource('a://{id}', { handler })
    router.resource('f:///{+path}', { handler })
    router.resource('q://x{?a,b}', { handler })
    router.resource('a://fixed', { text: 'fixed' })
    const read = async (uri: string) => (await router.read(uri)).contents[0]?.text
    expect(await read('a://x%20y')).toBe('{"id":"x y"}')
    await expect(read('a://x/y')).rejects.toThrow()
    expect(await read('f:///a/b%20c')).toBe('{"path":"a/b%20c"}')
    expect(JSON.parse((await read('q://x?b=2&a=1')) ?? '')).toEqual({ a: '1', b: '2' })
    expect(await read('q://x')).toBe('{}')
    expect(await read('a://fixed')).toBe('fixed')
  })
})
