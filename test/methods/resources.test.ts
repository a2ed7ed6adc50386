import { type McpRouter, NotFoundError } from 'mcp-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'
import { connect, legacyVersions, modern } from '../wire/client.js'

const bytes = new Uint8Array([0, 255, 3])
let router: McpRouter

const { log, make } = routers({ exposeErrors: false })
const read = async (uri: string) => (await router.read(uri)).contents
/** The contents that a handler's value becomes. */
const contents = async (value: unknown, options: object = {}) => {
  const own = make()
  own.resource('a://b', { ...options, handler: () => value as never })
  return (await own.read('a://b')).contents
}

beforeEach(() => {
  router = make()
})

describe('a resource handler that returns', () => {
  it.each<[string, unknown, object]>([
    ['a string', 'x', { mimeType: 'text/plain', text: 'x' }],
    ['an empty string', '', { mimeType: 'text/plain', text: '' }],
    ['bytes', bytes, { mimeType: 'application/octet-stream', blob: 'AP8D' }],
    ['a Buffer', Buffer.from('hi'), { mimeType: 'application/octet-stream', blob: 'aGk=' }],
    ['{ text }', { text: 'x' }, { mimeType: 'text/plain', text: 'x' }],
    ['{ blob } as bytes', { blob: bytes }, { mimeType: 'application/octet-stream', blob: 'AP8D' }],
    ['{ blob } as base64', { blob: 'AP8D', mimeType: 'image/png' }, { mimeType: 'image/png', blob: 'AP8D' }],
    ['a promise', Promise.resolve('x'), { mimeType: 'text/plain', text: 'x' }],
  ])('%s is one item with the URI asked for', async (_, value, expected) => {
    expect(await contents(value)).toEqual([{ uri: 'a://b', ...expected }])
  })

  it('an array is several, each with URI, type and metadata of its own', async () => {
    const items = ['x', bytes, { text: 'y', uri: 'a://b/1', mimeType: 'text/css', meta: { 'e.x/y': 1 } }]
    expect(await contents(items, { mimeType: 'text/markdown' })).toEqual([
      { uri: 'a://b', mimeType: 'text/markdown', text: 'x' },
      { uri: 'a://b', mimeType: 'text/markdown', blob: 'AP8D' },
      { uri: 'a://b/1', mimeType: 'text/css', text: 'y', _meta: { 'e.x/y': 1 } },
    ])
    expect(await contents([])).toEqual([])
  })

  it.each([5, true, {}, { text: 5 }, { blob: 5 }, [null], [['x']], 1n, () => 'x'])(
    '%s is the bug of the server: -32603',
    async (value) => {
      await expect(contents(value)).rejects.toMatchObject({ code: -32603 })
      expect(log.at('error').at(-1)?.message).toContain('resource "a://b"')
    },
  )

  it.each([undefined, null])('%s was not found, by the code of the era, with the URI', async (value) => {
    router.resource('a://{id}', { handler: () => value })
    const gone = { message: expect.stringContaining('a://7'), data: { uri: 'a://7' } }
    const params = { uri: 'a://7' }
    expect(await connect(router, modern).error('resources/read', params)).toMatchObject({
      ...gone,
      code: -32602,
    })
    for (const version of legacyVersions)
      expect(await connect(router, version).error('resources/read', params)).toMatchObject({
        ...gone,
        code: -32002,
      })
    expect(log.at('error')).toEqual([])
  })

  it('a NotFoundError says so too, and names the URI', async () => {
    router.resource('a://{id}', {
      handler: () => {
        throw new NotFoundError('no such task')
      },
    })
    const error = { message: 'no such task', data: { uri: 'a://7' } }
    expect(await connect(router).error('resources/read', { uri: 'a://7' })).toMatchObject({
      ...error,
      code: -32602,
    })
    expect(await connect(router, '2025-06-18').error('resources/read', { uri: 'a://7' })).toMatchObject({
      ...error,
      code: -32002,
    })
  })
})

describe('a fixed resource', () => {
  it('may be static text or bytes, with size and type in the list', async () => {
    router.resource('config://app', { mimeType: 'application/json', text: '{"ä":1}' })
    router.resource('text://plain', { text: '' })
    router.resource('logo://x', { blob: bytes, title: 'Logo' })
    expect(await read('config://app')).toEqual([
      { uri: 'config://app', mimeType: 'application/json', text: '{"ä":1}' },
    ])
    expect(await read('text://plain')).toEqual([{ uri: 'text://plain', mimeType: 'text/plain', text: '' }])
    expect(await read('logo://x')).toEqual([
      { uri: 'logo://x', mimeType: 'application/octet-stream', blob: 'AP8D' },
    ])
    expect((await connect(router).result('resources/list')).resources).toEqual([
      { uri: 'config://app', name: 'app', mimeType: 'application/json', size: 8 },
      { uri: 'text://plain', name: 'plain', mimeType: 'text/plain', size: 0 },
      { uri: 'logo://x', name: 'x', title: 'Logo', mimeType: 'application/octet-stream', size: 3 },
    ])
  })

  it('may be empty, and says so', async () => {
    router.resource('log://today', { size: 0, handler: () => '' })
    expect((await connect(router).result('resources/list')).resources).toMatchObject([{ size: 0 }])
  })

  it('wins over a template that matches too, whichever came first', async () => {
    router.resource('task://{id}', { handler: ({ id }) => `template ${id}` })
    router.resource('task://new', { handler: (variables) => `fixed ${JSON.stringify(variables)}` })
    router.resource('task://{+rest}', { handler: ({ rest }) => `rest ${rest}` })
    expect(await read('task://new')).toMatchObject([{ text: 'fixed {}' }])
    expect(await read('task://7')).toMatchObject([{ text: 'template 7' }])
    expect(await read('task://7/8')).toMatchObject([{ text: 'rest 7/8' }])
    await expect(read('task:')).rejects.toMatchObject({ code: -32602, data: { uri: 'task:' } })
  })

  it('knows its URI as it was asked for', async () => {
    router.resource('a://{id}{?q}', { handler: (_, ctx) => ctx.uri })
    expect(await read('a://%20?q=1')).toMatchObject([{ uri: 'a://%20?q=1', text: 'a://%20?q=1' }])
  })
})

describe('a template', () => {
  it('gives decoded variables, as strings without input', async () => {
    router.resource('db://{table}/{+path}{?limit,q}', { handler: (variables) => JSON.stringify(variables) })
    const text = async (uri: string) => JSON.parse((await read(uri))[0]?.text ?? '')
    expect(await text('db://a%20b/c/d%20e?q=%26&limit=5')).toEqual({
      table: 'a b',
      path: 'c/d%20e',
      limit: '5',
      q: '&',
    })
    expect(await text('db://t/p')).toEqual({ table: 't', path: 'p' })
  })

  it.each<[string, unknown]>([
    ['zod', z.object({ id: z.coerce.number().int(), q: z.string().default('none') })],
    [
      'JSON Schema',
      { type: 'object', properties: { id: { type: 'integer' }, q: { type: 'string', default: 'none' } } },
    ],
  ])('with input checks and converts them: %s', async (_, input) => {
    const ran = vi.fn((variables: unknown) => JSON.stringify(variables))
    router.resource('a://{id}{?q}', { input, handler: ran } as never)
    expect(await read('a://7')).toMatchObject([{ text: '{"id":7,"q":"none"}' }])
    await expect(read('a://x')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('id'),
    })
    expect(ran).toHaveBeenCalledTimes(1)
  })

  it('is in the list of templates only', async () => {
    router.resource('a://{id}', { title: 'T', mimeType: 'text/css', handler: () => '' })
    const client = connect(router)
    expect((await client.result('resources/list')).resources).toEqual([])
    expect((await client.result('resources/templates/list')).resourceTemplates).toEqual([
      { uriTemplate: 'a://{id}', name: 'a', title: 'T', mimeType: 'text/css' },
    ])
  })

  it.each([
    ['file://..%2F..%2Fetc%2Fpasswd', '{+name}'],
    ['file://%2E%2E', 'name must not be ".."'],
    ['file://a%00.txt', 'control characters'],
    ['tree:///srv/%2e%2e/etc', 'path must not contain the segment ".."'],
    ['tree:///srv/..\\etc', 'path must not contain the segment ".."'],
  ])('refuses %s before the handler, and says why', async (uri, reason) => {
    const ran = vi.fn(() => 'read')
    router.resource('file://{name}', { handler: ran })
    router.resource('tree://{+path}', { handler: ran })
    const refused = { code: -32602, message: expect.stringContaining(reason) }
    await expect(read(uri)).rejects.toMatchObject(refused)
    await expect(router.read(uri)).rejects.toMatchObject(refused)
    for (const version of [...legacyVersions, modern])
      expect(await connect(router, version).error('resources/read', { uri })).toMatchObject(refused)
    expect(ran).not.toHaveBeenCalled()
  })

  it('leaves a URI that it refuses to the next one that takes it', async () => {
    router.resource('file://{name}', { handler: () => 'name' })
    router.resource('file://{+path}', { handler: ({ path }) => path })
    expect(await read('file://a%2Fb')).toMatchObject([{ text: 'a%2Fb' }])
  })

  it('does not say why where the caller does not see it', async () => {
    router.resource('file://{name}', { visible: () => false, handler: () => 'name' })
    await expect(read('file://a%2Fb')).rejects.toMatchObject({
      message: expect.stringContaining('not found'),
    })
  })

  it.each([5, undefined, null, {}])('asked for with the URI %j is -32602', async (uri) => {
    router.resource('a://{id}', { handler: () => '' })
    expect((await connect(router).error('resources/read', { uri })).code).toBe(-32602)
  })
})

describe('its name', () => {
  it('is `name`, else the key, else the last part of the URI', async () => {
    const { resource } = await import('mcp-router')
    router.add({ key: resource('a://b', { text: '' }), other: resource('c://d', { name: 'own', text: '' }) })
    router.resource('notes://a/b/last', { text: '' })
    router.resource('config://', { text: '' })
    expect(router.list().map(({ name }) => name)).toEqual(['key', 'own', 'last', 'config'])
  })

  it.each([
    ['config://app', 'app'],
    ['task://{id}', 'task'],
    ['s://p/{id}', 'p'],
    ['db://users/{id}/tags', 'tags'],
    ['repo://{owner}/{+path}', 'repo'],
    ['task://all{?status}', 'all'],
  ])('is by default the last part of %s that is no variable: %s', (uri, name) => {
    expect(router.resource(uri, { handler: () => '' }).name).toBe(name)
  })
})
