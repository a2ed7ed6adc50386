/** `exclude` is checked against the URL of each call, whatever parameters the route has. */

import KoaRouter from '@koa/router'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'
import KoaRouter12 from 'koa-router12'
import { McpRouter } from 'mcp-router'
import { mcp as expressMcp } from 'mcp-router/express'
import { mcp as fastifyMcp } from 'mcp-router/fastify'
import { mcp as koaMcp } from 'mcp-router/koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quiet } from '../../contract/host.js'

interface RouteOptions {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly tools?: Readonly<Record<string, object>>
}

/** Serves one route that answers its URL, with a mount for each of the options. */
type Start = (path: string, ...mounts: readonly RouteOptions[]) => Promise<McpRouter>

const inExpress =
  (create: typeof express): Start =>
  async (path, ...mounts) => {
    const router = new McpRouter({ logger: quiet })
    const app = create()
    for (const [index, routes] of mounts.entries())
      app.use(expressMcp(router, { app, path: `/mcp${index}`, routes }) as never)
    app.get(path, (req, res) => void res.json(req.url))
    return router
  }

const inKoa =
  (Router: typeof KoaRouter): Start =>
  async (path, ...mounts) => {
    const router = new McpRouter({ logger: quiet })
    const app = new Koa()
    for (const [index, routes] of mounts.entries())
      app.use(koaMcp(router, { app, path: `/mcp${index}`, routes }) as Koa.Middleware)
    const api = new Router()
    api.get(path, (ctx) => {
      ctx.body = JSON.stringify(ctx.url)
    })
    app.use(api.routes() as Koa.Middleware)
    return router
  }

const hosts: Readonly<Record<string, Start>> = {
  'Express 4': inExpress(express4 as unknown as typeof express),
  'Express 5': inExpress(express),
  'Koa, @koa/router 12': inKoa(KoaRouter12 as unknown as typeof KoaRouter),
  Koa: inKoa(KoaRouter),
  async Fastify(path, ...mounts) {
    const router = new McpRouter({ logger: quiet })
    const app = Fastify()
    onTestFinished(() => app.close())
    for (const [index, routes] of mounts.entries())
      await app.register(fastifyMcp, { router, path: `/mcp${index}`, routes } as never)
    app.get(path, async (request, reply) => reply.send(JSON.stringify(request.url)))
    await app.ready()
    return router
  },
}

const enumerated: Readonly<Record<string, string>> = {
  'Express 4': '/:area(internal|public)/users',
  'Koa, @koa/router 12': '/:area(internal|public)/users',
  Fastify: '/:area(^(?:internal|public)$)/users',
}

async function outcome(router: McpRouter, args: object) {
  const tool = router.list().find(({ kind }) => kind === 'tool')
  const { isError = false, content } = await router.call(tool?.name ?? 'no tool', args as never)
  return { isError, text: (content[0] as { text: string }).text }
}

describe.each(Object.entries(hosts))('in %s', (_, start) => {
  it('rejects a URL that every mount of the router excludes', async () => {
    const router = await start(
      '/users/:id',
      { include: ['/users/*'], exclude: ['/users/admin'] },
      { tools: { '/users/:id': { description: 'A user' } } },
    )
    expect(await outcome(router, { id: 'admin' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('excluded by "/users/admin"'),
    })
    expect(await outcome(router, { id: '7' })).toMatchObject({ isError: false })
  })

  it('allows a URL that another mount exposes and does not exclude', async () => {
    const router = await start(
      '/users/:id',
      { include: ['/users/*'], exclude: ['/users/admin'] },
      { include: ['/users/*'] },
    )
    expect(await outcome(router, { id: 'admin' })).toMatchObject({ isError: false })
  })
})

it.each(Object.entries(enumerated))(
  'refuses the first value of an enumerated parameter, too, in %s',
  async (name, path) => {
    for (const excluded of ['internal', 'public']) {
      const router = await hosts[name]?.(path, { include: ['/**'], exclude: [`/${excluded}/**`] })
      for (const area of ['internal', 'public'])
        expect({ area, ...(await outcome(router as McpRouter, { area })) }).toMatchObject({
          isError: area === excluded,
        })
    }
  },
)
