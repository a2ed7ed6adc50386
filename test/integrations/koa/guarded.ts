/** A Koa app whose router has guarded definitions of every kind. */

import type { Context, Middleware } from 'koa'
import { guard, mcp } from 'mcp-router/koa'
import { expect, onTestFinished } from 'vitest'
import { type GuardedApp, guardedApp, guardedRouter } from '../guarded.js'
import { type KoaModule, listening } from './host.js'

interface GuardedKoa extends GuardedApp {
  /** The `ctx` of the last request. */
  real(): Context
}

export type Guarded = (
  middleware: Middleware,
  options?: { without?: 'skip'; exposeErrors?: false },
) => Promise<GuardedKoa>

export function guardedBy(Koa: KoaModule): Guarded {
  return async (middleware, { exposeErrors, ...options } = {}) => {
    const made = guardedRouter(guard(middleware, options), exposeErrors === undefined ? {} : { exposeErrors })
    let real: Context | undefined
    const app = new Koa()
    app.use((ctx, next) => {
      real = ctx
      ctx.state.greeting = 'hello'
      ctx.params = { tenant: 'acme' }
      ctx.cookies.set('before', '1')
      ctx.set('X-Before', '1')
      return next()
    })
    const { origin, errors } = await listening(app.use(mcp(made.router)))
    onTestFinished(() => expect(errors).toEqual([]))
    return { ...(await guardedApp(made, origin)), real: () => real as Context }
  }
}
