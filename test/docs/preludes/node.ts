/** What docs/node.md takes for granted: users, a connect-style app with a login, and a certificate. */

import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import type { User } from './user.js'

export type { User }

export const users = new Map<string | undefined, User>([['Bearer of-ana', { id: 'ana' }]])

type Next = (error?: unknown) => void
type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** Connect-style, by its types. */
export const app: {
  use(path: string, middleware: Middleware): unknown
  (req: IncomingMessage, res: ServerResponse): void
} = express()

export const login: Middleware = (req, _res, next) => {
  Object.assign(req, { user: { id: `login:${req.headers['x-user']}` } })
  next()
}

export const clock = { hour: 12 }

export const requireNight: Middleware = (_req, res, next) => {
  if (clock.hour < 6) return next()
  res.writeHead(403, { 'Content-Type': 'application/json' }).end('{"error":"Come back at night"}')
}

const pem = (name: string): string =>
  readFileSync(new URL(`../../integrations/node/tls/${name}.pem`, import.meta.url), 'utf8')
export const certificate = { key: pem('key'), cert: pem('certificate') }
