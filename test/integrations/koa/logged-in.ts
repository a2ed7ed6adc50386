/** The app's own login in front of the mount: calls get its user, and its refusals reach the client unchanged. */

import jsonwebtoken from 'jsonwebtoken'
import jwt from 'koa-jwt'
import { KoaPassport } from 'koa-passport'
import { createSession } from 'koa-session'
import { mcp } from 'mcp-router/koa'
import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt'
import { expect, it } from 'vitest'
import { post } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectText } from '../../contract/expect.js'
import { router } from '../placed.js'
import { type App, type KoaModule, listening } from './host.js'

const secret = 'a secret for tokens of this test'
const token = (sub: string) => ({
  Authorization: `Bearer ${jsonwebtoken.sign({ sub }, secret, { noTimestamp: true })}`,
})

function knowing() {
  const made = router()
  made.tool('self', { description: 'x', requireUser: true, handler: (_, ctx) => JSON.stringify(ctx.user) })
  return made
}

export function loggedIn(Koa: KoaModule): void {
  const expectUser = async (app: App, user: object): Promise<string> => {
    const { origin } = await listening(app.use(mcp(knowing())))
    const headers = token('ann')
    for (const client of [await legacy(`${origin}/mcp`, { headers }), modern(`${origin}/mcp`, { headers })]) {
      expect(JSON.parse(expectText(await client.call('self', {})))).toEqual(user)
    }
    return `${origin}/mcp`
  }

  it('uses the user of koa-jwt, and passes on its 401 unchanged', async () => {
    const url = await expectUser(new Koa().use(jwt({ secret })), { sub: 'ann' })
    expect(await post(url, rpc('ping'))).toMatchObject({ status: 401, text: 'Authentication Error' })
  })

  it('uses the user of koa-passport, and passes on its 401 unchanged', async () => {
    const passport = new KoaPassport()
    const options = { secretOrKey: secret, jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken() }
    passport.use(new JwtStrategy(options, ({ sub }, done) => done(null, { id: sub })))
    const app = new Koa().use(passport.initialize()).use(passport.authenticate('jwt', { session: false }))
    const url = await expectUser(app, { id: 'ann' })
    expect(await post(url, rpc('ping'))).toMatchObject({ status: 401, text: 'Unauthorized' })
  })

  it('binds the session to the user of koa-jwt', async () => {
    const app = new Koa().use(jwt({ secret, passthrough: true })).use(mcp(knowing()))
    const { origin } = await listening(app)
    const ann = await legacy(`${origin}/mcp`, { headers: token('ann') })
    expect((await ann.request('ping')).status).toBe(200)
    expectError(await ann.request('ping', {}, { headers: token('bob') }), 403, -31003, 1)
    expectError(await ann.request('ping', {}, { headers: { Authorization: undefined } }), 403, -31003, 1)
  })

  it('takes the user from koa-session with the option `user`', async () => {
    const app = new Koa()
    app.keys = ['x']
    app.use(createSession({}, app as never) as never)
    app.use((ctx, next) => {
      if (ctx.path !== '/login') return next()
      ;(ctx.session as unknown as { user: object }).user = { id: 'ann' }
      ctx.body = 'welcome'
    })
    app.use(mcp(knowing(), { user: (ctx) => (ctx.session as unknown as { user?: object }).user }))
    const { origin } = await listening(app)
    const cookies = (await post(`${origin}/login`, {})).headers['set-cookie'] ?? []
    const Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
    expect(expectText(await modern(`${origin}/mcp`, { headers: { Cookie } }).call('self', {}))).toBe(
      '{"id":"ann"}',
    )
    expectError(await modern(`${origin}/mcp`).call('self', {}), 401, -31001, 1)
  })

  it('reads the user when the call runs, however late the app sets it', async () => {
    const app = new Koa().use((ctx, next) => {
      ctx.req.once('end', () => {
        ctx.state.user = { id: 'late' }
      })
      return next()
    })
    const { origin } = await listening(app.use(mcp(knowing())))
    expect(expectText(await modern(`${origin}/mcp`).call('self', {}))).toBe('{"id":"late"}')
  })

  it("passes Koa's ctx to `user`, `context` and `ctx.request.raw`", async () => {
    const made = router()
    made.tool('all', {
      description: 'x',
      handler: (_, ctx) =>
        [ctx.request?.raw.get('X-Tenant'), (ctx as unknown as { tenant: string }).tenant, ctx.user].join(),
    })
    const app = new Koa().use(
      mcp(made, { user: (ctx) => ctx.get('X-User'), context: (ctx) => ({ tenant: ctx.get('X-Tenant') }) }),
    )
    const { origin } = await listening(app)
    const headers = { 'X-Tenant': 'acme', 'X-User': 'ann' }
    expect(expectText(await modern(`${origin}/mcp`, { headers }).call('all', {}))).toBe('acme,acme,ann')
  })
}
