/** A small API with a login, and MCP behind the same login. It runs on any runtime. */

import { Hono } from 'hono'
import type { GetConnInfo } from 'hono/conninfo'
import { type JwtVariables, jwt, sign } from 'hono/jwt'
import { mcp } from 'mcp-router/fetch'
import { router } from './mcp.js'
import { Notes } from './notes.js'

const passwords = new Map([
  ['ana', 'ana-likes-lists'],
  ['ben', 'ben-likes-tea'],
])

/** Creates the app. `getConnInfo` comes from Hono's package for the runtime. */
export function createApp(secret: string, getConnInfo: GetConnInfo) {
  const notes = new Notes()
  const app = new Hono<{ Variables: JwtVariables<{ sub: string }> }>()
  const login = jwt({ secret, alg: 'HS256' })
  const handler = mcp(router, { context: () => ({ notes }) })

  app.post('/login', async (c) => {
    const { name, password } = await c.req.json()
    if (!passwords.has(name) || passwords.get(name) !== password)
      return c.json({ error: 'Unauthorized' }, 401)
    return c.json({ token: await sign({ sub: name }, secret, 'HS256') })
  })
  app.get('/notes', login, (c) => c.json(notes.list(c.get('jwtPayload').sub)))
  app.all('/mcp', login, (c) =>
    handler(c.req.raw, { user: c.get('jwtPayload').sub, peerAddress: getConnInfo(c).remote.address }),
  )
  return app
}
