import type { BaseContext, Caller, McpRouter, RouterOptions } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { routers } from '../support/routers.js'
import { connect, modern } from '../wire/client.js'

const { log, make } = routers()

describe('ctx.progress', () => {
  const reports: [number, number?, string?][] = [
    [1, 4, 'one'],
    [1],
    [0.5],
    [2],
    [Number.NaN],
    [Infinity],
    [2.5, Number.NaN],
  ]
  const router = make()
  let late: BaseContext
  router.tool('t', {
    description: 'd',
    handler: (_, ctx) => {
      late = ctx
      return reports.map((report) => ctx.progress(...report)).join()
    },
  })

  it.each(['p', 0, ''])(
    "uses the client's progress token, with increasing values only: %j",
    async (progressToken) => {
      const client = connect(router)
      const { content } = await client.result('tools/call', { name: 't' }, { progressToken })
      expect(content[0].text).toBe('true,false,false,true,false,false,true')
      expect(client.notices.map(({ params }) => params)).toEqual([
        { progressToken, progress: 1, total: 4, message: 'one' },
        { progressToken, progress: 2 },
        { progressToken, progress: 2.5 },
      ])
    },
  )

  it('does nothing without a token, or after the call has ended', async () => {
    const client = connect(router)
    expect((await client.result('tools/call', { name: 't' })).content[0].text).not.toContain('true')
    await client.result('tools/call', { name: 't' }, { progressToken: 1 })
    client.notices.length = 0
    expect([late.progress(100), late.log.error('late')]).toEqual([false, false])
    expect(client.notices).toEqual([])
  })

  it('returns false if notifications cannot be sent, and never throws', async () => {
    const sends = [
      undefined,
      () => false,
      () => {
        throw new Error('closed')
      },
    ]
    for (const send of sends) {
      const client = connect(router, modern, { send } as Caller)
      const { content } = await client.result('tools/call', { name: 't' }, { progressToken: 1 })
      expect(content[0].text).not.toContain('true')
    }
  })
})

describe('ctx.log', () => {
  const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
  const talking = (options: RouterOptions = {}): McpRouter => {
    const router = make(options)
    router.tool('t', {
      description: 'd',
      handler: (_, ctx) => void levels.map((level) => ctx.log[level](level)),
    })
    router.tool('one', { description: 'd', handler: (_, ctx) => ctx.log.warn('careful', { a: 1 }) })
    return router
  }
  const heard = (client: ReturnType<typeof connect>) => client.notices.map(({ params }) => params?.level)

  it('sends modern clients only the levels they requested', async () => {
    const client = connect(talking())
    await client.result('tools/call', { name: 't' })
    expect(heard(client)).toEqual([])
    await client.result('tools/call', { name: 't' }, { 'io.modelcontextprotocol/logLevel': 'error' })
    expect(heard(client)).toEqual(levels.slice(4))
    const level = { 'io.modelcontextprotocol/logLevel': 'loud' }
    expect((await client.error('tools/call', { name: 't' }, level)).code).toBe(-32602)
  })

  it("sends legacy clients without a level the router's default", async () => {
    const byDefault = connect(talking(), '2025-11-25')
    await byDefault.result('tools/call', { name: 't' })
    expect(heard(byDefault)).toEqual(levels.slice(1))
    const quiet = connect(talking({ logLevel: 'alert' }), '2024-11-05')
    await quiet.result('tools/call', { name: 't' })
    expect(heard(quiet)).toEqual(['alert', 'emergency'])
  })

  it('keeps the level of a legacy client for its whole connection', async () => {
    const router = talking()
    const client = connect(router, '2025-11-25')
    await client.result('logging/setLevel', { level: 'critical' })
    await client.result('tools/call', { name: 't' })
    expect(heard(client)).toEqual(levels.slice(5))
    const other = connect(router, '2025-11-25')
    await other.result('tools/call', { name: 't' })
    expect(heard(other)).toEqual(levels.slice(1))
    expect((await client.error('logging/setLevel', { level: 'warn' })).code).toBe(-32602)
  })

  it('names the tool, contains the data, and also goes to the logger', async () => {
    const client = connect(talking(), '2025-11-25')
    expect((await client.result('tools/call', { name: 'one' })).content[0].text).toBe('true')
    expect(client.notices[0]?.params).toEqual({
      level: 'warning',
      logger: 'one',
      data: { message: 'careful', data: { a: 1 } },
    })
    expect(log.at('warn')).toMatchObject([{ message: 'careful', data: { target: 'one', data: { a: 1 } } }])
  })
})
