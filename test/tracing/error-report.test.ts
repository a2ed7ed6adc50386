import { ErrorCode, type FailedCall, ForbiddenError, McpError, ToolError } from 'mcp-router'
import { testClient } from 'mcp-router/testing'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { session } from '../integrations/stdio/session.js'
import { failures, isError, masked } from '../support/failures.js'
import { settled, unhandledRejections } from '../support/time.js'
import { modern, versions } from '../wire/client.js'

const { log, make, failing } = failures()

const boom = () => {
  const router = make()
  router.tool('t', {
    description: 'd',
    handler: () => {
      throw new Error('boom')
    },
  })
  return router
}

describe('exposeErrors', () => {
  it.each(['development', 'test'])('is on by default when NODE_ENV is %s', async (environment) => {
    vi.stubEnv('NODE_ENV', environment)
    const { tool, resource } = failing(new Error('boom'))
    expect(await tool()).toMatchObject(isError('boom'))
    expect(await resource()).toMatchObject({ code: -32603, message: 'boom' })
  })

  it.each(['production', 'staging', ''])(
    'is off by default when NODE_ENV is %j, for every caller that may be remote',
    async (environment) => {
      vi.stubEnv('NODE_ENV', environment)
      expect(await failing(new Error('boom')).tool()).toMatchObject(isError(masked))
      const router = boom()
      expect(await router.call('t', {}, { user: { id: 'ana' } })).toMatchObject(isError(masked).result)
    },
  )

  it.each<[string, unknown]>([
    ['production', masked],
    ['staging', 'boom'],
    ['', 'boom'],
  ])('over stdio and in test clients, when NODE_ENV is %j', async (environment, text) => {
    vi.stubEnv('NODE_ENV', environment)
    expect(await testClient(boom()).callTool('t')).toMatchObject(isError(text).result)
    const client = session(boom())
    await client.initialize()
    expect(await client.ask('tools/call', { name: 't' })).toMatchObject(isError(text))
  })

  it('can be set', async () => {
    expect(await failing(new Error('boom'), { exposeErrors: true }).tool()).toMatchObject(isError('boom'))
    vi.stubEnv('NODE_ENV', 'development')
    expect(await failing(new Error('boom'), { exposeErrors: false }).tool()).toMatchObject(isError(masked))
  })

  it('can be a function of error and call; errors are masked if it throws or returns nothing', async () => {
    const seen: unknown[] = []
    const exposeErrors = (error: unknown, call: FailedCall) => {
      seen.push([(error as Error).message, call.method, call.name])
      return (error as Error).message === 'boom'
    }
    expect(await failing(new Error('boom'), { exposeErrors }).tool()).toMatchObject(isError('boom'))
    expect(await failing(new Error('other'), { exposeErrors }).tool()).toMatchObject(isError(masked))
    expect(seen[0]).toEqual(['boom', 'tools/call', 't'])
    for (const odd of [
      () => undefined,
      () => Promise.resolve(true),
      () => {
        throw new Error()
      },
    ] as const) {
      const { tool } = failing(new Error('boom'), { exposeErrors: odd as never })
      expect(await tool()).toMatchObject(isError(masked))
    }
  })
})

describe('codes that a revision forbids', () => {
  const sent = async (code: number, version: string) =>
    (await failing(new McpError(code, 'm'), {}, version).tool()).error.code
  it.each([
    [-32002, ['-32002', '-32002', '-32002', '-32002', '-32602']],
    [-32042, ['-32603', '-32603', '-32603', '-32042', '-32603']],
    [-32001, ['-32001', '-32001', '-32001', '-32001', '-32603']],
    [-32050, ['-32603', '-32603', '-32603', '-32603', '-32603']],
    [-32022, ['-32603', '-32603', '-32603', '-32603', '-32603']],
    [-32602, ['-32602', '-32602', '-32602', '-32602', '-32602']],
    [-31000, ['-31000', '-31000', '-31000', '-31000', '-31000']],
    [1.5, ['-32603', '-32603', '-32603', '-32603', '-32603']],
    [Number.NaN, ['-32603', '-32603', '-32603', '-32603', '-32603']],
  ])('%d is projected per revision', async (code, expected) => {
    expect(await Promise.all(versions.map((version) => sent(code, version)))).toEqual(expected.map(Number))
  })

  it('leave a line in the log', async () => {
    await sent(-32050, modern)
    expect(
      log
        .at('warn')
        .map((entry) => entry.message)
        .join(),
    ).toMatch(/-32050.*2026-07-28.*-32603/)
    expect(ErrorCode.Unauthorized).toBe(-31001)
  })
})

describe('logging and onError', () => {
  it('logs refusals at warn without onError, and faults at error with one call of onError', async () => {
    const onError = vi.fn()
    const fault = new Error('fault')
    await failing(new ToolError('refused'), { onError }).tool()
    await failing(new ForbiddenError(), { onError }).resource()
    expect([log.at('warn').length, log.at('error').length, onError.mock.calls.length]).toEqual([2, 0, 0])
    await failing(fault, { onError }).tool()
    expect([log.at('warn').length, log.at('error').length]).toEqual([2, 1])
    expect(onError.mock.calls).toEqual([
      [fault, { method: 'tools/call', name: 't', user: undefined, reference: expect.any(String) }],
    ])
  })

  it('logs every invalid field of arguments at warn', async () => {
    const onError = vi.fn()
    const router = make({ onError })
    const input = z.object({ id: z.string(), n: z.number().max(5) })
    router.tool('t', { description: 'd', input, handler: () => '' })
    router.prompt('p', { description: 'd', input: z.object({ id: z.string() }), handler: () => '' })
    const { isError, content } = await router.call('t', { n: 9, m: 1 })
    expect(isError).toBe(true)
    expect((await router.call('t', { n: 9 })).content).toMatchObject([
      { text: expect.stringMatching(/id: .*string.*n: .*5/) },
    ])
    expect(content).toMatchObject([{ text: expect.stringMatching(/m: unknown key/) }])
    await expect(router.getPrompt('p')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('id'),
    })
    expect([log.at('error').length, onError.mock.calls.length]).toEqual([0, 0])
    expect(log.at('warn').length).toBe(3)
  })

  it('survives hooks and loggers that throw or reject', async () => {
    const unhandled = unhandledRejections()
    const bad = (): never => {
      throw new Error('logger')
    }
    const late = async (): Promise<never> => bad()
    for (const hook of [bad, late] as const) {
      const logger = { info: hook, warn: hook, error: hook, debug: hook }
      const { tool } = failing(new Error('boom'), { logger, onError: hook, onActivity: hook })
      expect(await tool()).toMatchObject(isError(masked))
    }
    await settled()
    expect(unhandled).toEqual([])
  })
})
