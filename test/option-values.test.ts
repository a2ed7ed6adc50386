import { McpRouter, type RouterOptions } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { connect, recorder } from './wire/client.js'

// Setup mistakes throw at once, naming the option, what was expected and what came.

const handler = () => ''
const make = (options: RouterOptions = {}): McpRouter =>
  new McpRouter({ logger: recorder().logger, ...options })

describe('router options', () => {
  it.each<[string, unknown]>([
    ['name', 5],
    ['version', 5],
    ['instructions', {}],
    ['icons', 'x.png'],
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
  ])('%s: %j is refused by name', (name, value) => {
    expect(() => make({ [name]: value } as never)).toThrow(new RegExp(`\`?${name}\\b`))
  })

  it('none at all are fine, and undefined is as if it was not there', async () => {
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
    ['input', 5],
    ['output', 'string'],
  ])('a tool with %s: %s is refused by name, and harms nothing else', async (name, value) => {
    const router = make()
    router.tool('before', { description: 'd', handler })
    expect(() => router.tool('t', { description: 'd', handler, [name]: value } as never)).toThrow(
      new RegExp(`\`?${name}\\b`),
    )
    router.tool('after', { description: 'd', handler })
    const { tools } = await connect(router).result('tools/list')
    expect(tools.map((tool: { name: string }) => tool.name)).toEqual(['before', 'after'])
  })

  it.each<[string, unknown]>([
    ['mimeType', 5],
    ['size', '5'],
    ['cache', { ttlMs: -1, scope: 'public' }],
    ['cache', 5000],
    ['complete', () => []],
    ['complete', { id: ['1', '2'] }],
    ['list', []],
    ['annotations', { priority: 5 }],
  ])('a template with %s: %s is refused by name', (name, value) => {
    expect(() => make().resource('a://{id}', { handler, [name]: value } as never)).toThrow(
      new RegExp(`\`?${name}\\b`),
    )
  })

  it.each<[string, unknown]>([
    ['text', 5],
    ['blob', 'AQID'],
  ])('a fixed resource with %s: %j is refused by name', (name, value) => {
    expect(() => make().resource('a://b', { [name]: value } as never)).toThrow(new RegExp(`\`?${name}\\b`))
  })
})

describe('a definition whose middleware is no list', () => {
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

describe('a definition that cannot be written as JSON', () => {
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
