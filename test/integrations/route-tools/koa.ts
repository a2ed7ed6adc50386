/** The app of the route tests in Koa. */

import { Readable } from 'node:stream'
import multer from '@koa/multer'
import Router from '@koa/router'
import type { Context, Middleware, Next } from 'koa'
import bodyParser from 'koa-bodyparser'
import { asTool, isToolCall, mcp } from 'mcp-router/koa'
import { MulterError } from 'multer'
import { type KoaModule, listen } from '../koa/host.js'
import type { ApiRoute, Asked, RouteHost } from './host.js'
import { callerOf, requestStore } from './login.js'

const upload = multer({ limits: { fileSize: 1_000 } })

export function koaRouteHost(name: string, Koa: KoaModule): RouteHost {
  return {
    name,
    async start({ router, options, routes, parseQuery }) {
      const app = new Koa()
      if (parseQuery !== undefined) {
        Object.defineProperty(app.request, 'query', {
          get(this: { querystring: string }) {
            return parseQuery(this.querystring)
          },
        })
      }
      app.use((ctx, next) => {
        const user = callerOf(ctx.headers.authorization)
        ctx.state.user = user
        return requestStore.run(user, next)
      })
      app.use(mcp(router, options as object))
      app.use(bodyParser({ enableTypes: ['json', 'form'] }))
      const api = new Router()
      const add = (route: ApiRoute): void => void api[route.method](route.path, ...chainOf(route))
      for (const route of routes) add(route)
      app.use(api.routes() as Middleware).use(api.allowedMethods() as Middleware)
      const started = await listen(app)
      return { ...started, errors: [], listener: app.callback(), add }
    },
  }
}

function chainOf({ marker, uploads, guarded, run }: ApiRoute): Parameters<Router['get']>[1][] {
  const chain: Middleware[] = [
    ...(guarded === true ? [requireLogin] : []),
    ...(marker === undefined ? [] : [asTool(marker) as Middleware]),
    ...(uploads === 'bytes' ? [bytes] : []),
    ...(uploads === 'form' ? [withLimits, upload.any() as unknown as Middleware] : []),
    (ctx) => serve(run, ctx),
  ]
  return chain as unknown as Parameters<Router['get']>[1][]
}

function requireLogin(ctx: Context, next: Next): Promise<unknown> {
  if (ctx.state.user === undefined) ctx.throw(401, 'Log in first')
  return next()
}

async function bytes(ctx: Context, next: Next): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
  Object.assign(ctx.request, { body: Buffer.concat(chunks) })
  await next()
}

/** multer leaves it to the app which status its errors are. */
async function withLimits(ctx: Context, next: Next): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (error instanceof MulterError) ctx.throw(413, error.message)
    throw error
  }
}

async function serve(run: ApiRoute['run'], ctx: Context): Promise<void> {
  const left = new AbortController()
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) left.abort()
  })
  const { status = 200, headers = {}, body, pieces } = await run({ ...asked(ctx), left: left.signal })
  ctx.status = status
  if (pieces !== undefined) ctx.body = Readable.from(pieces, { objectMode: false })
  else if (body !== undefined) ctx.body = body
  ctx.set(headers as Record<string, string>)
}

function asked(ctx: Context): Omit<Asked, 'left'> {
  const { files = [] } = ctx as unknown as { files?: Express.Multer.File[] }
  return {
    user: ctx.state.user as Asked['user'],
    params: ctx.params as Asked['params'],
    query: ctx.query,
    body: (ctx.request as { body?: unknown }).body,
    files: files.map(({ fieldname, originalname, mimetype, buffer }) => ({
      field: fieldname,
      name: originalname,
      type: mimetype,
      text: buffer.toString(),
    })),
    isToolCall: isToolCall(ctx),
    headers: ctx.headers,
  }
}
