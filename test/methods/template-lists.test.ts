import { type Call, ForbiddenError, type ListedResource, type McpRouter } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { latch } from '../contract/fixtures.js'
import { walk } from '../support/pages.js'
import { routers } from '../support/routers.js'
import { settled, stopTime } from '../support/time.js'
import { connect, type TestClient } from '../wire/client.js'

// `list` of a template: concrete resources in resources/list.

const { log, make } = routers({ exposeErrors: false })
const template = (router: McpRouter, uri: string, list: (ctx: never) => unknown, more: object = {}) =>
  router.resource(uri, { handler: () => 'x', list, ...more } as never)
const items = (...uris: string[]): ListedResource[] => uris.map((uri) => ({ uri, name: uri }))
const never = new Promise<never>(() => {})

async function uris(client: TestClient, between?: () => unknown): Promise<(string | undefined)[]> {
  return (await walk(client, 'resources/list', between)).flat().map(({ uri }) => uri)
}

describe('the list of a template', () => {
  it('stands where the template stands, with the mimeType of the template by default', async () => {
    const router = make({ pageSize: 2 })
    router.resource('a://x', { text: '' })
    template(router, 'b://{id}', () => items('b://1', 'b://2', 'b://3'), { mimeType: 'text/markdown' })
    router.resource('c://x', { text: '' })
    expect(await uris(connect(router))).toEqual(['a://x', 'b://1', 'b://2', 'b://3', 'c://x'])
    const { resources } = await connect(router).result('resources/list')
    expect(resources[1]).toEqual({ uri: 'b://1', name: 'b://1', mimeType: 'text/markdown' })
  })

  it('is made for the caller, with the context of a handler', async () => {
    const router = make()
    template(router, 'b://{id}', async ({ user }: { user: string }) => items(`b://${user}`))
    expect(await uris(connect(router, undefined, { user: 'ana' } as never))).toEqual(['b://ana'])
    expect(await uris(connect(router, '2025-06-18', { user: 'bob' } as never))).toEqual(['b://bob'])
  })

  it('runs inside of middleware, of the router and its own: what that puts into `ctx` is there', async () => {
    const router = make().use(async ({ ctx }, next) => {
      ;(ctx as { tenant?: string }).tenant = 'acme'
      const found = (await next()) as ListedResource[]
      return found.filter(({ uri }) => uri !== 'b://secret')
    })
    const use = [async (_: unknown, next: () => Promise<unknown>) => next()]
    const list = ({ tenant }: { tenant: string }) => items(`b://${tenant}`, 'b://secret')
    template(router, 'b://{id}', list, { use })
    expect(await uris(connect(router))).toEqual(['b://acme'])
  })

  it('names nothing to whom middleware refuses, and hides no other', async () => {
    const asked = vi.fn(() => items('b://1'))
    const router = make()
    const staff = ({ ctx }: Call, next: () => Promise<unknown>): unknown => {
      if (ctx.user !== 'staff') throw new ForbiddenError('staff only')
      return next()
    }
    template(router, 'b://{id}', asked, { use: [staff] })
    template(router, 'c://{id}', () => items('c://1'))
    expect(await uris(connect(router))).toEqual(['c://1'])
    expect(asked).not.toHaveBeenCalled()
    expect(log.at('warn').map(({ message }) => message)).toEqual([expect.stringContaining('staff only')])
    expect(await uris(connect(router, undefined, { user: 'staff' } as never))).toEqual(['b://1', 'c://1'])
  })

  it('is not asked for callers that the template requires to sign in', async () => {
    const asked = vi.fn(() => items('b://1'))
    const router = make()
    template(router, 'b://{id}', asked, { requireUser: true })
    expect(await uris(connect(router))).toEqual([])
    expect(asked).not.toHaveBeenCalled()
    expect(await uris(connect(router, undefined, { user: 1 } as never))).toEqual(['b://1'])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('db down')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('db down')
      },
    ],
    ['returns no array', () => ({ uri: 'x' })],
    ['returns nothing', () => undefined],
    ['has an item that JSON cannot carry', () => [{ uri: 'b://1', name: 'x', meta: { n: 1n } }]],
    ['has an item without a URI', () => [{ name: 'x' }]],
    ['has an item without a name', () => [{ uri: 'b://1' }]],
    ['has an item that is null', () => [null]],
  ])('that %s is reported by name and does not hide the others', async (_, list) => {
    const onError = vi.fn()
    const router = make({ onError })
    template(router, 'b://{id}', list)
    template(router, 'c://{id}', () => items('c://1'))
    router.resource('d://x', { text: '' })
    expect(await uris(connect(router))).toEqual(['c://1', 'd://x'])
    expect(log.at('error').map(({ message }) => message)).toEqual([expect.stringContaining('b://{id}')])
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it.each([['before'], ['after']])(
    'that never comes ends by its time-out, one that comes %s it or not',
    async (where) => {
      stopTime()
      const router = make()
      const quick = () => template(router, 'c://{id}', async () => items('c://1'))
      if (where === 'before') quick()
      template(router, 'b://{id}', () => never, { timeoutMs: 30 })
      if (where === 'after') quick()
      const found = uris(connect(router))
      await vi.advanceTimersByTimeAsync(30)
      expect(await found).toEqual(['c://1'])
      expect(
        log
          .at('error')
          .map(({ message }) => message)
          .join(),
      ).toContain('b://{id}')
    },
  )

  it.each([1, 2])('is ended by a cancellation, with %i of them running', async (count) => {
    const router = make({ timeoutMs: 0 })
    const running = Array.from({ length: count }, () => latch<AbortSignal>())
    for (const [i, { open }] of running.entries()) {
      template(router, `b${i}://{id}`, ({ signal }: { signal: AbortSignal }) => {
        open(signal)
        return never
      })
    }
    template(router, 'quick://{id}', async () => items('quick://1'))
    const client = connect(router, '2025-11-25')
    const answer = client.send({ jsonrpc: '2.0', id: 1, method: 'resources/list' })
    const signals = await Promise.all(running.map(({ opened }) => opened))
    await settled()
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await answer).toBeUndefined()
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })

  it('that names what is defined already, or one URI twice, shows each once and ends', async () => {
    const router = make({ pageSize: 2 })
    for (const uri of ['a://1', 'a://2', 'a://3'] as const) router.resource(uri, { text: '' })
    template(router, 'a://{id}', () => items('a://4', 'a://1', 'a://4', 'a://5'))
    expect(await uris(connect(router))).toEqual(['a://1', 'a://2', 'a://3', 'a://4', 'a://5'])
  })

  it('stays right between pages when items come at the top or the one shown last goes', async () => {
    const router = make({ pageSize: 2 })
    let now = ['b://1', 'b://2', 'b://3', 'b://4', 'b://5']
    template(router, 'b://{id}', () => items(...now))
    const changes = [() => ['b://0', ...now], () => now.filter((uri) => uri !== 'b://4')]
    const found = await uris(connect(router), () => {
      now = changes.shift()?.() ?? now
    })
    expect(found).toEqual(['b://1', 'b://2', 'b://3', 'b://4', 'b://5'])
  })
})
