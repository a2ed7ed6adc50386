/** The app's own logins: calls get their user, their refusals are unchanged, and other routes aren't affected. */

import type { FastifyRequest } from 'fastify'
import { mcp } from 'mcp-router/fastify'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectText } from '../../contract/expect.js'
import { placed } from '../placed.js'
import { create, type FastifyModules, listening } from './host.js'

type Users = { user?: unknown }

export function loggedIn(modules: FastifyModules): void {
  it("uses the user of @fastify/jwt, whose 401 is sent by the app; other routes aren't guarded", async () => {
    const app = create(modules)
    await app.register(modules.jwt, { secret: 'a secret for tokens of this test' })
    const onRequest = async (request: { jwtVerify(): Promise<unknown> }) => void (await request.jwtVerify())
    await app.register(mcp, { router: placed().router, onRequest: onRequest as never })
    app.get('/own', async () => ({ own: true }))
    const { origin, errors } = await listening(app)
    const Authorization = `Bearer ${app.jwt.sign({ sub: 'ann' })}`
    for (const client of [
      await legacy(`${origin}/mcp`, { headers: { Authorization } }),
      modern(`${origin}/mcp`, { headers: { Authorization } }),
    ])
      expect(JSON.parse(expectText(await client.call('me', {})))).toMatchObject({ sub: 'ann' })
    expect(await post(`${origin}/mcp`, rpc('ping'))).toMatchObject({
      status: 401,
      text: '<html>the page of the app</html>',
    })
    expect(errors).toMatchObject([{ statusCode: 401 }])
    expect((await send(`${origin}/own`, { method: 'GET' })).json).toEqual({ own: true })
  })

  it('binds sessions to the user of @fastify/jwt', async () => {
    const app = create(modules)
    await app.register(modules.jwt, { secret: 'a secret for tokens of this test' })
    app.addHook('onRequest', async (request) => {
      if (request.headers.authorization !== undefined) await request.jwtVerify()
    })
    await app.register(mcp, { router: placed().router })
    const { origin } = await listening(app)
    const as = (sub: string) => ({ Authorization: `Bearer ${app.jwt.sign({ sub })}` })
    const ann = await legacy(`${origin}/mcp`, { headers: as('ann') })
    expect((await ann.request('ping')).status).toBe(200)
    expectError(await ann.request('ping', {}, { headers: as('bob') }), 403, -31003, 1)
  })

  it('uses the user of @fastify/passport with @fastify/secure-session', async () => {
    const app = create(modules)
    const passport = new modules.passport.Authenticator()
    await app.register(modules.secureSession, { key: Buffer.alloc(32, 7), cookie: { path: '/' } })
    await app.register(passport.initialize())
    await app.register(passport.secureSession())
    passport.registerUserSerializer(async (user: Users) => user)
    passport.registerUserDeserializer(async (user: unknown) => user)
    class Header extends modules.passport.Strategy {
      override authenticate({ headers }: FastifyRequest): void {
        const id = headers['x-user']
        if (id === undefined) this.fail()
        else this.success({ id })
      }
    }
    passport.use('header', new Header('header') as never)
    app.post('/login', { preValidation: passport.authenticate('header') as never }, async () => ({
      ok: true,
    }))
    await app.register(mcp, { router: placed().router })
    await app.register(mcp, {
      router: placed().router,
      prefix: '/strict',
      preValidation: passport.authenticate('header', { session: false }) as never,
    })
    const { origin } = await listening(app)
    const login = await post(`${origin}/login`, {}, { 'X-User': 'ann' })
    const Cookie = login.headers['set-cookie']?.[0]?.split(';')[0]
    const me = modern(`${origin}/mcp`, { headers: { Cookie } })
    expect(expectText(await me.call('me', {}))).toBe('{"id":"ann"}')
    expect(expectText(await modern(`${origin}/mcp`).call('me', {}))).toBe('null')
    const strict = modern(`${origin}/strict/mcp`, { headers: { 'X-User': 'bob' } })
    expect(expectText(await strict.call('me', {}))).toBe('{"id":"bob"}')
    expect((await post(`${origin}/strict/mcp`, rpc('ping'))).status).toBe(401)
  })

  it('takes the user from @fastify/session with the option `user`', async () => {
    const app = create(modules)
    await app.register(modules.cookie)
    await app.register(modules.session, {
      secret: 'a secret that is long enough for it',
      cookie: { secure: false },
    })
    app.post('/login', async (request) => {
      ;(request.session as Users).user = { id: 'ann' }
      return { ok: true }
    })
    await app.register(mcp, {
      router: placed().router,
      user: (request: { session: Users }) => request.session.user,
    } as never)
    const { origin } = await listening(app)
    const Cookie = String((await post(`${origin}/login`, {})).headers['set-cookie']).split(';')[0]
    expect(expectText(await modern(`${origin}/mcp`, { headers: { Cookie } }).call('me', {}))).toBe(
      '{"id":"ann"}',
    )
  })

  it.each(['onRequest', 'preValidation', 'preHandler'] as const)(
    'reads the user after all hooks, here one in `%s`',
    async (name) => {
      const app = create(modules)
      const hook = async (request: Users) => {
        request.user = { id: name }
      }
      await app.register(mcp, { router: placed().router, [name]: [hook] } as never)
      const { origin } = await listening(app)
      expect(expectText(await modern(`${origin}/mcp`).call('me', {}))).toBe(`{"id":"${name}"}`)
    },
  )

  it('is guarded by a hook that the app adds later', async () => {
    const app = create(modules)
    await app.register(mcp, { router: placed().router })
    app.addHook('preHandler', async (_request, reply) => reply.code(403).send({ refused: true }))
    const { origin } = await listening(app)
    for (const body of [rpc('ping'), '{"jsonrpc":'])
      expect(await post(`${origin}/mcp`, body)).toMatchObject({ status: 403, json: { refused: true } })
  })

  it('lets a login of the app read the body', async () => {
    const app = create(modules)
    app.addHook('preHandler', async (request) => {
      ;(request as Users).user = { id: (request.body as { params: { name: string } }).params.name }
    })
    await app.register(mcp, { router: placed().router })
    const { origin } = await listening(app)
    expect(expectText(await modern(`${origin}/mcp`).call('me', {}))).toBe('{"id":"me"}')
  })

  it("passes Fastify's request to `context` and `ctx.request.raw`", async () => {
    const { router } = placed()
    router.tool('both', {
      description: 'x',
      handler: (_, ctx) => [ctx.request?.raw.id, (ctx as unknown as { tenant: string }).tenant].join(),
    })
    const app = create(modules, { genReqId: () => 'r1' })
    app.get('/own', async () => ({ own: true }))
    await app.register(mcp, { router, context: ({ headers }) => ({ tenant: String(headers['x-tenant']) }) })
    const { origin } = await listening(app)
    const client = modern(`${origin}/mcp`, { headers: { 'X-Tenant': 'acme' } })
    expect(expectText(await client.call('both', {}))).toBe('r1,acme')
  })
}
