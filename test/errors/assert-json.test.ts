import { McpError, type McpRouter, result, text } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { returning } from '../support/returning.js'
import { routers } from '../support/routers.js'
import { connect } from '../wire/client.js'

const { log, make } = routers({ exposeErrors: false })
const { received, failure } = returning(make)
let router: McpRouter
const internal = /^Internal error\. Reference: \S+$/

beforeEach(() => {
  router = make()
})

describe('what JSON cannot carry is a masked fault, and the log names the tool', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = { cycle }
  const getter = {
    get secret() {
      throw new Error('getter')
    },
  }
  const json = { toJSON: () => ({ n: 1n }) }
  it.each<[string, unknown]>([
    ['a BigInt', 1n],
    ['a BigInt inside', { a: [1n] }],
    ['a cycle', cycle],
    ['a throwing getter', getter],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a toJSON that fails', json],
    ['a BigInt in a block', { ...text('a'), _meta: { n: 1n } }],
    ['a cycle in result()', result({ content: 'x', structuredContent: cycle })],
    ['a getter in result()', result({ content: 'x', meta: getter })],
  ])('%s', async (_, value) => {
    expect(await failure(value)).toMatch(internal)
    expect(log.at('error').map((entry) => entry.message)).toEqual([expect.stringContaining('tool "t"')])
    expect(await failure(value, { output: z.any() })).toMatch(internal)
  })

  it.each<[string, unknown]>([
    ['a Buffer', Buffer.from('bytes')],
    ['a Uint8Array', new Uint8Array([1, 2, 3])],
  ])('bytes neither, and the log says what sends them: %s', async (_, value) => {
    expect(await failure(value)).toMatch(internal)
    expect(await failure(Promise.resolve(value))).toMatch(internal)
    for (const { message } of log.at('error')) expect(message).toMatch(/tool "t".*image\(\).*embed\(\)/)
    expect(log.at('error')).toHaveLength(2)
  })

  const nested: [string, unknown, string][] = [
    [
      'a Map',
      { rows: [{ tags: new Map([['a', 1]]) }] },
      'a Map (spread it into an object or array) at rows[0].tags',
    ],
    ['a Set', { tags: new Set(['a']) }, 'a Set (spread it into an object or array) at tags'],
    ['NaN', { rows: [{ price: 1 }, { price: Number.NaN }] }, 'the number NaN at rows[1].price'],
    ['Infinity', [[-Infinity]], 'the number -Infinity at [0][0]'],
    ['a promise', { user: Promise.resolve(1) }, 'a promise (await it) at user'],
    ['what toJSON returns', { a: { toJSON: () => ({ b: new Set([1]) }) } }, 'a Set (spread'],
  ]

  it.each(nested)('holds for %s, which JSON would replace, at any depth', async (_, value, logged) => {
    expect(await failure(value)).toMatch(internal)
    expect(await failure(value, { output: z.any() })).toMatch(internal)
    expect(await failure(result({ content: 'x', structuredContent: value }))).toMatch(internal)
    expect(await failure({ ...text('x'), _meta: { 'e.x/y': value } })).toMatch(internal)
    const messages = log.at('error').map(({ message }) => message)
    expect(messages).toHaveLength(4)
    for (const message of messages) expect(message).toContain('tool "t"')
    expect(messages[0]).toContain(logged)
  })

  it('holds for numbers that are the whole result, and for no value that arrives as it is', async () => {
    expect(await failure(Number.NaN)).toMatch(internal)
    const kept = { a: null, b: {}, c: [null, {}], d: new Date(0), e: undefined, f: 'null {}' }
    const sent = { a: null, b: {}, c: [null, {}], d: '1970-01-01T00:00:00.000Z', f: 'null {}' }
    expect(JSON.parse((await received(kept)).content[0].text)).toEqual(sent)
    expect((await received(kept, { output: z.any() })).structuredContent).toEqual(sent)
  })

  it('holds for resources and prompts, and for the data of errors', async () => {
    router.resource('a://b', { handler: () => ({ text: 'x', meta: { n: 1n } }) })
    router.prompt('p', {
      description: 'd',
      handler: () => [{ role: 'user', content: { ...text('x'), _meta: cycle } }],
    })
    await expect(router.read('a://b')).rejects.toMatchObject({ code: -32603 })
    await expect(router.getPrompt('p')).rejects.toMatchObject({ code: -32603 })
  })
})

describe('what every answer of handle is: JSON', () => {
  it('even where the data of a thrown McpError is not', async () => {
    router.tool('t', {
      description: 'd',
      handler: () => {
        throw new McpError(-31000, 'mine', { n: 1n })
      },
    })
    const answer = await connect(router).request('tools/call', { name: 't' })
    expect(JSON.parse(JSON.stringify(answer))).toMatchObject({ error: { message: expect.any(String) } })
  })

  it('even where a plain result has members of other kinds', async () => {
    const sent = await received({ content: [text('a')], isError: 'yes' })
    expect([undefined, true, false]).toContain(sent.isError)
  })
})

it('carries what JSON carries, whatever is inherited and however deep null is', async () => {
  let nested: unknown = null
  for (let level = 0; level < 300; level++) nested = { nested }
  expect(await received({ nested })).toMatchObject({ content: [{ text: JSON.stringify({ nested }) }] })
  const inheriting = Object.assign(Object.create({ inherited: 1n }), { own: null })
  expect(await received(inheriting)).toMatchObject({ content: [{ text: '{"own":null}' }] })
})
