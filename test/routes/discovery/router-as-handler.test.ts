/** Routes that no tool can reach: their handler is a router with only paths below them, or they match any path. */

import { createRequire } from 'node:module'
import KoaRouter from '@koa/router'
import express from 'express'
import Koa from 'koa'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { mcp as koaMcp } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { quiet } from '../../contract/host.js'

const express4 = createRequire(import.meta.url)('express4') as typeof express
const show: express.RequestHandler = (req, res) => void res.json({ params: req.params })
const reasons = (router: McpRouter<object>, app: object) =>
  Object.fromEntries(router.list({ app }).map(({ route }) => [route?.path, route?.reason]))
const setUp = (module: typeof express) => {
  const router = new McpRouter<object>({ logger: quiet })
  const app = module()
  app.use(mcp(router, { routes: { include: ['/**'] } }))
  return { router, app }
}
const useIt = expect.stringContaining('mount it with `use()`')

it.each([
  ['Express 4', express4],
  ['Express 5', express],
])('a router as the handler of a route is a tool only if it handles that path, in %s', async (_, module) => {
  const { router, app } = setUp(module)
  app.get('/c', module.Router().get('/', show).get('/x', show))
  app.get('/same', module.Router().get('/same', show))
  app.get('/any', module.Router().use(show))
  app.get('/behind', module.Router().get('/x', show), show)
  const inner = module.Router().get('/d/:id', module.Router().get('/d/:id', show))
  app.use('/in', inner)
  expect(reasons(router, app)).toEqual({
    '/c': useIt,
    '/same': undefined,
    '/any': undefined,
    '/behind': undefined,
    '/in/d/{id}': undefined,
  })
  for (const name of ['get_same', 'get_any', 'get_behind', 'get_in_d_by_id'])
    expect(await router.call(name, name.endsWith('id') ? { id: '1' } : {})).not.toHaveProperty(
      'isError',
      true,
    )
})

it('a router as the handler of a route is a tool only if it handles that path, in Koa', async () => {
  const router = new McpRouter<object>({ logger: quiet })
  const app = new Koa()
  app.use(koaMcp(router, { routes: { include: ['/**'] } }))
  const answer = (ctx: Koa.Context): void => {
    ctx.body = { params: ctx.params }
  }
  const outer = new KoaRouter()
  outer.get('/c', new KoaRouter().get('/', answer).routes())
  outer.get('/same', new KoaRouter().get('/same', answer).routes())
  app.use(outer.routes() as Koa.Middleware)
  expect(reasons(router, app)).toEqual({ '/c': useIt, '/same': undefined })
  expect(await router.call('get_same')).not.toHaveProperty('isError', true)
})

it.each(['*', '.*', '.+', '[\\s\\S]*', '.*?'])(
  '`/files/:path(%s)` of Express 4 is a catch-all',
  (pattern) => {
    const { router, app } = setUp(express4)
    app.get(`/files/:path(${pattern})`, show)
    expect(router.list({ app }).map(({ name, route }) => [name, route?.method, route?.reason])).toEqual([
      ['GET /files/*', 'GET', 'a catch-all'],
    ])
  },
)
