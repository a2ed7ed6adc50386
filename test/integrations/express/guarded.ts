/** An Express app whose router has guarded definitions of every kind. */

import type { RequestHandler } from 'express'
import { guard, mcp } from 'mcp-router/express'
import { expect, onTestFinished } from 'vitest'
import { type GuardedApp, guardedApp, guardedRouter } from '../guarded.js'
import { type ExpressModule, listening } from './host.js'

export type Guarded = (
  middleware: RequestHandler,
  options?: { without?: 'skip'; exposeErrors?: false },
) => Promise<GuardedApp>

export function guardedBy(express: ExpressModule): Guarded {
  return async (middleware, { exposeErrors, ...options } = {}) => {
    const made = guardedRouter(guard(middleware, options), exposeErrors === undefined ? {} : { exposeErrors })
    const app = express()
    app.use((_req, res, next) => {
      res.locals.greeting = 'hello'
      res.set('X-Before', '1')
      next()
    })
    const { origin, errors } = await listening(app.use(mcp(made.router)))
    onTestFinished(() => expect(errors).toEqual([]))
    return guardedApp(made, origin)
  }
}
