/** A login in front of the mount guards it: no spelling of the address is ours that is not the login's too. */

import express5, { type NextFunction, type Request, type Response } from 'express'
import express4 from 'express4'
import { mcp } from 'mcp-router/express'
import { describe, expect, it } from 'vitest'
import { post, raw } from '../contract/client.js'
import { rpc } from '../contract/clients.js'
import { expectResult } from '../contract/expect.js'
import { listening } from '../integrations/express/host.js'
import { router } from '../integrations/placed.js'

const as = { 'X-User': 'ann' }
const requireLogin = (req: Request, res: Response, next: NextFunction): void => {
  if (req.get('X-User') === undefined) res.status(401).send('sign in')
  else next()
}

/** The answer to a request with this target, letter by letter. */
function ask(origin: string, target: string): Promise<string> {
  const body = JSON.stringify(rpc('ping'))
  const head = [`POST ${target} HTTP/1.1`, `Host: ${new URL(origin).host}`, 'Connection: close']
  const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return raw(origin, `${[...head, ...type].join('\r\n')}\r\n\r\n${body}`)
}

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('in %s', (_, express) => {
  it.each([
    'javascript://x/mcp',
    'JAVASCRIPT://x/mcp',
    'http://a;/mcp',
    "http://a'/mcp",
    'http://a%00/mcp',
    'http://a%2f/mcp',
    'http://a%3f/mcp',
    'file:///mcp',
    'a://b@c:999999/mcp',
    'http:///mcp',
    'x://y//mcp',
    'http://a..b/mcp',
    'http://a?/mcp',
    '//x/mcp',
    '//mcp',
    '/%6dcp',
    '/./mcp',
    '/x/../mcp',
    '/mcp;x',
    '/mcp//',
    '/MCP',
  ])('the target %s does not lead around a login', async (target) => {
    const app = express()
    app.use('/mcp', requireLogin)
    app.use(mcp(router()))
    const { origin } = await listening(app)
    expect(await ask(origin, target)).toMatch(/^HTTP\/1\.1 4\d\d/)
    expectResult(await post(`${origin}/mcp`, rpc('ping'), as))
  })

  it.each([true, 'yes'])(
    'a slash at the end does not lead around a login of an app with strict routing (%j)',
    async (strict) => {
      const app = express()
      app.set('strict routing', strict)
      app.all('/mcp', requireLogin)
      app.use(mcp(router()))
      const { origin } = await listening(app)
      expect((await post(`${origin}/mcp/`, rpc('ping'))).status).toBe(404)
      expect((await post(`${origin}/mcp`, rpc('ping'))).status).toBe(401)
      expectResult(await post(`${origin}/mcp`, rpc('ping'), as))
    },
  )

  it('letter case does not lead around a login of a Router for which it counts', async () => {
    const api = express.Router({ caseSensitive: true })
    api.use('/mcp', requireLogin)
    api.use(mcp(router()))
    const { origin } = await listening(express().use(api))
    expect((await post(`${origin}/MCP`, rpc('ping'))).status).not.toBe(200)
    expect((await post(`${origin}/mcp`, rpc('ping'))).status).toBe(401)
    expectResult(await post(`${origin}/mcp`, rpc('ping'), as))
  })

  it('a second slash does not lead around a login below the mount point', async () => {
    const app = express()
    app.use('/api/mcp', requireLogin)
    app.use('/api', mcp(router()))
    const { origin } = await listening(app)
    for (const path of ['/api//mcp', '//api/mcp', '/api///mcp', '/API//mcp/']) {
      expect((await post(origin + path, rpc('ping'))).status, path).not.toBe(200)
    }
    expect((await post(`${origin}/api/mcp`, rpc('ping'))).status).toBe(401)
    expectResult(await post(`${origin}/api/mcp`, rpc('ping'), as))
  })

  it('a parameter called as the endpoint does not lead around a login below the mount point', async () => {
    const app = express()
    app.use('/:tenant/mcp', requireLogin)
    app.use('/:tenant', mcp(router()))
    const { origin } = await listening(app)
    for (const path of ['/mcp', '/MCP', '/mcp/']) {
      expect((await post(origin + path, rpc('ping'))).status, path).not.toBe(200)
    }
    expect((await post(`${origin}/acme/mcp`, rpc('ping'))).status).toBe(401)
    expectResult(await post(`${origin}/acme/mcp`, rpc('ping'), as))
  })
})
