import { type } from 'arktype'
import { audio, embed, image, link, type McpRouter, result, ToolError, text } from 'mcp-router'
import * as v from 'valibot'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { returning, texts } from '../support/returning.js'
import { routers } from '../support/routers.js'
import { modern } from '../wire/client.js'

const { log, make } = routers({ exposeErrors: false })
const { received, failure } = returning(make)
let router: McpRouter

beforeEach(() => {
  router = make()
})

const internal = /^Internal error\. Reference: \S+$/

describe('a tool that returns', () => {
  it.each<[string, unknown, string]>([
    ['a string', 'hello', 'hello'],
    ['an empty string', '', ''],
    ['a number', 42, '42'],
    ['false', false, 'false'],
    ['an object', { a: [1, null] }, '{"a":[1,null]}'],
    ['an array', [1, 'b'], '[1,"b"]'],
    ['an empty array', [], '[]'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['a promise', Promise.resolve({ a: 1 }), '{"a":1}'],
    ['data that looks a little like a block', { type: 'text', value: 1 }, '{"type":"text","value":1}'],
    ['an array with one thing that is no block', [text('a'), 5], '[{"type":"text","text":"a"},5]'],
    ['content that is no list of blocks', { content: 'x' }, '{"content":"x"}'],
    ['content with a foreign key', { content: [], total: 0 }, '{"content":[],"total":0}'],
    ['content with metadata that is none', { content: [], _meta: 5 }, '{"content":[],"_meta":5}'],
    ['content with a failure that is none', { content: [], isError: 1 }, '{"content":[],"isError":1}'],
  ])('%s sends one text block', async (_, value, expected) => {
    expect(await received(value)).toEqual(texts(expected))
  })

  it.each([
    ['a Map', new Map([['a', 1]]), /Map; spread it/],
    ['a Set', new Set([1]), /Set; spread it/],
    ['bytes', new Uint8Array(1), /image\(\), audio\(\) or embed\(\)/],
    ['a buffer', new ArrayBuffer(1), /image\(\), audio\(\) or embed\(\)/],
  ])('%s is a fault that says what to return instead', async (_, value, message) => {
    router.tool('t', { description: 'd', handler: () => value })
    expect(await router.call('t')).toMatchObject({ isError: true })
    expect(log.at('error').at(-1)?.message).toMatch(message)
  })

  it.each([[undefined], [null]])('%s sends no content', async (value) => {
    expect(await received(value)).toEqual({ content: [] })
  })

  it('a block or an array of them sends those, untouched', async () => {
    const block = { type: 'text', text: 'a', annotations: { priority: 1 }, _meta: { 'e.x/y': 1 } }
    expect(await received(block)).toEqual({ content: [block] })
    expect(await received([block, image('AQ==', 'image/png')])).toEqual({
      content: [block, { type: 'image', data: 'AQ==', mimeType: 'image/png' }],
    })
  })

  it('a plain { content } of valid blocks sends itself', async () => {
    const whole = { ...texts('a'), isError: true, structuredContent: { a: 1 } }
    expect(await received(whole)).toEqual(whole)
  })

  it('result() sends itself, with metadata', async () => {
    expect(await received(result({ content: 'x' }))).toEqual(texts('x'))
    expect(await received(result({ content: text('x'), structuredContent: [1], isError: false }))).toEqual({
      ...texts('x'),
      structuredContent: [1],
      isError: false,
    })
    router.tool('t', { description: 'd', handler: () => result({ content: [], meta: { 'e.x/y': 1 } }) })
    expect((await router.call('t'))._meta).toMatchObject({ 'e.x/y': 1 })
    expect(() => result({ content: [{ type: 'x' }] as never })).toThrow(/content\[0\]/)
  })
})

describe('the helpers', () => {
  const annotations = { audience: ['user' as const], priority: 0.5 }
  const bytes = new Uint8Array([1, 2, 3])

  it('build blocks, and take annotations and meta', () => {
    const extras = { annotations, meta: { 'e.x/y': 1 } }
    const out = { annotations, _meta: { 'e.x/y': 1 } }
    expect(text('a', extras)).toEqual({ type: 'text', text: 'a', ...out })
    expect(image(bytes, 'image/png', extras)).toEqual({
      type: 'image',
      data: 'AQID',
      mimeType: 'image/png',
      ...out,
    })
    expect(audio('AQID', 'audio/wav')).toEqual({ type: 'audio', data: 'AQID', mimeType: 'audio/wav' })
    expect(link('file:///a/b.txt', { ...extras, size: 3 })).toEqual({
      type: 'resource_link',
      uri: 'file:///a/b.txt',
      name: 'b.txt',
      size: 3,
      ...out,
    })
    expect(embed('a://b', 'x')).toEqual({
      type: 'resource',
      resource: { uri: 'a://b', mimeType: 'text/plain', text: 'x' },
    })
    expect(embed('a://b', bytes, 'image/png', extras)).toEqual({
      type: 'resource',
      resource: { uri: 'a://b', mimeType: 'image/png', blob: 'AQID' },
      ...out,
    })
    expect(embed('a://b', Buffer.from('x'))).toMatchObject({
      resource: { mimeType: 'application/octet-stream', blob: 'eA==' },
    })
  })
})

describe('a tool with output', () => {
  const User = z.object({ name: z.string(), at: z.date().optional() })

  it('sends the parsed value, so what the schema does not know never leaves', async () => {
    const row = { name: 'Ana', passwordHash: 'x', at: new Date(0) }
    const sent = await received(row, { output: User })
    expect(sent.structuredContent).toEqual({ name: 'Ana', at: '1970-01-01T00:00:00.000Z' })
    expect(JSON.parse(sent.content[0].text)).toEqual(sent.structuredContent)
    expect(JSON.stringify(sent)).not.toContain('passwordHash')
    const own = result({ content: 'Ana', structuredContent: row })
    expect(JSON.stringify(await received(own, { output: User }))).not.toContain('passwordHash')
  })

  it('wraps what is no object for revisions that demand one; the text is the bare value', async () => {
    const output = z.array(z.number())
    expect(await received([1], { output })).toEqual({ ...texts('[1]'), structuredContent: [1] })
    for (const version of ['2025-06-18', '2025-11-25']) {
      expect(await received([1], { output }, version)).toEqual({
        ...texts('[1]'),
        structuredContent: { result: [1] },
      })
    }
    expect(await received([1], { output }, '2025-03-26')).toEqual(texts('[1]'))
    expect(await received(null, { output: z.null() })).toEqual({ ...texts('null'), structuredContent: null })
    const either = z.union([z.object({ a: z.number() }), z.string()])
    expect(await received({ a: 1 }, { output: either }, '2025-11-25')).toMatchObject({
      structuredContent: { result: { a: 1 } },
    })
  })

  it.each(['2025-03-26', '2025-11-25', modern])(
    'that it fails is a masked fault with a reference: %s',
    async (version) => {
      const message = await failure({ name: 5, secret: 'hunter2' }, { output: User }, version)
      expect(message).toMatch(/^Internal error. Reference: \S+$/)
      const [entry] = log.at('error')
      expect(entry?.message).toContain('tool "t"')
      expect(entry?.message).toContain('name')
      expect(entry?.message).toContain(message.split(': ')[1])
    },
  )

  it('lets result() send an error or blocks beside it, and demands structured content otherwise', async () => {
    const refused = result({ content: 'not today', isError: true })
    expect(await received(refused, { output: User })).toEqual({ ...texts('not today'), isError: true })
    const blocks = result({ content: [text('a'), text('b')], structuredContent: { name: 'Ana' } })
    expect(await received(blocks, { output: User })).toEqual({
      ...texts('a', 'b'),
      structuredContent: { name: 'Ana' },
    })
    for (const structuredContent of [undefined, {}]) {
      const made = result({ content: 'x', structuredContent })
      expect(await failure(made, { output: User })).toMatch(internal)
    }
  })

  it.each<[string, object]>([
    ['Zod 4', User],
    ['Zod 3', z3.object({ name: z3.string() })],
    ['Valibot', v.object({ name: v.string() })],
    ['ArkType', type({ name: 'string' })],
    ['ArkType, a union', type({ kind: "'a'", name: 'string' }).or({ kind: "'b'", 'other?': 'string' })],
    [
      'JSON Schema',
      { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
    ],
  ])('sends no field that the schema does not know, in an error either: %s', async (name, output) => {
    const row = { kind: 'a', name: 'Ana', passwordHash: 'x', nested: { passwordHash: 'y' } }
    const refused = result({ content: 'no', structuredContent: row, isError: true })
    for (const version of ['2025-03-26', '2025-11-25', modern]) {
      const sent = await received(refused, { output }, version)
      expect(sent).toMatchObject({ ...texts('no'), isError: true })
      expect(JSON.stringify(sent)).not.toContain('passwordHash')
    }
    if (name === 'JSON Schema') expect(await failure(row, { output })).not.toContain('passwordHash')
    else expect(JSON.stringify(await received(row, { output }))).not.toContain('passwordHash')
  })

  it('leaves structured content that does not match out of an error, with a warning', async () => {
    const refused = result({ content: 'no', structuredContent: { name: 5 }, isError: true })
    expect(await received(refused, { output: User })).toEqual({ ...texts('no'), isError: true })
    expect(log.at('warn').at(-1)?.message).toMatch(
      /^tool "t": left the structuredContent of an error out.*name/,
    )
    const later = z.object({ a: z.number().refine(async (n) => n > 1) })
    const late = result({ content: 'no', structuredContent: { a: 1 }, isError: true })
    expect(await received(late, { output: later })).toEqual({ ...texts('no'), isError: true })
  })

  it('sends what JSON Schema leaves open, and what a library was told to let through', async () => {
    const row = { name: 'Ana', other: 1 }
    const open = { type: 'object', properties: { name: { type: 'string' } } }
    expect((await received(row, { output: open })).structuredContent).toEqual(row)
    expect((await received(row, { output: z.looseObject({ name: z.string() }) })).structuredContent).toEqual(
      row,
    )
    expect(await failure(row, { output: type({ name: 'string', '+': 'reject' }) })).toMatch(internal)
  })

  it('drops fields from each object that says nothing of them, whatever ArkType was told of the others', async () => {
    const row = { user: { name: 'Ana', hash: 'x' }, tags: ['a'], secret: 'y' }
    const stripped = { user: { name: 'Ana' }, tags: ['a'] }
    const shape = { user: { name: 'string' }, tags: 'string[]' } as const
    for (const output of [
      type({ '+': 'delete', ...shape }),
      type({ ...shape, user: type({ '+': 'delete', name: 'string' }) }),
      type({ user: shape.user, tags: 'string[]', 'more?': type({ '+': 'reject', a: 'string' }) }),
    ])
      expect((await received(row, { output })).structuredContent).toEqual(stripped)
    const refusing = type({ user: type({ '+': 'reject', name: 'string' }), 'other?': { a: 'string' } })
    expect(await failure(row, { output: refusing })).toMatch(internal)
    expect(
      (await received({ user: { name: 'Ana' }, secret: 1 }, { output: refusing })).structuredContent,
    ).toEqual({
      user: { name: 'Ana' },
    })
    expect(log.at('warn')).toEqual([])
  })

  it.each([
    ['a type that refers to itself', type.module({ node: { 'next?': 'node', v: 'string' } }).node],
    [
      'an object that a morph returns',
      type({ v: 'string' })
        .pipe((row) => row)
        .to({ v: 'string' }),
    ],
  ])('warns where ArkType cannot drop unknown fields of %s', async (_, output) => {
    await received({ v: 'a' }, { output })
    expect(log.at('warn').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(
        /^tool "t": its output holds a type that refers to itself, or an object that a morph returns, from which ArkType/,
      ),
    )
  })

  it('warns where ArkType cannot drop unknown fields', async () => {
    const output = type({ a: 'string' }).or({ b: 'number' })
    expect((await received({ a: 'x', c: 1 }, { output })).structuredContent).toEqual({ a: 'x', c: 1 })
    expect(log.at('warn').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^tool "t": its output is a union that overlaps/),
    )
  })

  it('may be checked later, and a ToolError stays a result', async () => {
    const output = z.object({ a: z.number().refine(async (n) => n > 1) })
    expect((await received({ a: 2 }, { output })).structuredContent).toEqual({ a: 2 })
    expect(await failure({ a: 1 }, { output })).toMatch(internal)
    router.tool('e', {
      description: 'd',
      output,
      handler: () => {
        throw new ToolError('no')
      },
    })
    expect(await router.call('e')).toEqual({ ...texts('no'), isError: true })
  })
})
