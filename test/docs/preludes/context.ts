/** What docs/context.md takes for granted: an app with a login, and a database that can be told to stop. */

import express from 'express'
import type { User } from './user.js'

export type { User }

export interface Db {
  written: number[]
  /** Every page after this one waits for the signal. */
  last: number
  write(owner: string, page: number, options: { signal: AbortSignal }): Promise<void>
}

export const db: Db = {
  written: [],
  last: Number.POSITIVE_INFINITY,
  async write(_owner, page, { signal }) {
    if (page > this.last)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    this.written.push(page)
  },
}

export const app: express.Express = express()
app.use((req, _res, next) => {
  const id = req.header('x-user')
  if (id !== undefined) req.user = { id }
  next()
})
