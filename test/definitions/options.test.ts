import { type McpRouter, prompt, tool } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messageOf } from '../support/message-of.js'
import { routers, toolNames } from '../support/routers.js'
import { connect } from '../wire/client.js'

const { log, make } = routers()
let router: McpRouter

beforeEach(() => {
  router = make()
})

describe('an option that does not exist', () => {
  it.each([
    ['inputSchema', 'input'],
    ['parameters', 'input'],
    ['outputSchema', 'output'],
    ['execute', 'handler'],
    ['callback', 'handler'],
    ['_meta', 'meta'],
    ['middleware', 'use'],
    ['timeout', 'timeoutMs'],
    ['descripton', 'description'],
    ['Title', 'title'],
    ['requireuser', 'requireUser'],
    ['annotation', 'annotations'],
  ])('%s is refused, naming `%s`', (wrong, right) => {
    const options = { handler: () => '', [wrong]: {} } as never
    const text = messageOf(() => router.tool('named', options))
    expect(text).toContain(`\`${wrong}\``)
    expect(text).toContain(`did you mean \`${right}\``)
    expect(messageOf(() => tool(options))).toContain(`did you mean \`${right}\``)
  })

  it('is rejected with the name that the definition is added under', () => {
    expect(messageOf(() => router.tool('named', { handler: () => '', descripton: '' } as never))).toMatch(
      /"named"/,
    )
    expect(messageOf(() => router.prompt('named', { handler: () => '', args: '' } as never))).toMatch(
      /"named"/,
    )
    expect(messageOf(() => tool({ handler: () => '', descripton: '' } as never))).toMatch(/^tool/)
  })

  it('is rejected on resources, prompts and routers too', () => {
    expect(messageOf(() => router.resource('a://b', { text: '', mimetype: 'x' } as never))).toContain(
      '`mimeType`',
    )
    expect(messageOf(() => prompt({ handler: () => '', arguments: {} } as never))).toContain('`arguments`')
    expect(messageOf(() => make({ pagesize: 5 } as never))).toContain('did you mean `pageSize`')
    expect(messageOf(() => make({ zzzzzzzzzz: 5 } as never))).toMatch(
      /no option `zzzzzzzzzz`; known are name/,
    )
  })

  it('is rejected inside other options too', () => {
    const add = (options: object) =>
      messageOf(() => router.resource('a://b', { text: '', ...options } as never))
    expect(
      messageOf(() => router.tool('t', { handler: () => '', annotations: { readonly: true } } as never)),
    ).toMatch(/tool "t".*annotations.*did you mean `readOnly`/)
    expect(add({ annotations: { lastmodified: '' } })).toMatch(/annotations.*did you mean `lastModified`/)
    expect(add({ icons: [{ src: 'x.png', mimetype: 'x' }] })).toMatch(/icons.*did you mean `mimeType`/)
    expect(add({ cache: { ttl: 5, scope: 'public' } })).toMatch(/cache.*`ttlMs`/)
    expect(router.list()).toEqual([])
  })
})

describe('a name', () => {
  it.each(['', 'a b', 'ä', 'a/b', 'x'.repeat(129), 'a\n'])(
    'that the protocol forbids is refused: %j',
    (name) => {
      expect(messageOf(() => router.tool(name, { handler: () => '' }))).toMatch(/tool/)
      expect(router.list()).toEqual([])
    },
  )

  it.each(['a.b', 'x'.repeat(61)])('that some clients reject causes a warning: %s', (name) => {
    router.tool(name, { description: 'd', handler: () => '' })
    expect(log.at('warn')).toHaveLength(1)
    expect(log.at('warn')[0]?.message).toContain(`tool "${name}"`)
  })

  it('without a description causes a warning, for tools and prompts', () => {
    router.tool('t', { handler: () => '' })
    router.prompt('p', { handler: () => '' })
    router.resource('r://x', { text: '' })
    expect(log.at('warn').map((entry) => entry.message)).toEqual([
      expect.stringContaining('tool "t" has no description'),
      expect.stringContaining('prompt "p" has no description'),
    ])
  })

  it('is looked up as an own property', async () => {
    router.tool('t', { description: 'd', handler: () => '' })
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      await expect(router.call(name)).rejects.toMatchObject({ code: -32602 })
      expect(router.has('tool', name)).toBe(false)
    }
    for (const method of ['constructor', '__proto__', 'toString'])
      expect((await connect(router).error(method)).code).toBe(-32601)
  })
})

describe('a definition that cannot be served fails when it is added, by name', () => {
  const handler = () => ''
  it.each<[string, (of: McpRouter) => unknown, RegExp]>([
    ['no handler', (of) => of.tool('t', {} as never), /expected a function as `handler`/],
    ['options that are no object', (of) => of.tool('t', 5 as never), /expected .*options/],
    ['a URI without scheme', (of) => of.resource('x' as never, { text: '' } as never), /scheme/],
    ['text and handler', (of) => of.resource('a://b', { text: '', handler } as never), /text and handler/],
    ['no source', (of) => of.resource('a://b', {} as never), /none/],
    ['static text for a template', (of) => of.resource('a://{b}', { text: '' } as never), /handler/],
    ['an operator', (of) => of.resource('a://{#b}', { handler } as never), /\{#b\}/],
    [
      'input without variable',
      (of) => of.resource('a://b', { text: '', input: z.object({}) } as never),
      /input/,
    ],
    [
      'completion of nothing',
      (of) => of.prompt('p', { handler, complete: { x: handler } } as never),
      /complete\.x/,
    ],
    [
      'the size of a template',
      (of) => of.resource('a://{b}', { size: 5, handler } as never),
      /a:\/\/\{b\}.*`size`.*`list`/,
    ],
    [
      'an input that is no object',
      (of) => of.tool('t', { input: { type: 'array' }, handler } as never),
      /tool "t"/,
    ],
    [
      'a plain record of schemas',
      (of) => of.tool('t', { input: { a: z.string() }, handler } as never),
      /z\.object/,
    ],
  ])('%s', async (_, add, expected) => {
    expect(messageOf(() => add(router))).toMatch(expected)
    expect(router.list()).toEqual([])
    router.tool('fine', { description: 'd', handler })
    expect(await toolNames(router)).toEqual(['fine'])
  })
})

describe('unknownArguments of a tool without input', () => {
  const sent = { text: 'hi', nested: { a: [1] } }
  const seenBy = async (options: object, ofRouter: object = {}): Promise<unknown> => {
    const router = make(ofRouter)
    let seen: unknown = 'nothing'
    router.tool('t', {
      description: 'd',
      ...options,
      handler: (input) => {
        seen = input
      },
    })
    const client = connect(router)
    const { tools } = await client.result('tools/list')
    const answer = await client.result('tools/call', { name: 't', arguments: { ...sent, _meta: 1 } })
    const closed = tools[0].inputSchema.additionalProperties === false
    return { seen, closed, refused: answer.isError ? answer.content : undefined }
  }

  it('rejects by default, naming the keys', async () => {
    const refused = [{ type: 'text', text: expect.stringContaining('text: unknown key; none are known') }]
    expect(await seenBy({})).toEqual({ seen: 'nothing', closed: true, refused })
    expect(await seenBy({ unknownArguments: 'reject' }, { unknownArguments: 'pass' })).toMatchObject({
      refused,
    })
  })

  it('strips if the option says so', async () => {
    expect(await seenBy({ unknownArguments: 'strip' })).toEqual({
      seen: {},
      closed: false,
      refused: undefined,
    })
  })

  it.each<[string, object, object]>([
    ['tool', { unknownArguments: 'pass' }, {}],
    ['router', {}, { unknownArguments: 'pass' }],
  ])(
    'passes them to the handler where the %s says so, without keys that clients add',
    async (_, tool, router) => {
      expect(await seenBy(tool, router)).toEqual({ seen: sent, closed: false, refused: undefined })
    },
  )

  it('does not change the arguments of templates and prompts', async () => {
    const router = make({ unknownArguments: 'pass' })
    router.prompt('p', { description: 'd', handler: (input) => JSON.stringify(input) })
    expect(await router.getPrompt('p', { a: 'x' })).toMatchObject({ messages: [{ content: { text: '{}' } }] })
  })
})
