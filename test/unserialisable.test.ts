import { McpRouter, result, text } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, modern, recorder } from './wire/client.js'

const log = recorder()
let router: McpRouter

beforeEach(() => {
  log.entries.length = 0
  router = new McpRouter({ logger: log.logger, exposeErrors: false })
})

/** What a client receives from a tool that returns `value`. */
async function received(value: unknown, options: object = {}, version: string = modern) {
  const own = new McpRouter({ logger: log.logger, exposeErrors: false })
  own.tool('t', { description: 'd', ...options, handler: () => value as never })
  const { resultType, _meta, ...rest } = await connect(own, version).result('tools/call', { name: 't' })
  return JSON.parse(JSON.stringify(rest))
}
const failure = async (value: unknown, options: object = {}, version: string = modern) => {
  const own = new McpRouter({ logger: log.logger, exposeErrors: false })
  own.tool('t', { description: 'd', ...options, handler: () => value as never })
  return connect(own, version).error('tools/call', { name: 't' })
}
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
    const { McpError } = await import('mcp-router')
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
