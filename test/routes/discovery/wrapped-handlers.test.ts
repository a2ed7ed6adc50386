/** Discovery if telemetry, or helpers for async handlers, wrap the handlers of an app. */

import { createRequire } from 'node:module'
import KoaRouter from '@koa/router'
import type express from 'express'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import Koa from 'koa'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/express'
import { asTool as asKoaTool, mcp as koaMcp } from 'mcp-router/koa'
import multer from 'multer'
import { expect, onTestFinished, test } from 'vitest'
import { quiet } from '../../contract/host.js'
import { expresses } from './express-versions.js'

const load = createRequire(import.meta.url)

type Wrap = (handler: RequestHandler) => RequestHandler

/** As express-async-errors does it: whatever becomes a handler in Express 4 from now on. */
function wrapEverything(): typeof express {
  const { prototype } = load('express4/lib/router/layer')
  const key = Symbol('handle')
  const wrap: Wrap = (handler) => {
    const wrapper = function newFn(this: unknown, ...args: unknown[]): unknown {
      return (handler as (...args: unknown[]) => unknown).apply(this, args)
    }
    Object.defineProperty(wrapper, 'length', { value: handler.length })
    for (const name of Object.keys(handler)) {
      Object.assign(wrapper, { [name]: (handler as unknown as Record<string, unknown>)[name] })
    }
    return wrapper as RequestHandler
  }
  Object.defineProperty(prototype, 'handle', {
    configurable: true,
    get(this: { [key]: RequestHandler }) {
      return this[key]
    },
    set(this: { [key]: RequestHandler }, handler: RequestHandler) {
      this[key] = wrap(handler)
    },
  })
  onTestFinished(() => {
    delete prototype.handle
  })
  return load('express4')
}

const ok: RequestHandler = (_req, res) => void res.json({})
function requireLogin(_req: Request, _res: Response, next: NextFunction): void {
  next()
}

test('markers, guards and uploads are found behind wrappers that copy properties', async () => {
  const app = wrapEverything()()
  const router = new McpRouter<object>({ logger: quiet })
  const endpoint = mcp(router, { routes: { include: ['* /**'] } })
  app.use(endpoint)
  app.post('/mcp', endpoint)
  app.get('/marked', requireLogin, asTool({ name: 'marked' }), ok)
  app.get('/hidden', asTool({ hidden: true }), ok)
  app.post('/files', multer().single('file'), ok)
  const routes = Object.fromEntries(router.list({ app }).map(({ route }) => [route?.path, route]))
  expect(routes).toMatchObject({
    '/marked': { tool: 'marked', guards: ['requireLogin'], checksCaller: 'yes' },
    '/hidden': { reason: 'hidden' },
    '/mcp': { reason: 'our own endpoint' },
  })
  const file = `data:text/plain;base64,${Buffer.from('x').toString('base64')}`
  expect(await router.call('post_files', { body: { file } })).not.toMatchObject({ isError: true })
})

test.each(expresses)(
  'a route whose marker cannot be read is no tool in $name: it may be hidden',
  ({ express }) => {
    const app = express()
    const router = new McpRouter<object>({ logger: quiet })
    app.use(mcp(router, { routes: { include: ['* /**'] } }))
    // As express-promise-router does it.
    const wrapped: Wrap = (handler) => {
      const { [handler.name]: wrapper } = {
        [handler.name]: (req: Request, res: Response, next: NextFunction) => handler(req, res, next),
      }
      return wrapper as RequestHandler
    }
    app.get('/hidden', wrapped(asTool({ hidden: true })), ok)
    const [route] = router.list({ app }).map((handle) => handle.route)
    expect(route).toMatchObject({ path: '/hidden', reason: expect.stringContaining('asTool()') })
  },
)

test('markers of Koa routes are found if OpenTelemetry wraps each middleware', () => {
  const app = new Koa()
  const router = new McpRouter<object>({ logger: quiet })
  app.use(koaMcp(router, { routes: { include: ['* /**'] } }) as Koa.Middleware)
  const api = new KoaRouter()
  const ok = (ctx: { body: unknown }): void => {
    ctx.body = {}
  }
  api.get('/marked', asKoaTool({ name: 'marked' }) as never, ok)
  api.get('/hidden', asKoaTool({ hidden: true }) as never, ok)
  const patched = Symbol('koa-layer-patched')
  for (const { stack } of api.stack) {
    for (const [index, middleware] of stack.entries() as Iterable<[number, never]>) {
      if (middleware[patched] === true) continue
      Object.assign(middleware, { [patched]: true })
      stack[index] = (async (ctx: never, next: never) => (middleware as Koa.Middleware)(ctx, next)) as never
    }
  }
  app.use(api.routes() as never)
  expect(router.list({ app }).map(({ name, route }) => [name, route?.reason])).toEqual([
    ['marked', undefined],
    ['GET /hidden', 'hidden'],
  ])
})
