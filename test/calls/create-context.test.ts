import type { BaseContext, Caller, RequestInfo } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'
import { connect, legacyVersions, modern } from '../wire/client.js'

const { log, make } = routers()
const request: RequestInfo = {
  method: 'POST',
  url: '/mcp?a=1',
  headers: { host: 'x' },
  ip: '10.0.0.1',
  raw: {},
}

/** The context of one call to a tool. */
async function contextOf(
  caller: Caller,
  version: string = modern,
): Promise<BaseContext & Record<string, unknown>> {
  let seen: unknown
  const router = make()
  router.tool('t', {
    description: 'd',
    handler: (_, ctx) => {
      seen = ctx
    },
  })
  await connect(router, version, caller).result('tools/call', { name: 't' })
  return seen as never
}

describe('ctx', () => {
  it('asks nobody in process without `ask`, whatever the caller says that its client can', async () => {
    const router = make()
    router.tool('t', {
      description: 'd',
      handler: (_, ctx) => ctx.roots().then(String, (error: Error) => error.message),
    })
    const client = { name: 'c', version: '1', capabilities: { roots: {} } }
    const { content } = await router.call('t', {}, { client })
    expect(content).toMatchObject([{ text: expect.stringMatching(/roots\/list needs a caller.*`ask`/) }])
  })

  it('tells who calls, and with what', async () => {
    const auth = { subject: 's', scopes: ['a'], claims: {} }
    const user = { id: 1 }
    const ctx = await contextOf({ user, auth, request, context: { db: 'db' } } as never)
    expect(ctx.user).toBe(user)
    expect(ctx.auth).toBe(auth)
    expect(ctx.request).toBe(request)
    expect(ctx.db).toBe('db')
    expect(ctx.client).toEqual({ name: 'test', version: '1', capabilities: {} })
    expect(ctx.protocolVersion).toBe(modern)
    expect(ctx.sessionId).toBeUndefined()
  })

  it('has nothing where nothing is known', async () => {
    const ctx = await contextOf({})
    expect([ctx.user, ctx.auth, ctx.request, ctx.sessionId]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(ctx.signal.aborted).toBe(false)
  })

  it('closes no stream where there is none, and says what milliseconds are', async () => {
    const ctx = await contextOf({})
    for (const retryMs of [-1, 0.5, Number.NaN, '5', 2 ** 60])
      expect(() => ctx.closeStream({ retryMs } as never)).toThrow(/closeStream\(\).*retryMs.*milliseconds/)
    expect(ctx.closeStream()).toBe(false)
  })

  it('has no session where the router keeps none, whatever the caller says', async () => {
    let seen: unknown = 'not called'
    const router = make({ sessions: false })
    router.tool('t', {
      description: 'd',
      handler: (_, { session }) => {
        seen = session
      },
    })
    await connect(router, '2025-11-25', { sessionId: 'x' }).result('tools/call', { name: 't' })
    expect(seen).toBeUndefined()
  })

  it.each(legacyVersions)('has what %s agreed on with this peer', async (version) => {
    const client = { name: 'c', version: '2', capabilities: { roots: {} } }
    const ctx = await contextOf({ client, sessionId: 's' }, version)
    expect([ctx.protocolVersion, ctx.client, ctx.sessionId]).toEqual([version, client, 's'])
    const bare = await contextOf({ protocolVersion: undefined }, version)
    expect(bare.protocolVersion).toBe('2025-03-26')
  })

  it.each(['user', 'log', 'signal', 'progress', 'request', 'session', 'elicit'])(
    'refuses a context that would hide ctx.%s',
    async (key) => {
      const ran = vi.fn()
      const router = make({ exposeErrors: false })
      router.tool('t', { description: 'd', handler: ran })
      const result = await router.call('t', {}, { context: { [key]: 1 } } as never)
      expect([result.isError, ran.mock.calls.length]).toEqual([true, 0])
      expect(log.at('error')[0]?.message).toContain(`\`${key}\``)
    },
  )

  it('refuses a context that would hide ctx.uri of a resource', async () => {
    const router = make()
    router.resource('a://b', { handler: (_, ctx) => ctx.uri })
    expect((await router.read('a://b')).contents).toMatchObject([{ text: 'a://b' }])
    await expect(router.read('a://b', { context: { uri: 'mine' } } as never)).rejects.toMatchObject({
      code: -32603,
    })
  })
})

describe('requireUser and needs', () => {
  it('refuse anonymous callers with -31001, and narrow ctx.user', async () => {
    const router = make()
    router.tool('t', { description: 'd', requireUser: true, handler: (_, { user }) => String(user) })
    router.resource('a://b', { requireUser: true, text: '' })
    for (const user of [undefined, null])
      await expect(router.call('t', {}, { user } as never)).rejects.toMatchObject({ code: -31001 })
    await expect(router.read('a://b')).rejects.toMatchObject({ code: -31001 })
    expect((await router.call('t', {}, { user: 'ana' } as never)).content).toMatchObject([{ text: 'ana' }])
    const all = make({ requireUser: true })
    all.tool('t', { description: 'd', handler: () => '' })
    expect((await connect(all).error('tools/list')).code).toBe(-31001)
  })

  it('refuse clients without a capability before anything runs, with the object that -32021 demands', async () => {
    const ran = vi.fn()
    const router = make()
    const input = z.object({ a: z.string() })
    router.tool('t', {
      description: 'd',
      input,
      needs: ['elicitation.url', 'sampling'],
      use: [ran],
      handler: ran,
    })
    const error = await connect(router).error('tools/call', { name: 't' })
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} }, sampling: {} } },
    })
    const capable = {
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} }, sampling: {} },
    }
    expect((await connect(router).result('tools/call', { name: 't' }, capable)).isError).toBe(true)
    // Before 2026-07-28 there is no such error: the model reads why.
    expect(await connect(router, '2025-11-25').result('tools/call', { name: 't' })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'tool "t" needs a client with elicitation.url, sampling' }],
    })
    expect(ran).not.toHaveBeenCalled()
  })
})
