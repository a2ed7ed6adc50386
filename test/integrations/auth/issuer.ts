/** An authorization server over a real socket: its keys and metadata, tokens that it signs, and ways to misbehave. */

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Principal, TokenVerifier } from 'mcp-router/auth'
import { onTestFinished, vi } from 'vitest'

export const resource = 'https://api.example.com/mcp'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface Issuer {
  /** Its identifier, and where it is. */
  readonly url: string
  readonly jwksUri: string
  /** The paths that were asked for, in order. */
  readonly asked: string[]
  /** What each path answers; replace one to misbehave. */
  readonly answers: Record<string, Answer>
  readonly keys: JWK[]
  /** A new key; the old ones stay until they are taken out of `keys`. */
  addKey(kid: string, alg?: string): Promise<CryptoKey>
  /** A token that is right unless told otherwise. `undefined` leaves a claim out. */
  sign(
    claims?: Record<string, unknown>,
    header?: { kid?: string; alg?: string; key?: CryptoKey | Uint8Array },
  ): Promise<string>
  /** Nobody is at home any more. */
  stop(): Promise<void>
}

export const json =
  (value: () => unknown, status = 200): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value()))
  }

export async function startIssuer(path = ''): Promise<Issuer> {
  const answers: Record<string, Answer> = {}
  const asked: string[] = []
  const { origin, stop } = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    asked.push(pathname)
    const answer = answers[pathname] ?? json(() => ({ error: 'not_found' }), 404)
    answer(request, response)
  })
  const url = origin + path
  const keys: JWK[] = []
  const signing = new Map<string, { key: CryptoKey; alg: string }>()

  const addKey = async (kid: string, alg = 'ES256'): Promise<CryptoKey> => {
    const pair = await generateKeyPair(alg)
    keys.push({ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' })
    signing.set(kid, { key: pair.privateKey, alg })
    return pair.privateKey
  }
  const sign: Issuer['sign'] = (claims = {}, header = {}) => {
    const { kid = 'first' } = header
    const { key, alg } = { ...signing.get(kid), ...header }
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: url, aud: resource, sub: 'ann', iat: now, exp: now + 300, ...claims }
    if (key === undefined || alg === undefined) throw new Error(`expected a key for ${kid}`)
    return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(key)
  }

  await addKey('first')
  answers['/jwks'] = json(() => ({ keys }))
  answers[`/.well-known/oauth-authorization-server${path}`] = json(() => ({
    issuer: url,
    jwks_uri: `${origin}/jwks`,
  }))
  return { url, jwksUri: `${origin}/jwks`, asked, answers, keys, addKey, sign, stop }
}

/** A server that is closed with the test, whatever hangs on it. */
export async function listen(listener: RequestListener): Promise<{ origin: string; stop(): Promise<void> }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

const request = { method: 'POST', url: '/mcp', headers: {}, ip: '127.0.0.1', raw: undefined }

export async function check(verify: TokenVerifier, token: string, to: string = resource): Promise<Principal> {
  return verify(token, { resource: to, request })
}

/** How it was refused: the status, and all that the client may read. */
export async function refusalOf(checked: Promise<unknown>): Promise<Refusal> {
  const error = await checked.then(
    () => {
      throw new Error('expected a refusal')
    },
    (refused: unknown) => refused as Refusing,
  )
  const { status, headers } = error.http ?? {}
  return { status, headers, message: error.message, cause: error.cause }
}

interface Refusing extends Error {
  readonly http?: { readonly status?: number; readonly headers?: Record<string, string> }
}

export interface Refusal {
  readonly status: number | undefined
  readonly headers: Record<string, string> | undefined
  readonly message: string
  readonly cause: unknown
}

export const unavailable = {
  status: 503,
  headers: { 'Retry-After': '5' },
  message: 'The access token cannot be checked at the moment',
}

/** The clock stands still; what is returned moves it. Timers run as ever. */
export function stopClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return (ms) => void vi.setSystemTime(Date.now() + ms)
}
