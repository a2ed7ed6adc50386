import type { McpRouter, StandardSchemaV1 } from 'mcp-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failingLater, later } from './later.js'
import { routers } from './routers.js'
import { settled, unhandledRejections } from './time.js'

// Libraries and apps bring promises of their own make. They count as promises everywhere.

const { log, make } = routers({ exposeErrors: false })
let router: McpRouter

beforeEach(() => {
  router = make()
})

interface Numbered {
  n: number
}

/** Turns `{ n: '5' }` into `{ n: 5 }`, later. */
const numbered: StandardSchemaV1<{ n: string | number }, Numbered> & { '~standard': { jsonSchema: object } } =
  {
    '~standard': {
      version: 1,
      vendor: 'later',
      validate: (value) => {
        const n = Number((value as { n?: unknown }).n)
        const issues = [{ message: 'expected a number', path: ['n'] }]
        return later(Number.isNaN(n) ? { issues } : { value: { n } }) as never
      },
      jsonSchema: {
        input: () => ({ type: 'object', properties: { n: { type: 'string' } } }),
        output: () => ({ type: 'object', properties: { n: { type: 'number' } } }),
      },
    },
  }
const unsure: typeof numbered = {
  '~standard': {
    ...numbered['~standard'],
    validate: () => failingLater(new Error('the check broke')) as never,
  },
}
const said = (text: unknown) => ({ content: [{ type: 'text', text }] })

describe('a schema that answers with a thenable', () => {
  it('checks the arguments of a tool', async () => {
    router.tool('t', { description: 'd', input: numbered, handler: ({ n }) => `number ${n + 1}` })
    expect(await router.call('t', { n: '5' })).toEqual(said('number 6'))
    const wrong = said(expect.stringContaining('n: expected a number'))
    expect(await router.call('t', { n: 'x' })).toEqual({ ...wrong, isError: true })
  })

  it('checks the result of a tool', async () => {
    let n = '5'
    router.tool('t', { description: 'd', output: numbered, handler: () => ({ n, secret: 1 }) })
    expect(await router.call('t')).toEqual({ ...said('{"n":5}'), structuredContent: { n: 5 } })
    n = 'x'
    const masked = said(expect.stringMatching(/^Internal error/))
    expect(await router.call('t')).toEqual({ ...masked, isError: true })
    expect(log.at('error')[0]?.message).toContain('n: expected a number')
  })

  it('checks the variables of a template', async () => {
    router.resource('a://{n}', { input: numbered, handler: ({ n }) => `number ${n + 1}` })
    expect((await router.read('a://5')).contents).toMatchObject([{ text: 'number 6' }])
    await expect(router.read('a://x')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('n: expected a number'),
    })
  })

  it('checks the arguments of a prompt', async () => {
    router.prompt('p', { description: 'd', input: numbered, handler: ({ n }) => `number ${n + 1}` })
    expect((await router.getPrompt('p', { n: '5' })).messages).toMatchObject([
      { content: { text: 'number 6' } },
    ])
    await expect(router.getPrompt('p', { n: 'x' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('n: expected a number'),
    })
  })

  it('that rejects is a fault of the server, and nothing runs', async () => {
    const unhandled = unhandledRejections()
    const ran = vi.fn(() => '')
    router.tool('t', { description: 'd', input: unsure, handler: ran })
    router.resource('a://{n}', { input: unsure, handler: ran })
    router.prompt('p', { description: 'd', input: unsure, handler: ran })
    const internal = expect.stringMatching(/^Internal error/)
    expect(await router.call('t', { n: '5' })).toEqual({ ...said(internal), isError: true })
    const refused = { code: -32603, message: internal }
    await expect(router.read('a://5')).rejects.toMatchObject(refused)
    await expect(router.getPrompt('p', { n: '5' })).rejects.toMatchObject(refused)
    await settled()
    expect([unhandled, ran.mock.calls]).toEqual([[], []])
  })
})

describe('a handler that returns a thenable', () => {
  it('is waited for', async () => {
    router.tool('t', { description: 'd', handler: () => later('x') })
    router.resource('a://b', { handler: () => later('x') })
    router.prompt('p', { description: 'd', handler: () => later('x') })
    expect(await router.call('t')).toEqual(said('x'))
    expect((await router.read('a://b')).contents).toMatchObject([{ text: 'x' }])
    expect((await router.getPrompt('p')).messages).toMatchObject([{ content: { text: 'x' } }])
  })
})

describe('a hook that returns a thenable', () => {
  it('harms nothing when that rejects', async () => {
    const unhandled = unhandledRejections()
    const hook = vi.fn(() => failingLater(new Error('late')) as never)
    const logger = { debug: hook, info: hook, warn: hook, error: hook }
    const own = make({ logger, onError: hook, onActivity: hook })
    const handler = (): never => {
      throw new Error('boom')
    }
    own.tool('t', { description: 'd', handler })
    expect((await own.call('t')).isError).toBe(true)
    await settled()
    // The line in the log, `onError`, `onActivity`, and a line for each of the two that failed.
    expect(hook.mock.calls.length).toBeGreaterThanOrEqual(3)
    expect(unhandled).toEqual([])
  })
})
