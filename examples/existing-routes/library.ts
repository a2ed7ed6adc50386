/** Express: json-server's router, used unchanged, behind our own login. */
import type { Express, NextFunction, Request, Response } from 'express'
import jsonServer from 'json-server'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { addOpenApi } from 'mcp-router/openapi'
import { type Person, personOf } from './keys.js'
import { logger } from './log.js'

type PersonRequest = Request & { user?: Person }

function requireKey(req: PersonRequest, res: Response, next: NextFunction): void {
  const user = personOf(req.headers.authorization)
  if (user === undefined) {
    res.status(401).json({ message: 'Send your key' })
    return
  }
  req.user = user
  next()
}

function requireStaff(req: PersonRequest, res: Response, next: NextFunction): void {
  if (req.method === 'GET' || req.user?.role === 'staff') next()
  else res.status(403).json({ message: 'Readers may only look' })
}

export async function createLibrary(): Promise<Express> {
  const db = {
    books: [
      { id: 1, title: 'Emma', authorId: 1 },
      { id: 2, title: 'Persuasion', authorId: 1 },
      { id: 3, title: 'Middlemarch', authorId: 2 },
    ],
    authors: [
      { id: 1, name: 'Jane Austen' },
      { id: 2, name: 'George Eliot' },
    ],
  }
  const app = jsonServer.create()
  app.use(jsonServer.defaults({ logger: false }))
  app.use(requireKey)

  // Chosen by pattern: for these routes, the paths alone are enough.
  const router = new McpRouter<object>({ name: 'library', version: '1.0.0', ...logger })
  app.use(
    mcp(router, {
      routes: {
        include: ['/api/books/:id', '/api/authors/**', 'DELETE /api/books/:id'],
        guards: ['requireKey', 'requireStaff'],
      },
    }),
  )
  app.use('/api', requireStaff, jsonServer.router(db))

  // Chosen from an OpenAPI document, which describes query parameters and bodies that a path doesn't show.
  await addOpenApi(router, new URL('./library.yaml', import.meta.url), { app })
  return app
}
