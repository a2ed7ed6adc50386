/** The API: an Express app whose MCP endpoint accepts only tokens of the authorization server. */

import express, { type Express } from 'express'
import { jwtVerifier } from 'mcp-router/auth'
import { mcp } from 'mcp-router/express'
import { router } from './mcp.js'
import { findUser } from './users.js'

export function createApi(publicUrl: string, issuer: string): Express {
  const app = express().disable('x-powered-by')
  app.use(
    mcp(router, {
      publicUrl,
      auth: {
        authorizationServers: [issuer],
        scopesSupported: ['notes:read'],
        verify: jwtVerifier({ issuer }),
        tenant: (claims) => claims.org,
      },
      user: (_req, auth) => auth && findUser(auth.subject),
    }),
  )
  app.get('/health', (_req, res) => void res.json({ ok: true }))
  return app
}
