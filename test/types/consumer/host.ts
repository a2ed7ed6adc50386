/** A user of the Express mount. */
import express from 'express'
import { mcp } from 'mcp-router/express'
import { router } from './core.js'

export const app = express()
app.use('/api', mcp(router, { context: (req) => ({ db: { find: (id) => `${id} ${req.ip ?? ''}` } }) }))
app.use(
  mcp(router, {
    path: '/mcp',
    user: () => ({ id: 1 }),
    context: async () => ({ db: { find: String } }),
  }),
)
