/** The task API. */
import express, { type Express } from 'express'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
import { mcp } from 'mcp-router/express'
import { Passport } from 'passport'
import { jwtStrategy, localStrategy, requireCredentials, sendToken } from './auth.js'
import type { Db } from './db.js'
import { errorHandler, notFound } from './errors.js'
import { requestLog } from './log.js'
import { router } from './mcp.js'
import { taskRoutes } from './routes.js'
import { createTasks } from './tasks.js'

export function createApp(db: Db, secret: string): Express {
  const app = express()
  const tasks = createTasks(db)
  const passport = new Passport()
  passport.use(localStrategy(db))
  passport.use(jwtStrategy(db, secret))
  const stateless = { session: false, failWithError: true }

  app.use(helmet())
  app.use(requestLog)
  app.use(rateLimit({ windowMs: 60_000, limit: 1000, message: { error: 'Too many requests' } }))
  app.use(express.json())

  app.post('/login', requireCredentials, passport.authenticate('local', stateless), sendToken(secret))
  app.use('/tasks', passport.authenticate('jwt', stateless), taskRoutes(tasks))
  app.use('/mcp', passport.authenticate('jwt', stateless), mcp(router, { context: () => ({ tasks }) }))

  app.use(notFound)
  app.use(errorHandler)
  return app
}
