/** Tokens: which are let in, which are refused, and what the refused are told. */

import { UnsecuredJWT } from 'jose'
import { UnauthorizedError } from 'mcp-router'
import type { AnyMountOptions } from 'mcp-router/adapter'
import { introspectionVerifier, jwtVerifier } from 'mcp-router/auth'
import { expect, it, vi } from 'vitest'
import { passTime } from '../../support/time.js'
import {
  type AuthorizationServer,
  authorizationServer,
  kid,
  type State,
  stranger,
} from '../authorization-server.js'
import { type Answer, post, raw, send } from '../client.js'
import { initialize, legacy, modern, rpc } from '../clients.js'
import { expectError, expectResult, expectText } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, quiet, type Served, serve } from '../host.js'

const patience = { timeout: 10_000 }
type AuthOption = NonNullable<AnyMountOptions['auth']>
const secret = 'a secret of the contract'
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

interface Protected extends Served {
  readonly as: AuthorizationServer
  readonly ran: string[]
  readonly warnings: string[]
}

async function protect(
  host: Host,
  auth: Partial<AuthOption> = {},
  options: AnyMountOptions = {},
  limits: { timeoutMs?: number } = {},
): Promise<Protected> {
  const as = await authorizationServer()
  const verify = jwtVerifier({ issuer: as.issuer, jwksUri: as.jwksUri, keysCooldownMs: 0, ...limits })
  const warnings: string[] = []
  const write = (message: string, data?: unknown): unknown =>
    warnings.push(`${message} ${data instanceof Error ? data.stack : JSON.stringify(data ?? '')}`)
  const served = await serve(host, {
    options: { auth: { authorizationServers: [as.issuer], verify, ...auth }, legacySse: true, ...options },
    server: { secret, logger: { info() {}, warn: write, error: write } },
  })
  const ran: string[] = []
  served.router.tool('act', {
    description: 'Is seen to run',
    handler: (_, { auth: who }) => {
      ran.push(String(who?.subject))
      return { ...who }
    },
  })
  return { ...served, as, ran, warnings }
}

/** Everything that a client can ask for. */
function requests(url: string, headers: object): Record<string, () => Promise<Answer>> {
  const legacyOnes = { 'Mcp-Session-Id': 'any', ...headers }
  const { 'Mcp-Session-Id': _, ...own } = legacyOnes
  return {
    'a call of 2026-07-28': () => modern(url, { headers: own }).call('act', {}),
    'a legacy call': () => post(url, rpc('tools/call', { name: 'act' }), own),
    initialize: () => post(url, initialize(), own),
    'a notification': () => post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own),
    'no JSON': () => post(url, '{', own),
    'no JSON type': () => post(url, 'x', { ...own, 'Content-Type': 'text/plain' }),
    GET: () => send(url, { method: 'GET', headers: { Accept: 'text/event-stream', ...legacyOnes } }),
    DELETE: () => send(url, { method: 'DELETE', headers: legacyOnes }),
    PUT: () => send(url, { method: 'PUT', headers: own }),
    'the stream of 2024-11-05': () => send(`${url}/sse`, { method: 'GET', headers: own }),
    'a message of 2024-11-05': () => post(`${url}/message?sessionId=x`, rpc('ping'), own),
  }
}

function expectChallenge({ status, headers, text }: Answer, { origin }: Served, error?: string): void {
  const challenge = headers['www-authenticate'] ?? ''
  expect({ status, challenge }).toEqual({ status: 401, challenge: expect.stringMatching(/^Bearer /) })
  expect(challenge).toContain(`resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`)
  expect(/error="([^"]*)"/.exec(challenge)?.[1]).toBe(error)
  expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -31001 } })
}

type Make = (as: AuthorizationServer, aud: string) => string | Promise<string>
const soon = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

const wrong: Record<string, Make> = {
  'an expired token': (as, aud) => as.sign(aud, { exp: soon(-60) }),
  'a token that never expires': (as, aud) => as.sign(aud, { exp: null }),
  'a token that is not valid yet': (as, aud) => as.sign(aud, { nbf: soon(600) }),
  'a token of another issuer': (as, aud) => as.sign(aud, { iss: 'https://login.example' }),
  'a token for another resource': (as) => as.sign('https://other.example/mcp'),
  'a token for the host alone': (as, aud) => as.sign(new URL(aud).origin),
  'a token for nobody': (as, aud) => as.sign(aud, { aud: null }),
  'a token of nobody': (as, aud) => as.sign(aud, { sub: null }),
  'a token with `alg: none`': ({ issuer }, aud) =>
    new UnsecuredJWT({ sub: 'ann' }).setIssuer(issuer).setAudience(aud).setExpirationTime('1h').encode(),
  'a token signed with the public key as a secret': (as, aud) =>
    as.signWith(aud, (jwt) =>
      jwt.setProtectedHeader({ alg: 'HS256', kid }).sign(new TextEncoder().encode(as.publicKey)),
    ),
  'a token with an unknown key id': (as, aud) =>
    as.signWith(aud, async (jwt) =>
      jwt.setProtectedHeader({ alg: 'RS256', kid: 'unknown' }).sign(await stranger()),
    ),
  'a token of another key under a known id': (as, aud) =>
    as.signWith(aud, async (jwt) => jwt.setProtectedHeader({ alg: 'RS256', kid }).sign(await stranger())),
  'a token that brings its own key': (as, aud) =>
    as.signWith(aud, async (jwt) =>
      jwt
        .setProtectedHeader({ alg: 'RS256', kid: '../../etc/passwd', jku: `${as.issuer}/x` })
        .sign(await stranger()),
    ),
  'a truncated token': async (as, aud) => (await as.sign(aud)).slice(0, -8),
  'a token without its signature': async (as, aud) => (await as.sign(aud)).replace(/[^.]+$/, ''),
  'a token with another payload': async (as, aud) => {
    const [[head, , tail], [, payload]] = [
      (await as.sign(aud)).split('.'),
      (await as.sign(aud, { sub: 'bob' })).split('.'),
    ]
    return `${head}.${payload}.${tail}`
  },
  'something else': () => 'hunter2',
  'two tokens in one': async (as, aud) => `${await as.sign(aud)}, ${await as.sign(aud)}`,
  'characters that no token has': () => 'ab\u00e4"\\c',
  nothing: () => '',
}

export function authTokens(host: Host): void {
  it('lets a token in, and tells handlers what it says', async () => {
    const { url, as } = await protect(host, { tenant: ({ org }) => org })
    const token = await as.sign(url, { org: 'acme', client_id: 'editor', scope: 'tasks:read tasks:write' })
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const client = modern(url, { headers: { Authorization: `${scheme} ${token}` } })
      expect(JSON.parse(expectText(await client.call('act', {})))).toMatchObject({
        token,
        subject: 'ann',
        clientId: 'editor',
        scopes: ['tasks:read', 'tasks:write'],
        tenant: 'acme',
        claims: { org: 'acme', iss: as.issuer },
      })
    }
  })

  it('asks who brings no token for one, without an error', async () => {
    const served = await protect(host, { scopesSupported: ['tasks:read', 'offline_access'] })
    for (const [what, ask] of Object.entries(requests(served.url, {}))) {
      const answer = await ask()
      expectChallenge(answer, served)
      expect([what, answer.headers['www-authenticate']]).toEqual([
        what,
        expect.stringContaining('scope="tasks:read"'),
      ])
    }
    const other = await modern(served.url, { headers: { Authorization: 'Basic YTpi' } }).call('act', {})
    expectChallenge(other, served)
    expect(served.ran).toEqual([])
  })

  it('needs none for preflights and the health', async () => {
    const { url } = await protect(host, {}, { health: true, cors: ['https://app.example'] })
    expect((await send(`${url}/health`, { method: 'GET' })).status).toBe(200)
    const headers = { Origin: 'https://app.example' }
    expect((await send(url, { method: 'OPTIONS', headers })).status).toBe(204)
    const refused = await post(url, rpc('ping'), headers)
    expect(refused).toMatchObject({
      status: 401,
      headers: { 'access-control-allow-origin': 'https://app.example' },
    })
    expect(refused.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
  })

  it.each(Object.entries(wrong))('refuses %s, whatever is asked for', async (_, make) => {
    const served = await protect(host)
    const token = await make(served.as, served.url)
    const texts = new Set<string>()
    for (const ask of Object.values(requests(served.url, bearer(token)))) {
      const answer = await ask()
      expectChallenge(answer, served, 'invalid_token')
      texts.add(answer.text)
      if (token !== '') expect(answer.headers['www-authenticate'] + answer.text).not.toContain(token)
    }
    // The same words for all of them.
    expect([...texts]).toEqual([
      '{"jsonrpc":"2.0","error":{"code":-31001,"message":"The token is malformed, expired, revoked, or was issued for something else"}}',
    ])
    expect(served.ran).toEqual([])
    if (token.length > 10) expect(served.warnings.join()).not.toContain(token)
  })

  it('does not read a token in the URL, nor write it to the log', async () => {
    const served = await protect(host, { optional: true })
    const token = await served.as.sign(served.url)
    const answer = await post(`${served.url}?access_token=${token}`, rpc('tools/call', { name: 'act' }))
    expectChallenge(answer, served, 'invalid_token')
    expect(served.ran).toEqual([])
    expect(served.warnings).toEqual([expect.stringContaining('URL')])
    expect(served.warnings.join()).not.toContain(token)
  })

  it('refuses two Authorization headers, whichever comes first', async () => {
    const served = await protect(host)
    const good = `Bearer ${await served.as.sign(served.url)}`
    const body = JSON.stringify(rpc('tools/call', { name: 'act' }))
    const { host: name } = new URL(served.url)
    for (const pair of [
      [good, 'Bearer x'],
      ['Bearer x', good],
      [good, good],
    ]) {
      const lines = [
        'POST /mcp HTTP/1.1',
        `Host: ${name}`,
        'Content-Type: application/json',
        'Connection: close',
        ...pair.map((value) => `Authorization: ${value}`),
        `Content-Length: ${body.length}`,
      ]
      expect(await raw(served.url, `${lines.join('\r\n')}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 401 /)
    }
    expect(served.ran).toEqual([])
  })

  it('answers before the body has come', async () => {
    const { url } = await protect(host)
    const { host: name } = new URL(url)
    const head = [
      'POST /mcp HTTP/1.1',
      `Host: ${name}`,
      'Content-Type: application/json',
      'Connection: close',
    ]
    const lines = [...head, 'Content-Length: 100000', '', '{"jsonrpc":']
    expect(await raw(url, lines.join('\r\n'))).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('refuses a token of 64 KiB unread', async () => {
    const verify = vi.fn()
    const served = await protect(host, { verify })
    const answer = await send(served.url, { body: rpc('ping'), headers: bearer('x'.repeat(65_536)) })
    expect([401, 431]).toContain(answer.status)
    expect(verify).not.toHaveBeenCalled()
  })

  it('refuses a token that was revoked', async () => {
    const as = await authorizationServer()
    const verify = introspectionVerifier({
      endpoint: as.introspection,
      clientId: 'api',
      clientSecret: 's',
    })
    const served = await protect(host, { verify, authorizationServers: [as.issuer], cacheMs: 0 })
    const headers = bearer(await as.sign(served.url))
    expectResult(await modern(served.url, { headers }).call('act', {}))
    as.revoked.add(headers.Authorization.slice(7))
    expectChallenge(await modern(served.url, { headers }).call('act', {}), served, 'invalid_token')
    expect(served.ran).toEqual(['ann'])
  })

  it('takes the same steps for a token that was never issued and for one that is wrong', async () => {
    const as = await authorizationServer()
    const verify = introspectionVerifier({ endpoint: as.introspection, clientId: 'api', clientSecret: 's' })
    const served = await protect(host, { verify, authorizationServers: [as.issuer] })
    const good = await as.sign(served.url)
    const revoked = await as.sign(served.url, { jti: 'revoked' })
    as.revoked.add(revoked)
    expectResult(await modern(served.url, { headers: bearer(good) }).call('act', {}))
    // The verdict on the right one is known by now; one letter less, or another one, is a stranger.
    const others = [`${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`, good.slice(0, -1), revoked, 'x']
    const seen = new Set<string>()
    for (const token of [...others, ...others]) {
      const before = as.asked.length
      const { status, headers, text } = await post(served.url, rpc('ping'), bearer(token))
      const steps = as.asked.slice(before)
      seen.add(JSON.stringify([status, Object.keys(headers), headers['www-authenticate'], text, steps]))
    }
    const refused = (steps: string): unknown => expect.stringMatching(new RegExp(`^\\[401,.*${steps}\\]$`))
    // Asked about once; then the refusal is known for a while.
    expect([...seen]).toEqual([refused('\\["/introspect"\\]'), refused('\\[\\]')])
  })

  it.each<[State, number]>([
    ['down', 503],
    ['slow', 503],
    ['page', 503],
    ['lying', 401],
  ])('runs nothing where the keys are those of a server that is %s: %i', async (state, status) => {
    const { url, as, ran } = await protect(host, {}, {}, state === 'slow' ? { timeoutMs: 50 } : {})
    as.state = state
    const headers = bearer(await as.sign(url))
    const refused = await modern(url, { headers }).call('act', {})
    expect(refused.status).toBe(status)
    if (status === 503) expect(refused.headers['retry-after']).toBe('5')
    expect(refused.text).not.toMatch(/hunter2|127\.0\.0\.1|jwks/i)
    expect(ran).toEqual([])
    as.state = 'up'
    // On a busy machine 50 ms may be too short for an honest server too: whoever is told to try again does.
    if (status === 503)
      await vi.waitFor(async () => expectResult(await modern(url, { headers }).call('act', {})), patience)
  })

  it('logs the failure of an issuer once while it is left alone', async () => {
    passTime()
    const served = await protect(host)
    served.as.state = 'down'
    for (let n = 0; n < 5; n++) {
      const token = await served.as.sign(served.url, { jti: `${n}` })
      expect((await post(served.url, rpc('ping'), bearer(token))).status).toBe(503)
    }
    expect(served.warnings.filter((line) => line.includes('cannot be checked'))).toHaveLength(1)
  })

  it('checks each token once while its verdict holds, and once for all that wait', async () => {
    const go = latch()
    const verify = vi.fn(async (token: string) => {
      await go.opened
      return { subject: token, scopes: [], claims: {} }
    })
    const { url, ran } = await protect(host, { verify })
    const call = (token: string) => modern(url, { headers: bearer(token) }).call('act', {})
    const waiting = [call('a'), call('a'), call('b')]
    await vi.waitFor(() => expect(verify.mock.calls.length).toBe(2), { interval: 2 })
    go.open()
    for (const answer of await Promise.all(waiting)) expectResult(answer)
    expectResult(await call('a'))
    expect(verify.mock.calls.map(([token]) => token).sort()).toEqual(['a', 'b'])
    expect(ran.sort()).toEqual(['a', 'a', 'a', 'b'])
  })

  it('keeps no verdict longer than the token lives', async () => {
    let until = soon(5)
    const pass = passTime()
    const verify = vi.fn(() => {
      if (until === 0) throw new UnauthorizedError()
      return { subject: 'ann', scopes: [], claims: {}, expiresAt: until }
    })
    const { url } = await protect(host, { verify })
    const call = () => modern(url, { headers: bearer('a') }).call('act', {})
    const at = async (ms: number, status: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: ms })
      try {
        expect((await call()).status).toBe(status)
      } finally {
        vi.useRealTimers()
      }
    }
    await at(until * 1000 - 1_000, 200)
    await at(until * 1000 - 500, 200)
    expect(verify).toHaveBeenCalledTimes(1)
    // The verifier errs: a token of the past.
    await at(until * 1000, 401)
    expect(verify).toHaveBeenCalledTimes(2)
    pass(10_000)
    until = soon(600)
    await at(Date.now(), 200)
    pass(11_000)
    await at(Date.now(), 200)
    expect(verify).toHaveBeenCalledTimes(4)
  })

  it.each<[cacheMs: number | undefined, keptMs: number]>([
    [undefined, 10_000],
    [2_000, 2_000],
    [600_000, 10_000],
  ])('keeps a refusal, with `cacheMs` %s for %i ms', async (cacheMs, keptMs) => {
    const pass = passTime()
    const verify = vi.fn((token: string) => {
      if (token === 'good') return { subject: 'ann', scopes: [], claims: {} }
      throw Object.assign(new Error(`hunter2 ${token}`), { status: token === 'banned' ? 403 : 401 })
    })
    const { url, warnings } = await protect(host, { verify, ...(cacheMs !== undefined && { cacheMs }) })
    const statusOf = async (token: string) => (await post(url, rpc('ping'), bearer(token))).status
    for (let n = 0; n < 3; n++)
      expect([await statusOf('bad'), await statusOf('banned'), await statusOf('good')]).toEqual([
        401, 403, 200,
      ])
    expect(verify).toHaveBeenCalledTimes(3)
    expect(warnings.filter((line) => line.includes('hunter2 …'))).toHaveLength(6)
    pass(keptMs)
    expect([await statusOf('bad'), await statusOf('banned')]).toEqual([401, 403])
    expect(verify).toHaveBeenCalledTimes(5)
  })

  it('keeps no refusal of a verifier that fails, and none with `cacheMs: 0`', async () => {
    const verify = vi.fn(() => Promise.reject(Object.assign(new Error('down'), { status: 503 })))
    const { url } = await protect(host, { verify })
    for (let n = 0; n < 3; n++) expect((await post(url, rpc('ping'), bearer('a'))).status).toBe(503)
    expect(verify).toHaveBeenCalledTimes(3)
    const none = vi.fn(() => Promise.reject(new UnauthorizedError()))
    const { url: uncached } = await protect(host, { verify: none, cacheMs: 0 })
    for (let n = 0; n < 3; n++) expect((await post(uncached, rpc('ping'), bearer('a'))).status).toBe(401)
    expect(none).toHaveBeenCalledTimes(3)
  })

  it('tells the verifier what the token must be for, and the request', async () => {
    const verify = vi.fn(() => ({ subject: 'ann', scopes: [], claims: {} }))
    const { url } = await protect(host, { verify })
    expectResult(await modern(url, { headers: { ...bearer('a'), 'X-Proof': 'p' } }).call('act', {}))
    expect(verify.mock.lastCall).toMatchObject([
      'a',
      { resource: url, request: { headers: { 'x-proof': 'p' } } },
    ])
  })

  it.each<[string, () => unknown, number]>([
    ['throws a 401', () => Promise.reject(Object.assign(new Error('hunter2'), { status: 401 })), 401],
    ['throws a 403', () => Promise.reject(Object.assign(new Error('hunter2'), { status: 403 })), 403],
    ['has a bug', () => (undefined as never as { x: { y: number } }).x.y, 500],
    ['fails', () => Promise.reject(new Error('hunter2')), 500],
    ['says nothing', () => undefined, 401],
    ['says something else', () => ({ userId: 5 }), 500],
    ['names no scopes', () => ({ subject: 'ann', claims: {} }), 500],
    ['says claims that are none', () => ({ subject: 'ann', scopes: [], claims: 'admin' }), 500],
    ['says an end that is none', () => ({ subject: 'ann', scopes: [], expiresAt: 'never' }), 500],
    ['names a tenant that is none', () => ({ subject: 'ann', scopes: [], tenant: { id: 1 } }), 500],
  ])('runs nothing where `verify` %s', async (_, verify, status) => {
    const { url, ran } = await protect(host, { verify: verify as never })
    const refused = await post(url, rpc('tools/call', { name: 'act' }), bearer('a'))
    expect(refused.status).toBe(status)
    expect(refused.text).not.toContain('hunter2')
    const challenge = { 401: /error="invalid_token"/, 403: /error="insufficient_scope"/ }[status]
    if (challenge !== undefined) expect(refused.headers['www-authenticate']).toMatch(challenge)
    expect(ran).toEqual([])
  })

  it('answers 503 after `timeoutMs` where `verify` never comes back, and asks it anew the next time', async () => {
    const answers: unknown[] = [new Promise(() => {}), { subject: 'ann', scopes: [] }]
    const told: unknown[] = []
    const verify = vi.fn(() => answers.shift()) as never
    const { url } = await serve(host, {
      options: { auth: { authorizationServers: ['https://login.example'], verify } },
      server: { timeoutMs: 50, logger: quiet, onError: (error) => told.push(error) },
    })
    const client = modern(url, { headers: bearer('a') })
    const refused = await client.call('echo', { text: 'hi' })
    expectError(refused, 503, -32603)
    expect(refused.headers['retry-after']).toBe('5')
    expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining('50 ms') })])
    expect(expectText(await client.call('echo', { text: 'hi' }))).toBe('hi')
  })

  it('refuses tokens of a tenant that cannot be told', async () => {
    const { url, as, ran } = await protect(host, { tenant: ({ org }) => org })
    const refused = await post(url, rpc('ping'), bearer(await as.sign(url, { org: { id: 1 } })))
    expectError(refused, 500, -32603)
    expect(ran).toEqual([])
  })

  it('lets anonymous callers pass with `optional`, but no wrong token', async () => {
    const served = await protect(host, { optional: true })
    const client = modern(served.url)
    expect(JSON.parse(expectText(await client.call('act', {})))).toEqual({})
    expectChallenge(
      await modern(served.url, { headers: bearer('x') }).call('act', {}),
      served,
      'invalid_token',
    )
    const asked = await client.call('private', {})
    expectChallenge(asked, served)
    const signedIn = { headers: bearer(await served.as.sign(served.url)) }
    expect(expectText(await client.call('private', {}, signedIn))).toBe('private')
  })

  it('gives `user` the principal, and leaves the login of the host alone', async () => {
    const { url, as } = await protect(host, {}, { user: (_req, auth) => ({ id: auth?.subject }) })
    const client = await legacy(url, { headers: bearer(await as.sign(url)) })
    expect(JSON.parse(expectText(await client.call('whoami', {})))).toMatchObject({ user: { id: 'ann' } })
  })

  it('takes what is the same for all callers out of shared caches', async () => {
    const { url, as } = await protect(host)
    const client = modern(url, { headers: bearer(await as.sign(url)) })
    expect(expectResult(await client.request('tools/list')).cacheScope).toBe('private')
  })
}

export { bearer, type Protected, protect }
