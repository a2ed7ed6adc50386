/** `introspectionVerifier` asks the authorization server, believes it, and refuses where it cannot. */

import type { IncomingMessage } from 'node:http'
import { introspectionVerifier } from 'mcp-router/auth'
import { expect, it } from 'vitest'
import { passTime } from '../../support/time.js'
import { check, listen, refusalOf, resource, unavailable } from './issuer.js'

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds
const active = { active: true, sub: 'ann', aud: resource, client_id: 'editor', scope: 'a b' }

interface Asked {
  readonly authorization: string | undefined
  readonly form: Record<string, string>
}

/** An introspection endpoint; `known` says what it answers for each token. */
async function start(known: Record<string, object>, options: object = {}) {
  const asked: Asked[] = []
  const { origin, stop } = await listen(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await textOf(request)))
    asked.push({ authorization: request.headers.authorization, form })
    response.end(JSON.stringify(known[form.token ?? ''] ?? { active: false }))
  })
  const endpoint = `${origin}/introspect`
  const verify = introspectionVerifier({ endpoint, clientId: 'api', clientSecret: 's', ...options })
  return { verify, asked, known, stop, endpoint }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

it('says who calls, as the server does', async () => {
  const exp = inSeconds(60)
  const { verify, asked } = await start(
    { t1: { ...active, exp } },
    { clientId: 'a:pi', clientSecret: 'p w%' },
  )
  expect(await check(verify, 't1')).toEqual({
    subject: 'ann',
    clientId: 'editor',
    scopes: ['a', 'b'],
    expiresAt: exp + 5,
    claims: { ...active, exp },
  })
  const authorization = `Basic ${Buffer.from('a%3Api:p+w%25').toString('base64')}`
  expect(asked).toEqual([{ authorization, form: { token: 't1', token_type_hint: 'access_token' } }])
})

it.each<[string, object, string]>([
  ['not active', { ...active, active: false }, 'The token is not active'],
  ['expired', { ...active, exp: inSeconds(-60) }, 'The token has expired'],
  ['not valid yet', { ...active, nbf: inSeconds(60) }, 'The token is not valid yet'],
  ['of another issuer', { ...active, iss: 'https://evil.example' }, 'The token has a different issuer'],
  ['for another audience', { ...active, aud: ['other'] }, 'The token is meant for another resource'],
  ['for no audience', { ...active, aud: undefined }, 'The token is meant for another resource'],
  ['of nobody', { ...active, sub: undefined }, 'The token has no subject'],
  ['bound to a key', { ...active, cnf: {} }, 'The token is bound to a key and is not a bearer token'],
])('refuses a token that is %s', async (_, answer, message) => {
  const { verify } = await start({ t1: answer }, { issuer: 'https://login.example.com' })
  expect(await refusalOf(check(verify, 't1'))).toMatchObject({ status: 401, message })
})

it('asks nobody about a token of 64 KiB', async () => {
  const { verify, asked } = await start({})
  expect((await refusalOf(check(verify, 'x'.repeat(64 * 1024)))).status).toBe(401)
  expect(asked).toEqual([])
})

it('notices a revocation at once', async () => {
  const { verify, known } = await start({ t1: active })
  expect((await check(verify, 't1')).subject).toBe('ann')
  delete known.t1
  expect(await refusalOf(check(verify, 't1'))).toMatchObject({ message: 'The token is not active' })
})

it.each<[string, (url: string) => Parameters<typeof listen>[0]]>([
  ['refuses us', () => (_, response) => void response.writeHead(401).end('{"error":"hunter2"}')],
  ['fails', () => (_, response) => void response.writeHead(500).end('hunter2')],
  ['answers a page', () => (_, response) => void response.end('<html>hunter2</html>')],
  ['answers something else', () => (_, response) => void response.end('{"sub":"hunter2"}')],
  ['says "active" in words', () => (_, response) => void response.end('{"active":"true","sub":"hunter2"}')],
  ['answers a list', () => (_, response) => void response.end('[true]')],
  ['never answers', () => () => {}],
])('refuses, and says nothing more, where the server %s', async (_, answer) => {
  const { origin } = await listen(answer(''))
  const verify = introspectionVerifier({
    endpoint: origin,
    clientId: 'api',
    clientSecret: 's',
    timeoutMs: 50,
  })
  const refusal = await refusalOf(check(verify, 'secret-token'))
  expect(refusal).toMatchObject(unavailable)
  expect(refusal.cause).toBeInstanceOf(Error)
  expect(String(refusal.cause)).not.toContain('secret-token')
})

it('refuses where the server is down', async () => {
  const { verify, stop } = await start({ t1: active })
  await stop()
  expect(await refusalOf(check(verify, 't1'))).toMatchObject(unavailable)
})

it('takes the token nowhere else, whatever the server says', async () => {
  const evil = await start({ t1: active })
  const { origin } = await listen(
    (_, response) => void response.writeHead(307, { Location: evil.endpoint }).end(),
  )
  const verify = introspectionVerifier({ endpoint: origin, clientId: 'api', clientSecret: 's' })
  expect(await refusalOf(check(verify, 't1'))).toMatchObject(unavailable)
  expect(evil.asked).toEqual([])
})

it.each<[string, object]>([
  ['endpoint', { endpoint: undefined }],
  ['endpoint', { endpoint: 'http://login.example.com/introspect' }],
  ['clientId', { clientId: '' }],
  ['clientSecret', { clientSecret: undefined }],
  ['timeoutMs', { timeoutMs: 1.5 }],
  ['clientSecret', { clientsecret: 'x' }],
])('throws at once for a wrong `%s`', (name, wrong) => {
  const right = { endpoint: 'https://login.example.com/introspect', clientId: 'api', clientSecret: 's' }
  expect(() => introspectionVerifier({ ...right, ...wrong })).toThrow(name)
})

it('leaves a server alone that fails again and again, but not one that refuses single tokens', async () => {
  const pass = passTime()
  let status = 500
  let asked = 0
  const { origin } = await listen((_, response) => {
    asked += 1
    response.writeHead(status).end(JSON.stringify(active))
  })
  const verify = introspectionVerifier({ endpoint: `${origin}/introspect`, clientId: 'a', clientSecret: 's' })
  const ask = async (times: number) => {
    const before = asked
    for (let n = 0; n < times; n++) expect(await refusalOf(check(verify, `t${n}`))).toMatchObject(unavailable)
    return asked - before
  }
  expect(await ask(10)).toBe(3)
  pass(1_000)
  expect(await ask(10)).toBe(1)
  for (let n = 0; n < 5; n++) {
    pass(5_000)
    expect(await ask(10)).toBe(1)
  }
  pass(5_000)
  status = 200
  expect((await check(verify, 't')).subject).toBe('ann')
  for (status of [400, 403, 406, 413, 302]) expect(await ask(10)).toBe(10)
  for (status of [401, 429, 503]) {
    expect(await ask(10)).toBe(3)
    pass(5_000)
    const now = status
    status = 200
    expect((await check(verify, 't')).subject).toBe('ann')
    status = now
  }
  status = 500
  expect(await ask(2)).toBe(2)
  status = 200
  expect((await check(verify, 't')).subject).toBe('ann')
})
