/** The user that `prepare` sets is in `ctx.state.user`, where Koa's middleware and routes look for it. */

import Router from '@koa/router'
import Koa3 from 'koa'
import Koa2 from 'koa2'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/koa'
import { addOpenApi } from 'mcp-router/openapi'
import { expect, test } from 'vitest'
import { modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { read } from '../route-tools/serve.js'
import { type KoaModule, listening } from './host.js'

const gateway = { headers: { 'X-Gateway-Key': 'k' } }

test.each([
  ['Koa 2', Koa2 as unknown as KoaModule],
  ['Koa 3', Koa3],
])('%s', async (_, Koa) => {
  const router = new McpRouter<object>({ logger: quiet })
  const app = new Koa()
  const first: unknown[] = []
  app.use((ctx, next) => {
    first.push([ctx.app === app, ctx.state.user])
    return next()
  })
  app.use(
    mcp(router, {
      user: (ctx) => (ctx.get('x-gateway-key') === 'k' ? { id: 'ana' } : undefined),
      routes: {
        prepare: (req, ctx) => {
          if (ctx.user !== undefined) req.user = ctx.user
        },
      },
    }),
  )
  const routes = new Router()
  routes.get('/who', asTool({ name: 'who', description: 'Who' }), (ctx) => {
    ctx.body = { user: ctx.state.user }
  })
  app.use(routes.routes() as unknown as Koa3.Middleware)
  const document = {
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    paths: { '/who': { get: { operationId: 'asked' } } },
  }
  await addOpenApi(router, document, {
    app,
    prepare: (req) => void Object.assign(req as object, { user: 'ben' }),
  })
  const { origin } = await listening(app)
  const client = modern(`${origin}/mcp`)
  expect(read(await client.call('who', {}, gateway)).text).toBe('{"user":{"id":"ana"}}')
  expect(read(await client.call('who')).text).toBe('{}')
  expect(read(await client.call('asked')).text).toBe('{"user":"ben"}')
  expect(await (await fetch(`${origin}/who`)).json()).toEqual({})
  expect(first.map((seen) => JSON.stringify(seen))).toEqual([
    '[true,null]',
    '[true,{"id":"ana"}]',
    '[true,null]',
    '[true,null]',
    '[true,null]',
    '[true,"ben"]',
    '[true,null]',
  ])
})
