/** Paths that reach the endpoint, as the app matches them: no variant of a path bypasses the app's logins. */

import type { NextFunction, Request, Response } from 'express'
import { mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectResult, expectText } from '../../contract/expect.js'
import { router } from '../placed.js'
import { proveWholeUrls } from '../whole-urls.js'
import { type ExpressModule, listening } from './host.js'

const as = { 'X-User': 'ann' }
const requireLogin = (req: Request, res: Response, next: NextFunction): void => {
  if (req.get('X-User') === undefined) res.status(401).send('sign in')
  else next()
}
const passOn = (_req: Request, _res: Response, next: NextFunction): void => next()

export function addresses(express: ExpressModule): void {
  /** The path of a route that matches everything. */
  const everything = 'del' in express.application ? '*' : '/{*any}'

  it("isn't served at another path because an earlier route of the app matched and called next()", async () => {
    const app = express()
    app.use('/mcp', requireLogin)
    app.all(everything, passOn)
    app.use(mcp(router(), { health: true }))
    const { origin, errors } = await listening(app)
    for (const path of ['/x/mcp', '/a/b/mcp', '/x/MCP/', '/x/mcp/health']) {
      for (const headers of [{}, as]) {
        const client = modern(origin + path, { headers })
        expect((await post(origin + path, rpc('ping'), headers)).status, path).toBe(404)
        expect((await client.call('where', {})).status, path).toBe(404)
      }
    }
    expect((await post(`${origin}/mcp/mcp`, rpc('ping'), as)).status).toBe(404)
    expect(await post(`${origin}/mcp`, rpc('ping'))).toMatchObject({ status: 401, text: 'sign in' })
    expectResult(await post(`${origin}/mcp`, rpc('ping'), as))
    expect(errors).toEqual([])
  })

  it('is served, with its health endpoint, behind an earlier route that called next()', async () => {
    const app = express()
    app.all(everything, passOn)
    app.get('/mcp/health', passOn)
    app.use(mcp(router(), { health: true }))
    app.use('/api/mcp', mcp(router()))
    const { origin } = await listening(app)
    expect(await send(`${origin}/mcp/health`, { method: 'GET' })).toMatchObject({
      status: 200,
      json: { status: 'ok' },
    })
    for (const path of ['/mcp', '/api/mcp']) {
      for (const client of [await legacy(origin + path), modern(origin + path)]) {
        expect(expectText(await client.call('where', {}))).toBe(path)
      }
    }
  })

  it('is served as a route behind an earlier route that called next()', async () => {
    const app = express()
    app.all(everything, passOn)
    app.post('/x/mcp', mcp(router()))
    const { origin } = await listening(app)
    expect(expectText(await modern(`${origin}/x/mcp`).call('where', {}))).toBe('/x/mcp')
    for (const path of ['/mcp', '/y/mcp', '/x'])
      expect((await post(origin + path, rpc('ping'))).status).toBe(404)
  })

  it('is case-sensitive if the app is', async () => {
    const app = express()
    app.enable('case sensitive routing')
    app.use('/mcp', requireLogin)
    app.use(mcp(router(), { health: true }))
    const { origin } = await listening(app)
    for (const path of ['/MCP', '/Mcp/', '/MCP/health', '/mcp/HEALTH']) {
      const answer = await post(origin + path, rpc('ping'), as)
      expect([path, answer.status, answer.json]).toEqual([path, 404, undefined])
    }
    expect((await post(`${origin}/mcp`, rpc('ping'))).status).toBe(401)
    expectResult(await post(`${origin}/mcp`, rpc('ping'), as))
    expect((await send(`${origin}/mcp/health`, { method: 'GET', headers: as })).status).toBe(200)
  })

  it("has its own case sensitivity below the mount point, and the app's in the mount path", async () => {
    const open = await listening(express().use('/v1/mcp', mcp(router())).use(mcp(router())))
    expect((await post(`${open.origin}/MCP`, rpc('ping'))).status).toBe(404)
    expectResult(await post(`${open.origin}/V1/MCP`, rpc('ping')))
    const guarded = await listening(express().use('/mcp', requireLogin).use(mcp(router())))
    expect((await post(`${guarded.origin}/MCP`, rpc('ping'))).status).toBe(401)
  })

  it('leaves absolute-form request targets to the app, wherever it is mounted', async () => {
    const app = express()
    app.use('/guarded', requireLogin, mcp(router()))
    app.use('/api/mcp', mcp(router()))
    app.post('/x/mcp', mcp(router()))
    app.use(mcp(router()))
    const { origin } = await listening(app)
    await proveWholeUrls(origin)
  })

  it.each([0, false, []])('checks the host of an app whose `trust proxy` is %j', async (trusted) => {
    const app = express().set('trust proxy', trusted).use(mcp(router()))
    const { origin } = await listening(app)
    const rebound = { Host: 'evil.example', Origin: 'http://evil.example' }
    expectError(await post(`${origin}/mcp`, rpc('ping'), rebound), 403, -32600)
    const forwarded = { Host: 'evil.example', 'X-Forwarded-Host': 'localhost' }
    expectError(await post(`${origin}/mcp`, rpc('ping'), forwarded), 403, -32600)
    expectResult(await post(`${origin}/mcp`, rpc('ping')))
  })
}
