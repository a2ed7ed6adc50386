/** Each tool call is made by its caller, whose login the routes check themselves. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { type Json, post } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { expectError, expectText } from '../../contract/expect.js'
import type { ApiRoute, RouteHost } from './host.js'
import { requestStore } from './login.js'
import { ana, ben, eras, headersOf, namesOf, serveRoutes } from './serve.js'

const routes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/me',
    marker: { name: 'me' },
    guarded: true,
    run: ({ user }) => ({ body: { id: user?.id } }),
  },
  {
    method: 'delete',
    path: '/users/:id',
    marker: {
      name: 'user_delete',
      visible: ({ user }) => (user as { role?: string } | undefined)?.role === 'admin',
    },
    guarded: true,
    run: ({ user, params }) => ({ body: { deleted: params.id, by: user?.id } }),
  },
  {
    method: 'get',
    path: '/open',
    marker: { name: 'members', requireUser: true },
    run: () => ({ body: 'for members' }),
  },
]

export function callers(host: RouteHost): void {
  it.each(eras)('lists and calls as whoever logged in, for %s clients', async (_, make) => {
    const { url } = await serveRoutes(host, routes)
    const [asAna, asBen] = [await make(url, headersOf(ana)), await make(url, headersOf(ben))]
    expect(await namesOf(asAna)).toEqual(['me', 'members', 'user_delete'])
    expect(await namesOf(asBen)).toEqual(['me', 'members'])
    expect(expectText(await asAna.call('me', {}))).toBe('{"id":"ana"}')
    expect(expectText(await asBen.call('me', {}))).toBe('{"id":"ben"}')
    expect(expectText(await asAna.call('user_delete', { id: '7' }))).toBe('{"deleted":"7","by":"ana"}')
    expectError(await asBen.call('user_delete', { id: '7' }), 200, -32602, 1)
  })

  it('has no user where there is nobody, in whatever way the login says so', async () => {
    const { as, router } = await serveRoutes(host, [
      { method: 'get', path: '/in', marker: { visible: ({ user }) => user !== undefined }, run: () => ({}) },
      { method: 'get', path: '/out', marker: { visible: ({ user }) => user === undefined }, run: () => ({}) },
    ])
    expect(await namesOf(as(ana))).toEqual(['get_in'])
    expect(await namesOf(as())).toEqual(['get_out'])
    // Fastify's own way is a request decorated with null.
    const seen: unknown[] = []
    router.tool('who', { description: 'd', handler: (_input, ctx) => void seen.push(ctx.user) })
    await as().call('who', {})
    await router.call('who', {}, { user: null })
    expect(seen).toEqual([undefined, undefined])
  })

  it.each(eras)('refuses a %s client that nobody logged in', async (_, make) => {
    const { url } = await serveRoutes(host, routes)
    const anonymous = await make(url)
    const refused = await anonymous.call('me', {})
    expect(refused.json.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^401 Unauthorized: .*Log in first$/) }],
    })
    expect((await anonymous.call('members', {})).status).toBe(401)
  })

  it('never mixes what 200 callers keep in AsyncLocalStorage', async () => {
    const arrived: (() => void)[] = []
    const { as } = await serveRoutes(host, [
      {
        method: 'get',
        path: '/meet/:n',
        marker: { name: 'meet' },
        async run({ user, params }) {
          // Everybody is here before anybody goes on, the last one first.
          await new Promise<void>((resolve) => {
            arrived.push(resolve)
            if (arrived.length === 200) for (const letGo of arrived.toReversed()) letGo()
          })
          return { body: [user?.id, requestStore.getStore()?.id, params.n] }
        },
      },
    ])
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => as({ id: `u${n}`, role: 'guest' }).call('meet', { n: `${n}` })),
    )
    expect(answers.map((answer) => expectText(answer))).toEqual(
      answers.map((_, n) => JSON.stringify([`u${n}`, `u${n}`, `${n}`])),
    )
    expect(requestStore.getStore()).toBeUndefined()
  })

  it('keeps what a route enters into AsyncLocalStorage from who called its tool', async () => {
    const store = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const { url, router } = await serveRoutes(host, [
      {
        method: 'get',
        path: '/enter/:id',
        marker: { name: 'enter' },
        async run({ params }) {
          store.enterWith(`route ${params.id}`)
          await undefined
          return { body: [store.getStore()] }
        },
      },
    ])
    router.use(async (_call, next) => {
      seen.push(store.getStore())
      const answered = await next()
      seen.push(store.getStore())
      return answered
    })
    const both = ['1', '2'].map((id) => rpc('tools/call', { name: 'enter', arguments: { id } }, Number(id)))
    const { json } = await post(url, both, { 'MCP-Protocol-Version': '2025-03-26' })
    expect(json.map(({ result }: Json) => result.content[0].text)).toEqual(['["route 1"]', '["route 2"]'])
    expect(seen).toEqual([undefined, undefined, undefined, undefined])
  })

  it('tells the route that a model is calling, and passes on who calls and nothing else', async () => {
    const { as, origin } = await serveRoutes(
      host,
      [
        {
          method: 'get',
          path: '/look',
          marker: { name: 'look' },
          run: ({ isToolCall, headers }) => ({ body: { isToolCall, headers } }),
        },
      ],
      { options: { routes: { forwardHeaders: ['x-tenant'] } } },
    )
    const own = headersOf(ana)
    const extra = { headers: { ...own, 'X-Tenant': 'acme', 'X-Other': 'o', Cookie: 'a=1', Origin: origin } }
    const { isToolCall, headers } = JSON.parse(expectText(await as().call('look', {}, extra)))
    expect(isToolCall).toBe(true)
    expect(headers).toMatchObject({
      authorization: own.Authorization,
      cookie: 'a=1',
      'x-tenant': 'acme',
    })
    for (const name of ['x-other', 'origin', 'content-type', 'mcp-method', 'accept-encoding'])
      expect(headers).not.toHaveProperty(name)
    expect(await (await fetch(`${origin}/look`)).json()).toMatchObject({ isToolCall: false })
  })
}
