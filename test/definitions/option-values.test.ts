import { McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { routers } from '../support/routers.js'
import { connect } from '../wire/client.js'

// Setup mistakes throw at once, naming the option, what was expected and what came.

const handler = () => ''
const { make } = routers()
const naming = (option: string) => new RegExp(`\\b${option}\\b`)

describe('router options', () => {
  it.each<[string, unknown]>([
    ['name', 5],
    ['version', 5],
    ['instructions', {}],
    ['icons', 'x.png'],
    ['icons', ['x.png']],
    ['icons', [{ mimeType: 'image/png' }]],
    ['icons', [{ src: 5 }]],
    ['protocolVersions', []],
    ['protocolVersions', ['2023-01-01']],
    ['protocolVersions', '2025-11-25'],
    ['pageSize', 0],
    ['pageSize', 1.5],
    ['pageSize', '10'],
    ['cache', { lists: { ttlMs: -1, scope: 'public' } }],
    ['cache', { reads: { ttlMs: 5, scope: 'shared' } }],
    ['cache', { list: { ttlMs: 5, scope: 'public' } }],
    ['exposeErrors', 'yes'],
    ['requireUser', 'yes'],
    ['timeoutMs', -1],
    ['timeoutMs', '5s'],
    ['unknownArguments', 'allow'],
    ['secret', 'short'],
    ['secret', ''],
    ['secret', ['a secret of enough bytes', '']],
    ['secret', []],
    ['secret', 5],
    ['sessions', {}],
    ['sessionTtlMs', 0],
    ['schemas', {}],
    ['logger', {}],
    ['logger', 'console'],
    ['logLevel', 'warn'],
    ['onError', true],
    ['onActivity', {}],
  ])('%s: %j is rejected by name', (name, value) => {
    expect(() => make({ [name]: value } as never)).toThrow(naming(name))
  })

  it('may be left out, and undefined counts as left out', async () => {
    const router = make({ name: undefined, pageSize: undefined, secret: undefined })
    router.tool('t', { description: 'd', handler })
    expect((await connect(router).result('tools/list')).tools).toHaveLength(1)
    expect(() => new McpRouter(5 as never)).toThrow(/options object/)
  })
})

describe('options of definitions', () => {
  it.each<[string, unknown]>([
    ['name', 5],
    ['title', 5],
    ['description', { text: 'x' }],
    ['icons', 'x.png'],
    ['icons', ['x.png']],
    ['icons', [null]],
    ['icons', [{ mimeType: 'image/png' }]],
    ['icons', [{ src: 'x.png', sizes: '48x48' }]],
    ['meta', 'x'],
    ['meta', { big: 1n }],
    ['requireUser', 'yes'],
    ['visible', true],
    ['needs', 'elicitation'],
    ['needs', ['telepathy']],
    ['use', handler],
    ['use', [5]],
    ['timeoutMs', -1],
    ['timeoutMs', '5s'],
    ['timeoutMs', Number.NaN],
    ['unknownArguments', 'allow'],
    ['annotations', 'readOnly'],
    ['annotations', { readonly: true }],
    ['annotations', { readOnly: 'yes' }],
    ['annotations', { destructiveHint: 0 }],
    ['annotations', { title: 5 }],
    ['input', 5],
    ['input', null],
    ['output', null],
    ['output', 'string'],
  ])('a tool with %s: %o is rejected by name, without affecting others', async (name, value) => {
    const router = make()
    router.tool('before', { description: 'd', handler })
    expect(() => router.tool('t', { description: 'd', handler, [name]: value } as never)).toThrow(
      naming(name),
    )
    router.tool('after', { description: 'd', handler })
    const { tools } = await connect(router).result('tools/list')
    expect(tools.map((tool: { name: string }) => tool.name)).toEqual(['before', 'after'])
  })

  it.each<[string, unknown]>([
    ['mimeType', 5],
    ['icons', ['x.png']],
    ['input', null],
    ['size', '5'],
    ['size', -1],
    ['size', 1.5],
    ['cache', { ttlMs: -1, scope: 'public' }],
    ['cache', 5000],
    ['complete', () => []],
    ['complete', { id: ['1', '2'] }],
    ['list', []],
    ['annotations', { priority: 5 }],
    ['annotations', { audience: 'user' }],
    ['annotations', { audience: ['model'] }],
    ['annotations', { lastModified: 5 }],
  ])('a template with %s: %o is refused by name', (name, value) => {
    expect(() => make().resource('a://{id}', { handler, [name]: value } as never)).toThrow(naming(name))
  })

  it.each<[string, unknown]>([
    ['icons', ['x.png']],
    ['input', null],
    ['complete', () => []],
  ])('a prompt with %s: %o is refused by name', (name, value) => {
    expect(() => make().prompt('p', { description: 'd', handler, [name]: value } as never)).toThrow(
      naming(name),
    )
  })

  it.each<[string, unknown]>([
    ['text', 5],
    ['blob', 'AQID'],
  ])('a fixed resource with %s: %j is refused by name', (name, value) => {
    expect(() => make().resource('a://b', { [name]: value } as never)).toThrow(naming(name))
  })
})

describe('a definition whose middleware is not an array', () => {
  it('leaves the router working', async () => {
    const router = make()
    try {
      router.tool('t', { description: 'd', handler, use: handler } as never)
    } catch {
      // That it throws is the test above.
    }
    router.tool('fine', { description: 'd', handler })
    expect((await router.call('fine')).content).toEqual([{ type: 'text', text: '' }])
  })
})

describe('a definition that cannot be serialized as JSON', () => {
  it('does not hide the others from the list', async () => {
    const router = make()
    try {
      router.tool('t', { description: 'd', meta: { big: 1n }, handler })
    } catch {
      // That it throws is the test above.
    }
    router.tool('fine', { description: 'd', handler })
    const { tools } = await connect(router).result('tools/list')
    expect(tools.at(-1)).toMatchObject({ name: 'fine' })
  })
})
