/** What docs/errors.md promises. */

import { ForbiddenError, InvalidParamsError, McpError, McpRouter, ToolError } from 'mcp-router'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorsPage, load } from './programs.js'

const quiet = { info() {}, warn() {}, error() {} }
let page: McpRouter
beforeAll(async () => {
  page = (await load<{ router: McpRouter }>(errorsPage)).router
})

it('the page shows what was meant for the caller and masks the rest', async () => {
  const texts = await Promise.all(
    ['unknown', 'locked', 'other'].map(async (id) => (await page.call('account_close', { id })).content[0]),
  )
  expect(texts).toMatchObject([
    { text: 'There is no such account' },
    { text: 'The account is locked' },
    { text: expect.stringMatching(/^Internal error\. Reference: [\w-]+$/) },
  ])
})

describe('what is thrown', () => {
  const masked = expect.stringMatching(/^Internal error\. Reference/)
  const status = (number: number, more: object = {}) =>
    Object.assign(new Error('said'), { status: number }, more)

  it.each<[string, unknown, unknown, object]>([
    ['ToolError', new ToolError('said'), 'said', { message: 'said' }],
    ['InvalidParamsError', new InvalidParamsError('said'), 'said', { code: -32602, message: 'said' }],
    ['a 4xx status', status(409), 'said', { message: 'said' }],
    ['expose', Object.assign(new Error('said'), { expose: true }), 'said', { message: 'said' }],
    ['expose: false', status(404, { expose: false }), masked, { code: -32603, message: masked }],
    ['an error of an HTTP client', status(404, { response: {} }), masked, { code: -32603, message: masked }],
    ['anything else', new Error('said'), masked, { code: -32603, message: masked }],
  ])('%s is a result of a tool, an error of a resource', async (_, error, text, refused) => {
    const router = new McpRouter({ exposeErrors: false, logger: quiet })
    const handler = (): never => {
      throw error
    }
    router.tool('t', { description: 'd', handler })
    router.resource('a://b', { handler })
    expect(await router.call('t')).toMatchObject({ isError: true, content: [{ text }] })
    await expect(router.read('a://b')).rejects.toMatchObject(refused)
  })

  it.each([new McpError(7, 'said', { more: 1 }), new ForbiddenError('said')])(
    '%s is a JSON-RPC error from both',
    async (error) => {
      const router = new McpRouter({ logger: quiet })
      const handler = (): never => {
        throw error
      }
      router.tool('t', { description: 'd', handler })
      router.resource('a://b', { handler })
      const { code, message, data } = error
      await expect(router.call('t')).rejects.toMatchObject({ code, message, data })
      await expect(router.read('a://b')).rejects.toMatchObject({ code, message, data })
    },
  )

  it('may be returned as well', async () => {
    const router = new McpRouter({ exposeErrors: false, logger: quiet })
    router.tool('t', { description: 'd', handler: () => new ToolError('said') })
    router.resource('a://b', { handler: () => new ToolError('said') as never })
    expect(await router.call('t')).toMatchObject({ isError: true, content: [{ text: 'said' }] })
    await expect(router.read('a://b')).rejects.toMatchObject({ message: 'said' })
  })

  it('takes too long: the client is told', async () => {
    const router = new McpRouter({ timeoutMs: 10, logger: quiet })
    router.tool('t', { description: 'd', handler: () => new Promise(() => {}) })
    expect(await router.call('t')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('10 ms') }],
    })
  })

  it('arguments and results that do not fit have their own rows', async () => {
    const router = new McpRouter({ exposeErrors: false, logger: quiet })
    const input = z.object({ id: z.string() })
    router.tool('t', { description: 'd', input, handler: () => '' })
    router.prompt('p', { description: 'd', input, handler: () => '' })
    router.tool('o', { description: 'd', output: input, handler: () => ({ id: 5 }) as never })
    router.tool('b', { description: 'd', handler: () => ({ big: 1n }) })
    expect(await router.call('t')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('id') }],
    })
    await expect(router.getPrompt('p')).rejects.toMatchObject({ code: -32602 })
    const masked = { content: [{ type: 'text', text: expect.stringMatching(/^Internal error\. Reference/) }] }
    for (const name of ['o', 'b']) expect(await router.call(name)).toEqual({ ...masked, isError: true })
  })
})
