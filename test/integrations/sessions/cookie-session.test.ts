/** cookie-session: the session is itself the cookie, so what a route writes must come back to the client. */

import { createRequire } from 'node:module'
import cookieSession from 'cookie-session'
import type express from 'express'
import { asTool, mcp } from 'mcp-router/express'
import { describe, expect, test } from 'vitest'
import { post, send } from '../../contract/client.js'
import { modern, rpc } from '../../contract/clients.js'
import { listening } from '../express/host.js'
import { read } from '../route-tools/serve.js'
import { addShop, counting, data } from './express-shop.js'
import { browser, Jar, proveKept, proveLogin, quietRouter } from './kept.js'

const load = createRequire(import.meta.url)

interface Options {
  readonly counts?: boolean
  /** In front of the routes alone. */
  readonly inner?: express.RequestHandler
  /** What the routes are sent in the place of the caller's. */
  readonly cookie?: string
}

describe.each(['express418', 'express4', 'express'])('%s', (module) => {
  const options = { name: 'shop', keys: ['a secret'] }

  async function start({ counts = false, inner, cookie }: Options = {}) {
    const app = (load(module) as typeof express)()
    app.use(cookieSession(options))
    if (counts) app.use(counting)
    const prepare = ({ headers }: { headers: Record<string, unknown> }) => {
      if (cookie !== undefined) headers.cookie = cookie
    }
    app.use(mcp(quietRouter(), { routes: { prepare } }) as unknown as express.RequestHandler)
    app.use((load(module) as typeof express).json())
    if (inner !== undefined) app.use(inner)
    addShop(app)
    app.post('/login/:name', asTool({ name: 'login' }), (req, res) => {
      req.session = { user: req.params.name } as never
      res.json({})
    })
    app.post('/remember', asTool({ name: 'remember' }), (req, res) => {
      const { sessionOptions } = req as unknown as { sessionOptions: { maxAge: number } }
      sessionOptions.maxAge = 3_600_000
      data(req).seen = 1
      res.json({})
    })
    app.post('/logout', asTool({ name: 'logout' }), (req, res) => {
      req.session = null as never
      res.json({})
    })
    app.post('/look', asTool({ name: 'look' }), (req, res) => void res.json(data(req).user ?? 'nobody'))
    return (await listening(app)).origin
  }

  test('what calls write is kept', async () => {
    await proveKept(await start(), { streams: false })
    await proveKept(await start({ counts: true }), { streams: false, counts: 5 })
  })

  test('a login by a tool is one', async () => {
    await proveLogin(await start())
  })

  test('the cookie is that of the app, with what the route says of it, and none where nothing was written', async () => {
    const origin = await start()
    const client = modern(`${origin}/mcp`)
    const looked = await client.call('look', {})
    expect(read(looked).text).toContain('nobody')
    expect(looked.headers['set-cookie']).toBeUndefined()
    const [cookie = '', signature = ''] = (await client.call('remember', {})).headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^shop=.*expires=.*httponly/i)
    expect(signature).toMatch(/^shop\.sig=/)
  })

  test('another session of the route stays its own', async () => {
    const origin = await start({ inner: cookieSession({ ...options, keys: ['another'] }) })
    const answer = await modern(`${origin}/mcp`).call('login', { name: 'ben' })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('what another cookie made is not for the caller', async () => {
    const answer = await modern(`${await start({ cookie: 'a=b' })}/mcp`).call('login', { name: 'ben' })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('of the calls of one batch, which run at once, the last to end is kept, as of two requests at once', async () => {
    const origin = await start()
    const add = (item: string) => rpc('tools/call', { name: 'cart_add', arguments: { item } }, item)
    const jar = new Jar()
    jar.keep((await post(`${origin}/mcp`, [add('a'), add('b')])).headers['set-cookie'] ?? [])
    const { json } = await send(`${origin}/cart`, { method: 'GET', headers: jar.header })
    expect(json.items).toHaveLength(1)
  })

  test('comes too late for an answer that streams', async () => {
    const { get, stream } = browser(await start())
    await get('/login/ana')
    await stream('cart_add_slowly', { item: 'c' })
    expect(await get('/cart')).toEqual({ user: 'ana' })
  })
})
