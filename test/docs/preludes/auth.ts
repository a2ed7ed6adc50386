/** What docs/auth.md takes for granted: an app, an authorization server, tasks, and keys of its own. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const app: express.Express = express()

const { publicKey, privateKey } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }
const server = createServer(({ url }, response) => {
  const metadata = { issuer, jwks_uri: `${issuer}/jwks` }
  response.end(JSON.stringify(url === '/jwks' ? { keys: [jwk] } : metadata))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
server.unref()

export const issuer: string = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** A token as the authorization server would issue it. */
export function sign(audience: string, claims: Record<string, unknown>): Promise<string> {
  return new SignJWT({ sub: 'ana', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime('5m')
    .sign(privateKey)
}

export const tasks = {
  of: (owner: string | undefined): string[] => (owner === 'ana' ? ['Water the plants'] : []),
  remove: (id: string): string => `removed ${id}`,
}

export const keys = {
  find: async (token: string) =>
    token === 'key-1'
      ? { owner: 'ben', scopes: ['tasks:read'], resource: 'https://api.example.com/keys/mcp' }
      : undefined,
}

export const people = { find: async (id: string | undefined) => (id === undefined ? undefined : { id }) }
