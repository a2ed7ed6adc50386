/** Inner requests through complete Koa apps. */

import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { koaDispatch } from '../../../integrations/node/inject/koa-app.js'
import { isToolCall } from '../../../integrations/node/inject/tool-call.js'
import { call, load, outerWith, serve, type Untyped } from './inject-call.js'

const { Passport } = await load('passport')
const { ExtractJwt, Strategy } = await load('passport-jwt')
const jwt = await load('jsonwebtoken')
const session = (await load('koa-session')).default ?? (await load('koa-session'))
const bodyParser = await load('koa-bodyparser')
const { KoaPassport } = await load('koa-passport')
const helmet = await load('koa-helmet')
const cors = await load('@koa/cors')
const compress = await load('koa-compress')

const secret = 'a secret of this test'

async function build(koa: string, routerName: string) {
  const Koa = await load(koa)
  const Router = await load(routerName)
  const passport = new (KoaPassport ?? Passport)()
  const options = { secretOrKey: secret, jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken() }
  passport.use(
    new Strategy(options, ({ sub }: { sub: string }, done: (e: null, u: object) => void) =>
      done(null, { id: sub }),
    ),
  )
  const app = new Koa()
  app.keys = ['k']
  app.silent = true
  app
    .use(helmet())
    .use(cors())
    .use(compress({ threshold: 0 }))
  app
    .use(session({ key: 'koa.sess' }, app))
    .use(bodyParser())
    .use(passport.initialize())
  const router = new Router()
  router.get('/task/:id', (ctx: Untyped) => {
    ctx.body = { id: ctx.params.id, query: ctx.query }
  })
  router.post('/echo', (ctx: Untyped) => {
    ctx.status = 201
    ctx.body = { body: ctx.request.body }
  })
  router.post('/login', (ctx: Untyped) => {
    ctx.session.name = ctx.request.body.name
    ctx.body = {}
  })
  router.get('/session', (ctx: Untyped) => {
    ctx.body = { name: ctx.session.name ?? null }
  })
  router.get('/me', passport.authenticate('jwt', { session: false }), (ctx: Untyped) => {
    ctx.body = ctx.state.user
  })
  router.get('/who', (ctx: Untyped) => {
    ctx.body = { ip: ctx.ip, host: ctx.host, secure: ctx.secure, model: isToolCall(ctx) }
  })
  router.get('/stream', (ctx: Untyped) => {
    ctx.type = 'text'
    ctx.body = Readable.from(['a', 'b'])
  })
  router.get('/refused', (ctx: Untyped) => ctx.throw(422, 'not so', { expose: true }))
  router.get('/broken', () => {
    throw new Error('inside')
  })
  router.get('/own', (ctx: Untyped) => {
    ctx.respond = false
    ctx.res.end('by hand')
  })
  router.get('/nothing', (ctx: Untyped) => {
    ctx.body = null
  })
  router.get('/never', () => new Promise(() => {}))
  app.use(router.routes()).use(router.allowedMethods())
  return app
}

describe.each([
  ['koa', '@koa/router'],
  ['koa2', 'koa-router12'],
])('%s with %s', async (koa, router) => {
  const app = await build(koa, router)
  const dispatch = koaDispatch(app)

  it('responds as over the network', async () => {
    const origin = await serve(app.callback())
    for (const path of ['/task/7?c=x&c=y', '/stream', '/refused', '/broken', '/nope', '/own', '/nothing']) {
      const real = await fetch(origin + path, { headers: { 'accept-encoding': 'identity' } })
      const inner = await call(dispatch, `GET ${path}`)
      expect([path, inner.status, inner.text]).toEqual([path, real.status, await real.text()])
    }
    expect(await call(dispatch, 'DELETE /stream')).toMatchObject({
      status: 405,
      headers: { allow: 'HEAD, GET' },
    })
  })

  it('reads bodies, and decodes responses of koa-compress', async () => {
    expect((await call(dispatch, 'POST /echo', { json: { a: 1 } })).json).toEqual({ body: { a: 1 } })
    const compressed = await call(dispatch, 'GET /task/7', { headers: { 'accept-encoding': 'br, gzip' } })
    expect(compressed.json.id).toBe('7')
  })

  it('finds the session of the cookie', async () => {
    const login = await call(dispatch, 'POST /login', { json: { name: 'ann' } })
    const cookie = (login.headers['set-cookie'] as string[]).map((one) => one.split(';')[0]).join('; ')
    expect((await call(dispatch, 'GET /session', { headers: { cookie } })).json).toEqual({ name: 'ann' })
  })

  it("logs the caller in, and has the client's address", async () => {
    const authorization = `Bearer ${jwt.sign({ sub: 'ann' }, secret)}`
    expect((await call(dispatch, 'GET /me', { headers: { authorization } })).json).toEqual({ id: 'ann' })
    expect((await call(dispatch, 'GET /me')).status).toBe(401)
    const who = await call(dispatch, 'GET /who', {
      outer: outerWith({ remoteAddress: '10.1.1.1', encrypted: true }),
    })
    expect(who.json).toEqual({ ip: '10.1.1.1', host: 'api.example.com', secure: true, model: true })
  })

  it('ends at the deadline if middleware never ends', async () => {
    const answered = call(dispatch, 'GET /never', { signal: AbortSignal.timeout(10) })
    await expect(answered).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
