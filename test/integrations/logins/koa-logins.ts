/** The logins of Koa apps: koa-jwt, koa-passport with tokens and sessions, koa-session, API keys. */

import type { Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import jwt from 'koa-jwt'
import { KoaPassport } from 'koa-passport'
import { createSession } from 'koa-session'
import { mcp } from 'mcp-router/koa'
import { it } from 'vitest'
import { type App, type KoaModule, listening } from '../koa/host.js'
import {
  apiKeys,
  byApiKey,
  byPassword,
  byToken,
  knowing,
  passwords,
  proveNobody,
  proveRefused,
  proveUsers,
  secret,
} from './proof.js'
import { passwordStrategy, tokenStrategy } from './strategies.js'

export function koaLogins(Koa: KoaModule): void {
  it('koa-jwt', async () => {
    const { origin } = await listening(new Koa().use(jwt({ secret })).use(mcp(knowing())))
    await proveUsers(`${origin}/mcp`, byToken)
    await proveRefused(`${origin}/mcp`)
  })

  it('koa-jwt that lets everybody pass', async () => {
    const { origin } = await listening(new Koa().use(jwt({ secret, passthrough: true })).use(mcp(knowing())))
    await proveUsers(`${origin}/mcp`, byToken)
    await proveNobody(`${origin}/mcp`)
  })

  it('koa-passport with tokens', async () => {
    const passport = passportOf()
    const app = new Koa().use(passport.initialize()).use(passport.authenticate('jwt', { session: false }))
    const { origin } = await listening(app.use(mcp(knowing())))
    await proveUsers(`${origin}/mcp`, byToken)
    await proveRefused(`${origin}/mcp`)
  })

  it('koa-passport with sessions', async () => {
    const passport = passportOf()
    const app = withSession(new Koa()).use(passport.initialize()).use(passport.session())
    app.use(atLogin(passport.authenticate('local', { session: true }) as Middleware))
    app.use(
      atLogin((ctx) => {
        ctx.body = 'welcome'
      }),
    )
    const { origin } = await listening(app.use(mcp(knowing())))
    await proveUsers(`${origin}/mcp`, byPassword(origin))
    await proveNobody(`${origin}/mcp`)
  })

  it('koa-session alone, by the option `user`', async () => {
    const app = withSession(new Koa())
    app.use(
      atLogin((ctx) => {
        const { username = '', password } = ctx.request.body as Record<string, string>
        if (passwords[username] !== password) ctx.throw(401)
        Object.assign(ctx.session as object, { user: { name: username } })
        ctx.body = 'welcome'
      }),
    )
    app.use(mcp(knowing(), { user: (ctx) => (ctx.session as { user?: unknown } | undefined)?.user }))
    const { origin } = await listening(app)
    await proveUsers(`${origin}/mcp`, byPassword(origin))
    await proveNobody(`${origin}/mcp`)
  })

  it('API keys', async () => {
    const app = new Koa().use((ctx, next) => {
      const user = apiKeys.get(ctx.get('X-Api-Key'))
      if (user === undefined) return ctx.throw(401, 'Unknown API key')
      ctx.state.user = user
      return next()
    })
    const { origin } = await listening(app.use(mcp(knowing())))
    await proveUsers(`${origin}/mcp`, byApiKey)
    await proveRefused(`${origin}/mcp`, { 'X-Api-Key': 'key-of-eve' })
  })
}

function passportOf(): InstanceType<typeof KoaPassport> {
  const passport = new KoaPassport()
  passport.use(tokenStrategy())
  passport.use(passwordStrategy())
  passport.serializeUser<string>((user, done) => done(null, (user as { id: string }).id))
  passport.deserializeUser<string>((id, done) => done(null, { id }))
  return passport
}

function withSession(app: App): App {
  app.keys = [secret]
  return app.use(createSession({}, app as never) as never)
}

/** The body is parsed there and nowhere else. */
function atLogin(middleware: Middleware): Middleware {
  const parse = bodyParser()
  return (ctx, next) =>
    ctx.path === '/login' ? parse(ctx as never, async () => void (await middleware(ctx, next))) : next()
}
