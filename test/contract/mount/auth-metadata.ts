/** Protected-resource metadata (RFC 9728): where clients find it, behind proxies too, and who may read it. */

import type { AnyMountOptions } from 'mcp-router/adapter'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Answer, type Headers, post, raw, send } from '../client.js'
import { rpc } from '../clients.js'
import { type Host, serve } from '../host.js'

const verify = vi.fn((token: string) => ({ subject: token, scopes: [], claims: {} }))
const auth: NonNullable<AnyMountOptions['auth']> = {
  authorizationServers: ['https://login.example/'],
  scopesSupported: ['tasks:read'],
  verify,
}
const wellKnown = '/.well-known/oauth-protected-resource'
const get = (url: string, headers: Headers = {}, method = 'GET') => send(url, { method, headers })
const proxied = {
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'api.example.com',
  'X-Forwarded-For': '1.2.3.4',
}
const challenged = ({ headers }: Answer): string | undefined =>
  /resource_metadata="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1]

export function authMetadata(host: Host): void {
  it('is at the root of the host, plain and with the path inserted, and below the endpoint', async () => {
    const { url, origin } = await serve(host, { options: { auth } })
    for (const at of [`${origin}${wellKnown}/mcp`, `${origin}${wellKnown}`, `${url}${wellKnown}`]) {
      const { status, headers, json } = await get(at)
      expect(status).toBe(200)
      expect(headers['content-type']).toMatch(/^application\/json/)
      expect(json).toEqual({
        resource: url,
        authorization_servers: ['https://login.example/'],
        scopes_supported: ['tasks:read'],
        bearer_methods_supported: ['header'],
        resource_name: 'contract',
      })
    }
    expect(challenged(await post(url, rpc('ping')))).toBe(`${origin}${wellKnown}/mcp`)
    for (const at of [`${wellKnown}/other`, `${wellKnown}/mcp/x`, `${wellKnown}x`])
      expect((await get(origin + at)).status).toBe(404)
  })

  it('tells of each of several paths', async () => {
    const { origin } = await serve(host, { options: { auth, path: ['/mcp', '/v1'] } })
    for (const path of ['/mcp', '/v1']) {
      expect((await get(`${origin}${wellKnown}${path}`)).json.resource).toBe(origin + path)
      expect(challenged(await post(origin + path, rpc('ping')))).toBe(`${origin}${wellKnown}${path}`)
    }
    expect((await get(origin + wellKnown)).json.resource).toBe(`${origin}/mcp`)
  })

  it('is not there without `auth`', async () => {
    const { origin, url } = await serve(host)
    for (const at of [`${origin}${wellKnown}/mcp`, `${origin}${wellKnown}`, `${url}${wellKnown}`])
      expect((await get(at)).status).toBe(404)
  })

  it('may be read by pages of every origin, without a token', async () => {
    const { origin } = await serve(host, { options: { auth, cors: ['https://app.example'] } })
    const page = {
      Origin: 'https://inspector.example',
      'Access-Control-Request-Headers': 'mcp-protocol-version',
    }
    const at = `${origin}${wellKnown}/mcp`
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const { status, headers } = await get(at, page, method)
      expect(status).toBe(method === 'OPTIONS' ? 204 : 200)
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
    expect((await get(at, page, 'OPTIONS')).headers['access-control-allow-headers']).toMatch(
      /mcp-protocol-version/i,
    )
    const refused = await get(at, page, 'DELETE')
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('names `publicUrl`, whatever host is asked for', async () => {
    const publicUrl = 'https://api.example.com/public/mcp'
    const { url, origin } = await serve(host, { options: { auth, publicUrl } })
    for (const at of [`${wellKnown}/public/mcp`, `${wellKnown}/mcp`, wellKnown, `/mcp${wellKnown}`]) {
      const { json, headers } = await get(origin + at, { Host: 'evil.example', ...proxied })
      expect(json.resource).toBe(publicUrl)
      expect(headers['cache-control']).toContain('public')
    }
    // The prefix is the proxy's, which may not pass the root of the host on.
    expect(challenged(await post(url, rpc('ping')))).toBe(`${publicUrl}${wellKnown}`)
    await post(url, rpc('ping'), { Authorization: 'Bearer a' })
    expect(verify.mock.lastCall).toMatchObject(['a', { resource: publicUrl }])
  })

  it('has its challenge at the root of the host where `publicUrl` has no prefix', async () => {
    const publicUrl = 'https://api.example.com/mcp'
    const { url } = await serve(host, { options: { auth, publicUrl } })
    expect(challenged(await post(url, rpc('ping')))).toBe(`https://api.example.com${wellKnown}/mcp`)
  })

  it.runIf(host.trustsProxies)('does not let a proxy say which resource tokens are for', async () => {
    const { url, origin } = await serve(host, { trustProxy: true, options: { auth } })
    verify.mockClear()
    for (const name of ['api.example.com', 'localhost', 'evil.example/x?', '[::']) {
      for (const from of [{ ...proxied, 'X-Forwarded-Host': name }, { 'X-Forwarded-Host': name }]) {
        expect((await get(`${origin}${wellKnown}/mcp`, from)).status).toBe(404)
        for (const authorization of [undefined, 'Bearer a']) {
          const refused = await post(url, rpc('ping'), { ...from, Authorization: authorization })
          expect(refused.status).toBe(403)
          expect(refused.json.error.message).toMatch(/`publicUrl`.*`allowedHosts`/)
        }
      }
    }
    expect((await post(url, rpc('ping'), { Host: 'evil.example', Authorization: 'Bearer a' })).status).toBe(
      403,
    )
    expect(verify).not.toHaveBeenCalled()
    expect((await post(url, rpc('ping'), { Authorization: 'Bearer a' })).status).toBe(200)
    expect(verify.mock.lastCall).toMatchObject(['a', { resource: url }])
  })

  it.runIf(host.trustsProxies)('takes nothing but a scheme from `X-Forwarded-Proto`', async () => {
    const options = { auth, allowedHosts: ['api.example.com'] }
    const { url, origin } = await serve(host, { trustProxy: true, options })
    // Koa asks no proxy about a socket that is encrypted.
    const own = origin.startsWith('https:') ? 'https' : undefined
    verify.mockClear()
    const ask = (proto: string) => {
      const from = { Host: 'api.example.com', 'X-Forwarded-Proto': proto }
      const authorization = `Bearer ${proto.replace(/\W/g, '-')}`
      return Promise.all([
        post(url, rpc('ping'), { ...from, Authorization: authorization }),
        get(`${origin}${wellKnown}/mcp`, from),
      ])
    }
    const resourceOf = (scheme: string): string => `${scheme}://api.example.com/mcp`
    const asked = (): unknown[] => verify.mock.calls.map((call) => (call as unknown[])[1])
    for (const proto of [
      'https://evil.example/x?',
      'https://evil.example#',
      'javascript',
      'ftp',
      'undefined',
    ]) {
      const [called, described] = await ask(proto)
      expect(called.status).toBe(own === undefined ? 403 : 200)
      expect(described.json?.resource).toBe(own && resourceOf(own))
    }
    for (const { resource } of asked() as { resource: string }[]) expect(resource).toBe(resourceOf('https'))
    for (const [proto, scheme] of [
      ['https', 'https'],
      ['http', 'http'],
      ['wss', 'https'],
    ] as const) {
      const [called, described] = await ask(proto)
      expect(called.status).toBe(200)
      expect(described.json.resource).toBe(resourceOf(own ?? scheme))
      expect(asked().at(-1)).toMatchObject({ resource: resourceOf(own ?? scheme) })
    }
  })

  it('lets a proxy choose among `allowedHosts` alone', async () => {
    const options = { auth, allowedHosts: ['api.example.com'] }
    const { url, origin } = await serve(host, { trustProxy: host.trustsProxies, options })
    verify.mockClear()
    const local = [{ Host: 'localhost' }, { Host: 'localhost:9999' }, { Host: 'foo.localhost' }]
    const named = { Host: 'api.example.com', 'X-Forwarded-Host': 'evil.example' }
    for (const from of host.trustsProxies ? [...local, named] : local) {
      expect((await post(url, rpc('ping'), { ...from, Authorization: 'Bearer a' })).status).toBe(403)
      expect((await get(`${origin}${wellKnown}/mcp`, from)).json?.resource).toBeUndefined()
    }
    expect(verify).not.toHaveBeenCalled()
  })

  it('takes the port of `publicUrl` and `allowedHosts`, not that of a header, and says where they differ', async () => {
    const warnings: string[] = []
    const logger = { info() {}, error() {}, warn: (message: string) => warnings.push(message) }
    const options = { auth, allowedHosts: ['api.example.com', 'two.example.com:8443'] }
    const { url } = await serve(host, { options, server: { logger } })
    const resourceAt = async (Host: string) => {
      expect((await post(url, rpc('ping'), { Host, Authorization: 'Bearer a' })).status).toBe(200)
      return (verify.mock.lastCall as unknown as [string, { resource: string }])[1].resource
    }
    expect(await resourceAt('two.example.com:8443')).toMatch(/^https?:..two\.example\.com:8443.mcp$/)
    expect(warnings).toEqual([])
    expect(await resourceAt('api.example.com:9999')).toMatch(/^https?:..api\.example\.com.mcp$/)
    expect(warnings).toEqual([expect.stringContaining('"api.example.com:9999"')])
  })

  it('knows its address where the request has a query, or more than 100 hosts ask', async () => {
    const { url, origin } = await serve(host, { options: { auth } })
    const ask = (target: string, name: string): Promise<string> => {
      const head = [`POST ${target} HTTP/1.1`, `Host: ${name}`, 'Connection: close', 'Content-Length: 0']
      return raw(url, `${head.join('\r\n')}\r\n\r\n`)
    }
    expect(await ask('/mcp?a=1', new URL(url).host)).toContain(
      `resource_metadata="${origin}${wellKnown}/mcp"`,
    )
    for (let at = 0; at <= 101; at++) {
      const answer = await ask('/mcp', `h${at}.localhost`)
      expect(answer).toMatch(new RegExp(`resource_metadata="https?://h${at}\\.localhost${wellKnown}/mcp"`))
    }
  })

  it('believes no proxy otherwise', async () => {
    const { url, origin } = await serve(host, { options: { auth } })
    const from = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' }
    // Direct requests of this machine alone may say where it is, and this one was passed on.
    expect((await get(`${origin}${wellKnown}/mcp`, from)).status).toBe(404)
    expect((await get(`${origin}${wellKnown}/mcp`)).json.resource).toBe(url)
  })

  it('takes nobody’s word for which resource a token is for', async () => {
    const { url, origin } = await serve(host, { options: { auth, allowedHosts: ['api.example.com'] } })
    const asked = (Host: string) => post(url, rpc('ping'), { Host, Authorization: `Bearer ${Host}` })
    verify.mockClear()
    expect((await asked('evil.example')).status).toBe(403)
    expect((await get(origin + wellKnown, { Host: 'evil.example' })).status).toBe(403)
    expect(verify).not.toHaveBeenCalled()
    expect((await asked('api.example.com')).status).toBe(200)
    expect(verify.mock.lastCall).toMatchObject([
      expect.anything(),
      { resource: expect.stringMatching(/^https?:..api\.example\.com.mcp$/) },
    ])
  })

  it('keeps the verdict on a token for the resource that it was asked for alone', async () => {
    const allowedHosts = ['one.example', 'two.example']
    const ofOne = vi.fn((token: string, { resource }: { resource: string }) => {
      if (!resource.includes('one.example')) throw Object.assign(new Error('elsewhere'), { status: 401 })
      return { subject: token, scopes: [], claims: {} }
    })
    const { url } = await serve(host, { options: { auth: { ...auth, verify: ofOne }, allowedHosts } })
    const asked = async (Host: string) =>
      (await post(url, rpc('ping'), { Host, Authorization: 'Bearer a' })).status
    expect([await asked('one.example'), await asked('two.example'), await asked('one.example')]).toEqual([
      200, 401, 200,
    ])
    expect(ofOne).toHaveBeenCalledTimes(2)
  })

  it.each<[string, object]>([
    ['authorizationServers', { authorizationServers: [] }],
    ['authorizationServers', { authorizationServers: undefined }],
    ['authorizationServers', { authorizationServers: ['http://login.example'] }],
    ['authorizationServers', { authorizationServers: ['login.example'] }],
    ['authorizationServers', { authorizationServers: ['https://login.example?a=1'] }],
    ['authorizationServers', { authorizationServers: ['https://login.example#a'] }],
    ['verify', { verify: undefined }],
    ['verify', { verify: 'jwt' }],
    ['scopesSupported', { scopesSupported: ['a b'] }],
    ['tenant', { tenant: 'org' }],
    ['optional', { optional: 'yes' }],
    ['cacheMs', { cacheMs: -1 }],
    ['verify', { verifier: verify }],
  ])('throws at once for a wrong `%s`', async (name, wrong) => {
    const options = { auth: { ...auth, ...wrong } } as never
    await expect(serve(host, { options })).rejects.toThrow(new RegExp(`auth.*\\b${name}\\b`))
  })

  it.runIf(host.serve === undefined)(
    'throws at once where only a header could name the resource',
    async () => {
      onTestFinished(() => void vi.unstubAllEnvs())
      for (const environment of ['', 'production', 'staging']) {
        vi.stubEnv('NODE_ENV', environment)
        await expect(serve(host, { options: { auth } })).rejects.toThrow(
          /`publicUrl`.*`allowedHosts`.*`auth`/,
        )
        await serve(host, { options: { auth, publicUrl: 'https://api.example.com/mcp' } })
        await serve(host, { options: { auth, allowedHosts: ['api.example.com'] } })
      }
    },
  )

  it.each(['https://api.example.com/mcp#x', 'https://api.example.com/mcp?x', 'ws://api.example.com/mcp'])(
    'throws at once for the resource %s',
    async (publicUrl) => {
      await expect(serve(host, { options: { auth, publicUrl } })).rejects.toThrow('publicUrl')
    },
  )
}
