/** An authorization server for tests: signs tokens, publishes its keys, and answers introspection. */

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  type SignJWT as Signer,
  SignJWT,
} from 'jose'
import { onTestFinished } from 'vitest'

/** `down`: it refuses; `slow`: it never answers; `lying`: other keys under the known name; `page`: no JSON at all. */
export type State = 'up' | 'down' | 'slow' | 'lying' | 'page'

export interface AuthorizationServer {
  readonly issuer: string
  readonly jwksUri: string
  readonly introspection: string
  state: State
  /** Of introspection. */
  readonly revoked: Set<string>
  /** What it was asked for. */
  readonly asked: string[]
  /** The public key, as text: what a confused verifier would take for a secret. */
  readonly publicKey: string
  /** A token that is right for `aud`, but for what `claims` say. `null` leaves a claim out. */
  sign(aud: string, claims?: Record<string, unknown>): Promise<string>
  /** The same, signed in another way. */
  signWith(aud: string, sign: (jwt: Signer) => Promise<string>): Promise<string>
}

export const kid = 'first'

export async function authorizationServer(): Promise<AuthorizationServer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const other = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  const lie = { ...(await exportJWK(other.publicKey)), kid, alg: 'RS256', use: 'sig' }
  const asked: string[] = []
  const revoked = new Set<string>()
  const issued = new Map<string, JWTPayload>()

  const introspect = (text: string): object => {
    const token = new URLSearchParams(text).get('token') ?? ''
    const claims = issued.get(token)
    return claims === undefined || revoked.has(token) ? { active: false } : { active: true, ...claims }
  }
  const answer = (path: string, body: string, response: ServerResponse): void => {
    if (self.state === 'slow') return
    if (self.state === 'down') return void response.writeHead(500).end('out of order: hunter2')
    if (self.state === 'page') return void response.end('<html>hunter2</html>')
    const keys = { keys: [self.state === 'lying' ? lie : jwk] }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(path === '/jwks' ? keys : introspect(body)))
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    asked.push(request.url ?? '')
    answer(request.url ?? '', Buffer.concat(chunks).toString(), response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const self: AuthorizationServer = {
    issuer,
    jwksUri: `${issuer}/jwks`,
    introspection: `${issuer}/introspect`,
    state: 'up',
    revoked,
    asked,
    publicKey: await exportSPKI(publicKey),
    async sign(aud, claims = {}) {
      const payload = payloadOf(issuer, aud, claims)
      const token = await new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
      issued.set(token, payload)
      return token
    },
    signWith: (aud, sign) => sign(new SignJWT(payloadOf(issuer, aud, {}))),
  }
  return self
}

/** The private key of somebody else. */
export const stranger = async (): Promise<Awaited<ReturnType<typeof importJWK>>> =>
  importJWK(await exportJWK((await generateKeyPair('RS256', { extractable: true })).privateKey), 'RS256')

function payloadOf(iss: string, aud: string, claims: Record<string, unknown>): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  const all = { iss, aud, sub: 'ann', iat: now, exp: now + 600, scope: 'tasks:read', ...claims }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}
