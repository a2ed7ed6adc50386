/** Paths that reach the endpoint, as the app matches them: no variant of a path bypasses the app's logins. */

import Router from '@koa/router'
import type { Context, Next } from 'koa'
import mount from 'koa-mount'
import { mcp } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { post } from '../../contract/client.js'
import { modern, rpc } from '../../contract/clients.js'
import { expectError, expectResult, expectText } from '../../contract/expect.js'
import { router } from '../placed.js'
import { proveWholeUrls } from '../whole-urls.js'
import { type KoaModule, listening } from './host.js'

const as = { 'X-User': 'ann' }
const requireLogin = (ctx: Context, next: Next): Promise<unknown> => {
  ctx.assert(ctx.get('X-User') !== '', 401, 'sign in')
  return next()
}
const passOn = (_ctx: Context, next: Next): Promise<unknown> => next()

export function addresses(Koa: KoaModule): void {
  it("isn't served at another path because an earlier route of the app matched and called next()", async () => {
    const routes = new Router().all('{/*any}', passOn).all('/x/:id', passOn).all('/y/mcp', passOn)
    const app = new Koa().use(mount('/mcp', requireLogin)).use(routes.routes())
    const { origin } = await listening(app.use(mcp(router(), { health: true })))
    for (const path of ['/x/mcp', '/y/mcp', '/a/b/mcp', '/x/MCP/', '/x/mcp/health', '/mcp/mcp']) {
      expect((await post(origin + path, rpc('ping'), as)).status, path).toBe(404)
    }
    expect(await post(`${origin}/mcp`, rpc('ping'))).toMatchObject({ status: 401, text: 'sign in' })
    expectResult(await post(`${origin}/mcp`, rpc('ping'), as))
  })

  it('is served behind an earlier route that called next()', async () => {
    const routes = new Router().all('{/*any}', passOn).all('/:any', passOn).all('/mcp', passOn)
    const { origin } = await listening(new Koa().use(routes.routes()).use(mcp(router())))
    expect(expectText(await modern(`${origin}/mcp`).call('where', {}))).toBe('/mcp')
  })

  it("doesn't bypass the login of its route for another method", async () => {
    const serve = mcp(router())
    const routes = new Router().post('/x/mcp', requireLogin, serve).delete('/x/mcp', passOn)
    const { origin } = await listening(new Koa().use(routes.routes()).use(serve))
    expect((await post(`${origin}/x/mcp`, rpc('ping'))).status).toBe(401)
    expectResult(await post(`${origin}/x/mcp`, rpc('ping'), as))
    const ended = await fetch(`${origin}/x/mcp`, { method: 'DELETE' })
    expect(ended.status).toBe(404)
  })

  it("doesn't bypass the login of its route that did not run", async () => {
    const serve = mcp(router())
    const routes = new Router({ exclusive: true })
    routes.all('/x/mcp', requireLogin, serve).all('/x/:other', passOn)
    const { origin } = await listening(new Koa().use(routes.routes()).use(serve))
    expect((await post(`${origin}/x/mcp`, rpc('ping'))).status).toBe(404)
  })

  it('is not served at paths that the app itself rewrites', async () => {
    const app = new Koa().use(mount('/mcp', requireLogin)).use(mount('/old', passOn))
    app.use((ctx, next) => {
      if (ctx.path.startsWith('/old/')) ctx.path = '/'
      return next()
    })
    const { origin } = await listening(app.use(mcp(router())))
    expect((await post(`${origin}/old/mcp`, rpc('ping'), as)).status).toBe(404)
  })

  it('uses a path that the app rewrote as it is after rewriting', async () => {
    const app = new Koa().use((ctx, next) => {
      if (ctx.path === '/v0/ai') ctx.path = '/mcp'
      return next()
    })
    const { origin } = await listening(app.use(mcp(router())))
    expectResult(await post(`${origin}/v0/ai`, rpc('ping')))
  })

  it.each(['/api//mcp', '//api/mcp', '/api/mcp//', '/API/mcp', '/api/MCP', '/api/%6dcp'])(
    'leaves %s to the app below a mount point',
    async (path) => {
      const { origin } = await listening(new Koa().use(mount('/api', mcp(router()))))
      expect((await post(origin + path, rpc('ping'))).status).toBe(404)
    },
  )

  it('leaves absolute-form request targets to the app, wherever it is mounted', async () => {
    const routes = new Router().all('/x/mcp', mcp(router()))
    const app = new Koa().use(mount('/guarded', requireLogin)).use(mount('/guarded', mcp(router())))
    app
      .use(mount('/api/mcp', mcp(router())))
      .use(routes.routes())
      .use(mcp(router()))
    const { origin } = await listening(app)
    await proveWholeUrls(origin)
  })

  it('checks the host unless the app trusts its proxy', async () => {
    const rebound = { Host: 'evil.example', Origin: 'http://evil.example' }
    const closed = await listening(new Koa().use(mcp(router())))
    expectError(await post(`${closed.origin}/mcp`, rpc('ping'), rebound), 403, -32600)
    const forwarded = { Host: 'evil.example', 'X-Forwarded-Host': 'localhost' }
    expectError(await post(`${closed.origin}/mcp`, rpc('ping'), forwarded), 403, -32600)
    const trusting = await listening(new Koa({ proxy: true }).use(mcp(router())))
    expectResult(await post(`${trusting.origin}/mcp`, rpc('ping'), { Host: 'inner' }))
  })
}
