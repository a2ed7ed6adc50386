/** The REST API. */
import Router from '@koa/router'
import type { Context, Middleware, Next } from 'koa'
import type { Shelf } from './books.js'
import { logIn } from './users.js'

/** Lets guests only read. The tools have the same guard. */
export function requireOwner(ctx: Context, next: Next): Promise<unknown> {
  ctx.assert(ctx.state.user?.role === 'owner', 403, 'Guests may only look')
  return next()
}

const bodyOf = (ctx: Context) => (ctx.request as { body?: Record<string, unknown> }).body ?? {}

export function loginRoute(secret: string): Middleware {
  return new Router()
    .post('/login', (ctx) => {
      const token = logIn(bodyOf(ctx), secret)
      if (token === undefined) return ctx.throw(401, 'Wrong name or password')
      ctx.body = { token }
    })
    .routes() as Middleware
}

export function bookRoutes(shelf: Shelf): Middleware {
  return new Router({ prefix: '/books' })
    .get('/', (ctx) => {
      ctx.body = shelf.list(ctx.state.user.sub)
    })
    .post('/', requireOwner, (ctx) => {
      const { title } = bodyOf(ctx)
      if (typeof title !== 'string' || title === '') return ctx.throw(400, 'title: expected a text')
      ctx.status = 201
      ctx.body = shelf.add(ctx.state.user.sub, title)
    })
    .routes() as Middleware
}
