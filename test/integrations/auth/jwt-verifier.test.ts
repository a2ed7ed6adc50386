/** Which tokens `jwtVerifier` takes, and how it refuses all others. */

import { createHmac } from 'node:crypto'
import { exportSPKI, generateKeyPair, importJWK } from 'jose'
import { jwtVerifier } from 'mcp-router/auth'
import { expect, it } from 'vitest'
import { check, type Issuer, refusalOf, resource, startIssuer } from './issuer.js'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

it('says who calls, for which client, with which scopes', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url })
  const exp = inSeconds(60)
  const token = await issuer.sign({ client_id: 'editor', scope: 'tasks:read  tasks:write', org: 'acme', exp })
  expect(await check(verify, token)).toEqual({
    subject: 'ann',
    clientId: 'editor',
    scopes: ['tasks:read', 'tasks:write'],
    expiresAt: exp + 5,
    claims: expect.objectContaining({ sub: 'ann', org: 'acme', iss: issuer.url }),
  })
})

it.each<[string, Record<string, unknown>, string[]]>([
  ['`scope`', { scope: 'a b' }, ['a', 'b']],
  ['`scp` as text', { scp: 'a b' }, ['a', 'b']],
  ['`scp` as an array', { scp: ['a', 'b', 'a'] }, ['a', 'b']],
  ['neither', {}, []],
  ['something else', { scope: 7 }, []],
])('reads scopes from %s', async (_, claims, scopes) => {
  const issuer = await startIssuer()
  const { url, jwksUri } = issuer
  const principal = await check(jwtVerifier({ issuer: url, jwksUri }), await issuer.sign(claims))
  expect(principal.scopes).toEqual(scopes)
})

it.each(['RS256', 'PS512', 'ES384', 'EdDSA'])('takes signatures of %s', async (alg) => {
  const issuer = await startIssuer()
  await issuer.addKey('second', alg)
  const verify = jwtVerifier({ issuer: issuer.url })
  expect((await check(verify, await issuer.sign({}, { kid: 'second' }))).subject).toBe('ann')
})

it('takes one audience of several, on either side', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url, audience: ['tasks', 'notes'] })
  expect((await check(verify, await issuer.sign({ aud: ['mail', 'notes'] }))).subject).toBe('ann')
  expect((await refusalOf(check(verify, await issuer.sign({ aud: 'mail' })))).status).toBe(401)
})

it('forgives clocks that differ by the tolerance, and no more', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url, clockToleranceSec: 30 })
  const token = await issuer.sign({ nbf: inSeconds(20), exp: inSeconds(-20) })
  expect((await check(verify, token)).expiresAt).toBeGreaterThan(Date.now() / 1000)
  expect((await refusalOf(check(verify, await issuer.sign({ exp: inSeconds(-40) })))).status).toBe(401)
})

type Forge = (issuer: Issuer) => Promise<string> | string
const refused: [what: string, forge: Forge, message: string][] = [
  ['expired', ({ sign }) => sign({ exp: inSeconds(-60) }), 'The token has expired'],
  ['without an end', ({ sign }) => sign({ exp: undefined }), 'The token lacks a claim'],
  ['not valid yet', ({ sign }) => sign({ nbf: inSeconds(60) }), 'The token is not valid yet'],
  [
    'of another issuer',
    ({ sign }) => sign({ iss: 'https://evil.example' }),
    'The token has a different issuer',
  ],
  ['of no issuer', ({ sign }) => sign({ iss: undefined }), 'The token has a different issuer'],
  [
    'for another audience',
    ({ sign }) => sign({ aud: 'https://other.example/mcp' }),
    'The token is meant for another resource',
  ],
  [
    'for a resource that only begins alike',
    ({ sign }) => sign({ aud: `${resource}/x` }),
    'The token is meant for another resource',
  ],
  ['for no audience', ({ sign }) => sign({ aud: undefined }), 'The token is meant for another resource'],
  ['of nobody', ({ sign }) => sign({ sub: undefined }), 'The token has no subject'],
  [
    'bound to a key',
    ({ sign }) => sign({ cnf: { jkt: 'x' } }),
    'The token is bound to a key and is not a bearer token',
  ],
  [
    'signed by nobody (alg: none)',
    ({ url }) =>
      `${encode({ alg: 'none' })}.${encode({ iss: url, aud: resource, sub: 'ann', exp: inSeconds(60) })}.`,
    'The signature algorithm of the token is not accepted',
  ],
  [
    'signed with the public key as a secret',
    confused,
    'The signature algorithm of the token is not accepted',
  ],
  [
    'signed with the JWK as a secret',
    ({ keys, sign }) => sign({}, { alg: 'HS256', key: Buffer.from(JSON.stringify(keys[0])) }),
    'The signature algorithm of the token is not accepted',
  ],
  [
    'signed with another key under a known id',
    async ({ sign }) => sign({}, { key: (await generateKeyPair('ES256')).privateKey, alg: 'ES256' }),
    'The signature of the token is wrong',
  ],
  [
    'signed with an unknown key',
    async ({ sign }) =>
      sign({}, { kid: 'x', key: (await generateKeyPair('ES256')).privateKey, alg: 'ES256' }),
    'The token is signed with an unknown key',
  ],
  [
    'signed with a key of another kind than the header says',
    async ({ sign }) => sign({}, { key: (await generateKeyPair('RS256')).privateKey, alg: 'RS256' }),
    'The token is signed with an unknown key',
  ],
  [
    'changed after it was signed',
    async ({ sign }) => changed(await sign(), { sub: 'admin' }),
    'The signature of the token is wrong',
  ],
  [
    'truncated in its signature',
    async ({ sign }) => (await sign()).slice(0, -10),
    'The signature of the token is wrong',
  ],
  [
    'truncated in its claims',
    async ({ sign }) => (await sign()).slice(0, 60),
    'The token is not well-formed',
  ],
  ['no token at all', () => 'hunter2', 'The token is not well-formed'],
  ['empty', () => '', 'The token is not well-formed'],
  ['64 KiB long', ({ sign }) => sign({ padding: 'x'.repeat(64 * 1024) }), 'The token is too long'],
  [
    'with header extensions that must be understood',
    ({ url }) => `${encode({ alg: 'ES256', crit: ['x'], x: 1 })}.${encode({ iss: url })}.AAAA`,
    'This kind of token is not supported',
  ],
  [
    'encrypted',
    () => `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d`,
    'The token is not well-formed',
  ],
]

it.each(refused)('refuses a token that is %s', async (_, forge, message) => {
  const issuer = await startIssuer()
  const token = await forge(issuer)
  const refusal = await refusalOf(check(jwtVerifier({ issuer: issuer.url }), token))
  expect(refusal).toMatchObject({ status: 401, message })
})

it('refuses a token that points to keys of its own', async () => {
  const issuer = await startIssuer()
  const evil = await startIssuer()
  const [, claims = ''] = (await issuer.sign()).split('.')
  for (const own of [{ jku: evil.jwksUri }, { jwk: evil.keys[0] }, { x5u: `${evil.url}/cert` }]) {
    const token = `${encode({ alg: 'ES256', kid: 'first', ...own })}.${claims}.${'A'.repeat(86)}`
    expect(await refusalOf(check(jwtVerifier({ issuer: issuer.url }), token))).toMatchObject({ status: 401 })
  }
  expect(evil.asked).toEqual([])
})

it('refuses what another algorithm than the allowed ones has signed', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url, algorithms: ['RS256'] })
  expect(await refusalOf(check(verify, await issuer.sign()))).toMatchObject({
    status: 401,
    message: 'The signature algorithm of the token is not accepted',
  })
})

it('repeats nothing of the token in its refusal', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url })
  for (const token of [
    await issuer.sign({ aud: 'hunter2' }),
    'hunter2',
    `${encode({ alg: 'hunter2' })}.e30.AA`,
  ])
    expect((await refusalOf(check(verify, token))).message).not.toMatch(/hunter2|127\.0\.0\.1/)
})

it.each<[string, object]>([
  ['issuer', {}],
  ['issuer', { issuer: 'http://login.example.com' }],
  ['issuer', { issuer: 'login' }],
  ['algorithms', { algorithms: 'RS256' }],
  ['issuer', { issuer: 'https://user:secret@login.example.com' }],
  ['jwksUri', { jwksUri: 'http://login.example.com/jwks' }],
  ['algorithms', { algorithms: ['HS256'] }],
  ['algorithms', { algorithms: ['none'] }],
  ['algorithms', { algorithms: [] }],
  ['audience', { audience: [] }],
  ['audience', { audience: '' }],
  ['clockToleranceSec', { clockToleranceSec: -1 }],
  ['timeoutMs', { timeoutMs: '5s' }],
  ['jwksUri', { jwksUrl: 'https://login.example.com/jwks' }],
])('throws at once for a wrong `%s`', (name, options) => {
  const given = name === 'issuer' ? options : { issuer: 'https://login.example.com', ...options }
  expect(() => jwtVerifier(given as never)).toThrow(name)
})

/** The classic: a verifier that lets the token choose takes the public key for a shared secret. */
async function confused({ keys, url }: Issuer): Promise<string> {
  const pem = await exportSPKI((await importJWK({ ...keys[0], ext: true }, 'ES256')) as never)
  const claims = { iss: url, aud: resource, sub: 'admin', exp: inSeconds(60) }
  const signed = `${encode({ alg: 'HS256', kid: 'first' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
}

function changed(token: string, claims: object): string {
  const [header, body = '', signature] = token.split('.')
  const all = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  return [header, encode({ ...all, ...claims }), signature].join('.')
}
