/** What docs/mounting.md takes for granted: an app with a login. */

import express from 'express'
import type { User } from './user.js'

export type { User }

export const app: express.Express = express()
app.use((req, _res, next) => {
  const id = req.header('x-user')
  if (id !== undefined) req.user = { id }
  next()
})
