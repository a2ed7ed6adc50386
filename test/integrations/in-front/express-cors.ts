/** Logins of the app between a browser and the endpoint. */

import cors from 'cors'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { type ExpressModule, listening } from '../express/host.js'
import { allowedOrigins, expectPagesToGetThrough, page, pages, preflight, signedIn, warned } from './pages.js'

const login = (req: Request, res: Response, next: NextFunction): void => {
  if (req.headers.authorization !== undefined) next()
  else res.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 'log in' })
}
const own = { cors: allowedOrigins }

export function corsLogin(express: ExpressModule): void {
  it('lets pages through where the package `cors` stands in front of the login', async () => {
    const { router, warnings } = warned()
    const app = express().use('/mcp', cors(pages) as RequestHandler, login, mcp(router, { allowedOrigins }))
    const { origin } = await listening(app)
    await expectPagesToGetThrough(`${origin}/mcp`)
    expect(warnings()).not.toContain('login')
  })

  it('lets pages through to a mount that is one route, behind the package `cors`', async () => {
    const { router, warnings } = warned()
    const app = express().use(cors(pages) as RequestHandler)
    app.post('/mcp', login, mcp(router, { allowedOrigins }))
    const { origin } = await listening(app)
    await expectPagesToGetThrough(`${origin}/mcp`)
    expect(warnings()).not.toContain('login')
  })

  it.each<[string, (endpoint: never) => never]>([
    ['at our path', (endpoint) => express().use('/mcp', login, endpoint) as never],
    ['in front of all', (endpoint) => express().use(login).use(endpoint) as never],
    [
      'in front of a router',
      (endpoint) => express().use('/api', login, express.Router().use(endpoint)) as never,
    ],
    [
      'in front of a sub-app',
      (endpoint) => express().use('/api', login, express().use('/v1', endpoint)) as never,
    ],
  ])('warns once of a login %s that refuses preflights', async (_, place) => {
    const { router, warnings } = warned()
    const { origin } = await listening(place(mcp(router, own) as never))
    const urls = ['/mcp', '/api/mcp', '/api/v1/mcp'].map((path) => origin + path)
    for (const url of urls) await signedIn(url)
    for (const url of urls) await signedIn(url)
    expect(warnings().match(/CORS behind a login/g)).toHaveLength(1)
    expect(warnings()).toContain('`login`')
  })

  it('warns of none that is elsewhere, behind us, or without `cors`', async () => {
    const { router, warnings } = warned()
    const app = express().use('/admin', login).use('/open', mcp(router, own)).use(mcp(router, own), login)
    app.use('/closed', login, mcp(router))
    const { origin } = await listening(app)
    for (const path of ['/mcp', '/open/mcp', '/closed/mcp']) await signedIn(origin + path)
    expect(warnings()).not.toContain('login')
    expect((await preflight(`${origin}/mcp`)).headers['access-control-allow-origin']).toBe(page)
  })
}
