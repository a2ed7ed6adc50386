/** Where `jwtVerifier` has its keys from: found once, kept, fetched again, and refused where they cannot be trusted. */

import { jwtVerifier } from 'mcp-router/auth'
import { expect, it } from 'vitest'
import { passTime } from '../../support/time.js'
import { check, type Issuer, json, listen, refusalOf, startIssuer, stopClock, unavailable } from './issuer.js'

const metadata = '/.well-known/oauth-authorization-server'

it.each([
  ['', '/.well-known/oauth-authorization-server'],
  ['', '/.well-known/openid-configuration'],
  ['/acme', '/.well-known/oauth-authorization-server/acme'],
  ['/acme', '/.well-known/openid-configuration/acme'],
  ['/acme', '/acme/.well-known/openid-configuration'],
])('finds the keys of an issuer at "%s" in its metadata at %s', async (path, place) => {
  const issuer = await startIssuer(path)
  const right = issuer.answers[metadata + path]
  delete issuer.answers[metadata + path]
  issuer.answers[place] = right as never
  const verify = jwtVerifier({ issuer: issuer.url })
  expect(issuer.asked).toEqual([])
  expect((await check(verify, await issuer.sign())).subject).toBe('ann')
  expect(issuer.asked.slice(-2)).toEqual([place, '/jwks'])
})

it('looks further where the issuer answers unknown addresses with a page', async () => {
  const issuer = await startIssuer()
  issuer.answers['/.well-known/openid-configuration'] = issuer.answers[metadata] as never
  issuer.answers[metadata] = (_request, response) => void response.end('<html>')
  expect((await check(jwtVerifier({ issuer: issuer.url }), await issuer.sign())).subject).toBe('ann')
})

it('looks no further where the issuer does not answer', async () => {
  const issuer = await startIssuer()
  issuer.answers[metadata] = () => {}
  await refusalOf(check(jwtVerifier({ issuer: issuer.url, timeoutMs: 1_000 }), await issuer.sign()))
  expect(issuer.asked).toEqual([metadata])
})

it('asks for no metadata where `jwksUri` is given', async () => {
  const issuer = await startIssuer()
  await check(jwtVerifier({ issuer: issuer.url, jwksUri: issuer.jwksUri }), await issuer.sign())
  expect(issuer.asked).toEqual(['/jwks'])
})

it('fetches metadata and keys once for 200 tokens that come at once', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url })
  const tokens = await Promise.all(Array.from({ length: 200 }, (_, n) => issuer.sign({ sub: `user-${n}` })))
  const principals = await Promise.all(tokens.map((token) => check(verify, token)))
  expect(principals.map(({ subject }) => subject)).toEqual(tokens.map((_, n) => `user-${n}`))
  expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server', '/jwks'])
})

it('takes tokens of a new key as soon as they come, and those of the old one as long as it is there', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url, keysCooldownMs: 0 })
  const old = await issuer.sign()
  await check(verify, old)
  await issuer.addKey('second')
  expect((await check(verify, await issuer.sign({ sub: 'bob' }, { kid: 'second' }))).subject).toBe('bob')
  expect((await check(verify, old)).subject).toBe('ann')
  expect(issuer.asked.filter((path) => path === '/jwks')).toHaveLength(2)
})

it.each([-3_600_000, 0])(
  'stops taking tokens of a key that was taken away, when the kept keys have aged, also where the clock jumps by %d ms',
  async (ms) => {
    const issuer = await startIssuer()
    const { url, jwksUri, keys } = issuer
    const verify = jwtVerifier({ issuer: url, jwksUri, keysMaxAgeMs: 60_000 })
    const [jump, pass] = [stopClock(), passTime()]
    const token = await issuer.sign()
    await check(verify, token)
    await issuer.addKey('second')
    keys.shift()
    jump(ms)
    pass(59_000)
    expect((await check(verify, token)).subject).toBe('ann')
    pass(1_000)
    expect(await refusalOf(check(verify, token))).toMatchObject({
      status: 401,
      message: 'The token is signed with an unknown key',
    })
  },
)

it.each([-3_600_000, 0, 3_600_000])(
  'fetches no keys for each of many unknown ids, also where the clock jumps by %d ms',
  async (ms) => {
    const issuer = await startIssuer()
    const verify = jwtVerifier({ issuer: issuer.url, jwksUri: issuer.jwksUri })
    const key = await (await startIssuer()).addKey('x')
    const [jump, pass] = [stopClock(), passTime()]
    await check(verify, await issuer.sign())
    jump(ms)
    for (const kid of ['a', 'b', 'c', 'd']) {
      const refusal = await refusalOf(check(verify, await issuer.sign({}, { kid, key, alg: 'ES256' })))
      expect(refusal.status).toBe(401)
    }
    expect(issuer.asked).toEqual(['/jwks'])
    pass(30_000)
    const token = await issuer.sign({}, { kid: 'late', key: await issuer.addKey('late'), alg: 'ES256' })
    expect((await check(verify, token)).subject).toBe('ann')
    expect(issuer.asked).toEqual(['/jwks', '/jwks'])
  },
)

it('compares the audience with the resource of each request', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url })
  const token = await issuer.sign()
  await check(verify, token)
  expect((await refusalOf(check(verify, token, 'https://api.example.com/other'))).status).toBe(401)
})

type Misbehave = (issuer: Issuer) => unknown
const misbehaving: [what: string, misbehave: Misbehave][] = [
  ['is down', ({ stop }) => stop()],
  ['has no metadata', ({ answers }) => delete answers[metadata]],
  [
    'has metadata of another issuer',
    ({ answers, jwksUri }) =>
      set(
        answers,
        metadata,
        json(() => ({ issuer: 'https://evil.example', jwks_uri: jwksUri })),
      ),
  ],
  [
    'has keys at an address that is not secure',
    ({ answers, url }) =>
      set(
        answers,
        metadata,
        json(() => ({ issuer: url, jwks_uri: `${url.replace('127.0.0.1', '0.0.0.0')}/jwks` })),
      ),
  ],
  [
    'has metadata without keys',
    ({ answers, url }) =>
      set(
        answers,
        metadata,
        json(() => ({ issuer: url })),
      ),
  ],
  [
    'answers 500 for its keys',
    ({ answers }) =>
      set(
        answers,
        '/jwks',
        json(() => ({ secret: 'hunter2' }), 500),
      ),
  ],
  ['answers a page', ({ answers }) => set(answers, '/jwks', (_, res) => res.end('<html>hunter2</html>'))],
  [
    'answers no list of keys',
    ({ answers }) =>
      set(
        answers,
        '/jwks',
        json(() => ({ keys: 'hunter2' })),
      ),
  ],
  [
    'answers more than 512 KiB',
    ({ answers, keys }) =>
      set(
        answers,
        '/jwks',
        json(() => ({ keys, padding: 'x'.repeat(512 * 1024) })),
      ),
  ],
  ['never answers', ({ answers }) => set(answers, '/jwks', () => {})],
  [
    'never ends its answer',
    ({ answers }) => set(answers, '/jwks', (_, res) => void res.writeHead(200).write('{"keys":[')),
  ],
  [
    'sends a key that is too weak',
    ({ answers, keys }) =>
      set(
        answers,
        '/jwks',
        json(() => ({ keys: [{ ...keys[0], x: 'AAAA' }] })),
      ),
  ],
]

it.each(misbehaving)('refuses, and says nothing more, where the issuer %s', async (_, misbehave) => {
  const issuer = await startIssuer()
  const token = await issuer.sign()
  await misbehave(issuer)
  const refusal = await refusalOf(check(jwtVerifier({ issuer: issuer.url, timeoutMs: 50 }), token))
  expect(refusal).toMatchObject(unavailable)
  expect(refusal.cause).toBeInstanceOf(Error)
})

it('takes no secret for a key, whatever the issuer sends', async () => {
  const issuer = await startIssuer()
  const secret = { kty: 'oct', k: 'AAAA', kid: 'first' }
  issuer.answers['/jwks'] = json(() => ({ keys: [secret, { ...secret, alg: 'ES256' }] }))
  const token = await issuer.sign({}, { alg: 'HS256', key: Buffer.alloc(3) })
  const verify = jwtVerifier({ issuer: issuer.url })
  for (const one of [token, await issuer.sign()])
    expect((await refusalOf(check(verify, one))).status).toBe(401)
})

it('follows no redirect to keys elsewhere', async () => {
  const issuer = await startIssuer()
  const evil = await startIssuer()
  issuer.answers['/jwks'] = (_, response) => void response.writeHead(302, { Location: evil.jwksUri }).end()
  const token = await issuer.sign()
  expect(await refusalOf(check(jwtVerifier({ issuer: issuer.url }), token))).toMatchObject(unavailable)
  expect(evil.asked).toEqual([])
})

it('goes on once the issuer does, and the pause after its failure is over', async () => {
  const pass = passTime()
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url })
  const token = await issuer.sign()
  for (const path of [metadata, '/jwks']) {
    const right = issuer.answers[path] as never
    issuer.answers[path] = json(() => ({}), 500)
    expect(await refusalOf(check(verify, token))).toMatchObject(unavailable)
    issuer.answers[path] = right
    pass(1_000)
  }
  expect((await check(verify, token)).subject).toBe('ann')
})

it.each([metadata, '/jwks'])(
  'leaves an issuer alone that fails at %s, for longer each time',
  async (path) => {
    const pass = passTime()
    const issuer = await startIssuer()
    const right = issuer.answers[path] as never
    issuer.answers[path] = json(() => ({}), 500)
    const verify = jwtVerifier({ issuer: issuer.url })
    const fetches = async () => {
      const before = issuer.asked.filter((asked) => asked === path).length
      const tokens = await Promise.all(
        Array.from({ length: 20 }, (_, n) => issuer.sign({ sub: `user-${n}` })),
      )
      const refusals = await Promise.all(tokens.map((token) => refusalOf(check(verify, token))))
      for (const refusal of refusals) expect(refusal).toMatchObject(unavailable)
      return issuer.asked.filter((asked) => asked === path).length - before
    }
    expect(await fetches()).toBe(1)
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      pass(seconds * 1_000 - 1)
      expect(await fetches()).toBe(0)
      pass(1)
      expect(await fetches()).toBe(1)
    }
    issuer.answers[path] = right
    pass(30_000)
    expect((await check(verify, await issuer.sign())).subject).toBe('ann')
  },
)

it('serves tokens of known keys while the issuer is down', async () => {
  const issuer = await startIssuer()
  const verify = jwtVerifier({ issuer: issuer.url, keysCooldownMs: 0 })
  await check(verify, await issuer.sign())
  const unknown = await issuer.sign({}, { kid: 'x', key: await issuer.addKey('x'), alg: 'ES256' })
  await issuer.stop()
  expect(await refusalOf(check(verify, unknown))).toMatchObject(unavailable)
  expect((await check(verify, await issuer.sign({ sub: 'bob' }))).subject).toBe('bob')
})

it('sends the token to nobody', async () => {
  const seen: string[] = []
  const issuer = await startIssuer()
  const token = await issuer.sign()
  const spy = await listen((request, response) => {
    seen.push(`${request.url} ${JSON.stringify(request.headers)}`)
    response.end(JSON.stringify({ keys: issuer.keys }))
  })
  await check(jwtVerifier({ issuer: issuer.url, jwksUri: `${spy.origin}/jwks` }), token)
  expect(seen).toHaveLength(1)
  expect(seen[0]).not.toContain(token)
})

function set(answers: Issuer['answers'], path: string, answer: Issuer['answers'][string]): void {
  answers[path] = answer
}
