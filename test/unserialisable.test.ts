import { McpError, type McpRouter, result, text } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { returning } from './support/returning.js'
import { routers } from './support/routers.js'
import { connect } from './wire/client.js'

const { log, make } = routers({ exposeErrors: false })
const { received, failure } = returning(make)
let router: McpRouter

beforeEach(() => {
  router = make()
})

describe('what JSON cannot carry is answered with -32603, and the log names the tool', () => {
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
    const error = await failure(value)
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/^Internal error/) })
    expect(log.at('error').map((entry) => entry.message)).toEqual([expect.stringContaining('tool "t"')])
    expect((await failure(value, { output: z.any() })).code).toBe(-32603)
  })

  it.each<[string, unknown]>([
    ['a Buffer', Buffer.from('bytes')],
    ['a Uint8Array', new Uint8Array([1, 2, 3])],
  ])('bytes neither, and the log says what sends them: %s', async (_, value) => {
    expect((await failure(value)).code).toBe(-32603)
    expect((await failure(Promise.resolve(value))).code).toBe(-32603)
    for (const { message } of log.at('error')) expect(message).toMatch(/tool "t".*image\(\).*embed\(\)/)
    expect(log.at('error')).toHaveLength(2)
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
