/** Logins of the app between a browser and the endpoint. */

import cors from '@koa/cors'
import type { Context, Next } from 'koa'
import { mcp } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { type KoaModule, listening } from '../koa/host.js'
import { allowedOrigins, expectPagesToGetThrough, koaPages, signedIn, warned } from './pages.js'

const login = async (ctx: Context, next: Next): Promise<void> => {
  if (ctx.get('authorization') !== '') return next()
  ctx.set('WWW-Authenticate', 'Bearer')
  ctx.status = 401
}

export function corsLogin(Koa: KoaModule): void {
  it('lets pages through where @koa/cors stands in front of the login', async () => {
    const { router, warnings } = warned()
    const app = new Koa().use(cors(koaPages) as never).use(login)
    const { origin } = await listening(app.use(mcp(router, { allowedOrigins })))
    await expectPagesToGetThrough(`${origin}/mcp`)
    expect(warnings()).not.toContain('login')
  })

  it('warns once of a login that refuses preflights, and of none behind us', async () => {
    const { router, warnings } = warned()
    const app = new Koa().use(mcp(router, { path: '/open', cors: allowedOrigins })).use(login)
    const { origin } = await listening(app.use(mcp(router, { cors: allowedOrigins })))
    expect((await signedIn(`${origin}/open`)).status).toBe(200)
    expect(warnings()).not.toContain('login')
    for (const _ of [1, 2]) expect((await signedIn(`${origin}/mcp`)).status).toBe(200)
    expect(warnings().match(/CORS behind a login/g)).toHaveLength(1)
  })
}
