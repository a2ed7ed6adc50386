import createError from 'http-errors'
import {
  ForbiddenError,
  InvalidParamsError,
  McpError,
  NotFoundError,
  ToolError,
  UnauthorizedError,
} from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { failures, isError, masked } from '../support/failures.js'

const { log, make, handledBy, failing } = failures()
const secret = 'postgres://admin:hunter2@db/prod'
const leaked = (value: unknown, secret: string): boolean => JSON.stringify(value).includes(secret)

describe('errors thrown on purpose', () => {
  it.each([
    [new McpError(-31999, 'mine', { a: 1 }), { code: -31999, message: 'mine', data: { a: 1 } }],
    [new McpError(7, 'mine'), { code: 7, message: 'mine' }],
    [new UnauthorizedError(), { code: -31001 }],
    [new ForbiddenError('not you'), { code: -31003, message: 'not you' }],
  ])('%s is a JSON-RPC error from everything', async (thrown, expected) => {
    const { tool, resource, prompt } = failing(thrown)
    expect(await tool()).toMatchObject({ error: expected })
    expect([await resource(), await prompt()]).toMatchObject([expected, expected])
  })

  it.each([
    [new ToolError('try later'), -32603, -32603],
    [new NotFoundError('no such task'), -32602, -32002],
    [new InvalidParamsError('id is odd'), -32602, -32602],
  ])(
    '%s is a result with isError from a tool, a JSON-RPC error otherwise',
    async (thrown, code, legacyCode) => {
      const { message } = thrown
      const now = failing(thrown)
      expect(await now.tool()).toMatchObject(isError(message))
      expect([await now.resource(), await now.prompt()]).toMatchObject([
        { code, message },
        { code, message },
      ])
      const before = failing(thrown, {}, '2025-11-25')
      expect(await before.tool()).toMatchObject(isError(message))
      expect(await before.resource()).toMatchObject({ code: legacyCode, message })
    },
  )

  it.each([
    ['status', Object.assign(new Error('no seat left'), { status: 409 })],
    ['statusCode', Object.assign(new Error('no seat left'), { statusCode: 422 })],
    ['expose', Object.assign(new Error('no seat left'), { expose: true })],
    ['expose beside a 5xx', createError(503, 'no seat left', { expose: true })],
    ['http-errors', createError(404, 'no seat left')],
    ['a plain object', { message: 'no seat left', status: 400 }],
  ])('an error with %s may be read', async (_, thrown) => {
    const { tool, resource, prompt } = failing(thrown)
    expect(await tool()).toMatchObject(isError('no seat left'))
    for (const error of [await resource(), await prompt()]) expect(error.message).toBe('no seat left')
    expect(log.at('warn')).toHaveLength(3)
    expect(log.at('error')).toEqual([])
  })

  it('are recognised by brand, as of another copy of the package', async () => {
    const foreign = Object.assign(new Error('copied'), { [Symbol.for('mcp-router.error')]: 'tool' })
    expect(await failing(foreign).tool()).toMatchObject(isError('copied'))
  })
})

describe.each<[string, (error: Error) => () => unknown]>([
  ['returned', (error) => () => error],
  ['returned later', (error) => async () => error],
])('an error that is %s is as good as thrown', (_, returning) => {
  it('by a tool', async () => {
    expect(await handledBy(returning(new ToolError('try later'))).tool()).toMatchObject(isError('try later'))
    const { tool } = handledBy(returning(new McpError(7, 'mine')))
    expect(await tool()).toMatchObject({ error: { code: 7, message: 'mine' } })
  })

  it('by a tool with `output`', async () => {
    const router = make()
    const handler = returning(new ToolError('try later')) as never
    router.tool('t', { description: 'd', output: { type: 'object' }, handler })
    expect(await router.call('t')).toMatchObject(isError('try later').result)
  })

  it('by a resource', async () => {
    const { resource } = handledBy(returning(new NotFoundError('no such task')))
    expect(await resource()).toMatchObject({ code: -32602, message: 'no such task' })
  })

  it('by a prompt', async () => {
    const { prompt } = handledBy(returning(new McpError(7, 'mine')))
    expect(await prompt()).toMatchObject({ code: 7, message: 'mine' })
  })

  it.each(['tool', 'resource', 'prompt'] as const)('where it is a fault of a %s', async (kind) => {
    const fault = new Error(secret)
    const onError = vi.fn()
    const answer = await handledBy(returning(fault), { onError })[kind]()
    expect(answer).toMatchObject(kind === 'tool' ? isError(masked) : { code: -32603, message: masked })
    expect(leaked(answer, 'hunter2')).toBe(false)
    expect(onError.mock.calls).toEqual([[fault, expect.anything()]])
    expect(log.at('error')).toMatchObject([{ message: expect.stringContaining('hunter2') }])
  })
})

describe('everything else is masked in production', () => {
  const axios = Object.assign(new Error(secret), { status: 404, response: {}, request: {}, config: {} })
  it.each<[string, unknown]>([
    ['an Error', new Error(secret)],
    ['an error with a cause', new Error('outer', { cause: new Error(secret) })],
    ['status 500', Object.assign(new Error(secret), { status: 500 })],
    ['expose: false', createError(404, secret, { expose: false })],
    ['an error of axios', axios],
    ['an error of an AWS client', Object.assign(new Error(secret), { $metadata: {}, statusCode: 400 })],
    ['an error of an OpenAI client', Object.assign(new Error(secret), { status: 429, request_id: 'r' })],
    [
      'an error of undici',
      Object.assign(new Error(secret), {
        code: 'UND_ERR_RESPONSE_STATUS_CODE',
        statusCode: 404,
        headers: {},
        body: {},
      }),
    ],
    ['a string', secret],
    ['an object', { secret }],
    ['an error whose message is no text', Object.assign(new Error(), { message: { secret } })],
  ])('%s', async (_, thrown) => {
    const { tool, resource, prompt } = failing(thrown)
    const answer = await tool()
    expect(answer).toMatchObject(isError(masked))
    const errors = [await resource(), await prompt()]
    expect(errors).toMatchObject([
      { code: -32603, message: masked },
      { code: -32603, message: masked },
    ])
    expect([leaked(answer, 'hunter2'), leaked(errors, 'hunter2')]).toEqual([false, false])
  })

  it('and is in the log in full, under the reference that the client was given', async () => {
    const thrown = new Error('outer', { cause: new Error(secret) })
    const answer = await failing(thrown).tool()
    const reference = answer.result.content[0]?.text.split(': ')[1]
    const [entry] = log.at('error')
    expect(entry?.message).toContain(reference)
    expect(entry?.message).toContain('tool "t"')
    expect(entry?.message).toMatch(/outer <- postgres:\/\/admin:hunter2/)
    expect(entry?.data).toMatchObject({ err: thrown, method: 'tools/call', target: 't', reference })
  })

  it('a stack never leaves, masked or not', async () => {
    for (const exposeErrors of [true, false]) {
      const { tool, resource } = failing(new Error('boom'), { exposeErrors })
      expect(leaked([await tool(), await resource()], 'errors.test')).toBe(false)
    }
  })
})
