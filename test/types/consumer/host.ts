/** A user of the Express mount. */
import express from 'express'
import { mcp } from 'mcp-router/express'
import { router } from './core.js'

export const app = express()
const options = { context: () => ({ db: { find: String } }) }

app.use('/api', mcp(router, { context: (req) => ({ db: { find: (id) => `${id} ${req.ip ?? ''}` } }) }))
app.use(
  mcp(router, {
    path: '/mcp',
    user: () => ({ id: 1 }),
    context: async () => ({ db: { find: String } }),
  }),
)

// Handlers written inline beside the mount keep the types of their parameters.
app.use(
  '/mcp',
  (req, res, next) => {
    res.locals.method = req.method.toUpperCase()
    next()
  },
  mcp(router, options),
)
app.use((req, _res, next) => next(req.ip), mcp(router, options))
app.post(
  '/:tenant/mcp',
  (req, res, next) => {
    res.locals.tenant = req.params.tenant.toUpperCase()
    next()
  },
  mcp(router, options),
)
app.use(
  '/spread',
  (req, res, next) => {
    res.locals.method = req.method.toUpperCase()
    next()
  },
  ...mcp(router, options),
)
app.post(
  '/:tenant/spread',
  (req, res, next) => {
    res.locals.tenant = req.params.tenant.toUpperCase()
    next()
  },
  ...mcp(router, options),
)
