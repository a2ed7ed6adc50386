/** Pages of other sites, and names that were rebound to this machine, do not reach the endpoint. */

import { expect, it } from 'vitest'
import { type Answer, type Headers, post, raw, send } from '../client.js'
import { rpc } from '../clients.js'
import { expectError, expectText } from '../expect.js'
import { type Host, type Served, serve } from '../host.js'

const call = rpc('tools/call', { name: 'echo', arguments: { text: 'hi' } })
const portOf = (url: string): string => new URL(url).port
const ask = ({ url }: Served, headers: Headers): Promise<Answer> => post(url, call, headers)

export function origins(host: Host): void {
  it.each([
    'https://evil.example',
    'null',
    '%%%',
    '',
    'file://',
    'localhost',
    'https://',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
  ])('answers 403 to the origin %j and names the option that would allow it', async (origin) => {
    const served = await serve(host)
    const refused = await ask(served, { Origin: origin })
    expectError(refused, 403, -32600)
    expect(refused.json.error.message).toContain('allowedOrigins')
  })

  it.each(['http://localhost:3000', 'http://127.0.0.1:5173', 'https://[::1]:8443', 'http://app.localhost'])(
    'takes the loopback origin %s from this machine',
    async (origin) => {
      expectText(await ask(await serve(host), { Origin: origin }))
    },
  )

  it('takes its own origin', async () => {
    const served = await serve(host)
    expectText(await ask(served, { Origin: served.origin }))
  })

  it('checks the origin whatever the method is', async () => {
    const { url } = await serve(host, { options: { health: true } })
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'PUT']) {
      expect((await send(url, { method, headers: { Origin: 'https://evil.example' } })).status).toBe(403)
    }
    expect(
      (await send(`${url}/health`, { method: 'GET', headers: { Origin: 'https://evil.example' } })).status,
    ).toBe(403)
  })

  it('takes origins that `allowedOrigins` names, whatever their spelling, and no others', async () => {
    const served = await serve(host, {
      options: { allowedOrigins: ['https://App.example', 'https://two.example:444/'] },
    })
    for (const origin of ['https://app.example', 'https://APP.example:443', 'https://two.example:444']) {
      expectText(await ask(served, { Origin: origin }))
    }
    for (const origin of [
      'http://app.example',
      'https://app.example:444',
      'https://two.example',
      'https://x.app.example',
    ]) {
      expectError(await ask(served, { Origin: origin }), 403, -32600)
    }
  })

  it.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '128.0.0.1',
    '[::2]',
  ])('answers 403 to the host %s and names the options that would allow it', async (name) => {
    const refused = await ask(await serve(host), { Host: name })
    expectError(refused, 403, -32600)
    expect(refused.json.error.message).toMatch(/allowedHosts.*publicUrl/)
  })

  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '[::1]', 'app.localhost'])(
    'takes the loopback host %s',
    async (name) => {
      const served = await serve(host)
      expectText(await ask(served, { Host: name }))
      expectText(await ask(served, { Host: `${name}:${portOf(served.url)}` }))
    },
  )

  it('refuses a rebound name although origin and host agree', async () => {
    const served = await serve(host)
    expectError(await ask(served, { Host: 'evil.example:80', Origin: 'http://evil.example:80' }), 403, -32600)
  })

  it('refuses a request without a host, sent over a socket by hand', async () => {
    const { url } = await serve(host)
    const body = JSON.stringify(call)
    const answer = await raw(
      url,
      `POST /mcp HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403/)
    expect(answer).toContain('"jsonrpc":"2.0"')
  })

  it('refuses a request without a host where hosts are named, or where a page of elsewhere sends it', async () => {
    const body = JSON.stringify(rpc('ping'))
    const asked = async (options: object, origin?: string): Promise<string | undefined> => {
      const { url } = await serve(host, { options })
      const head = ['POST /mcp HTTP/1.0', 'Content-Type: application/json', `Content-Length: ${body.length}`]
      const lines = [...head, ...(origin === undefined ? [] : [`Origin: ${origin}`])]
      const answer = await raw(url, `${lines.join('\r\n')}\r\n\r\n${body}`)
      return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
    }
    expect(await asked({ allowedHosts: ['api.example'] })).toBe('403')
    const publicUrl = 'https://api.example/mcp'
    expect(await asked({ publicUrl })).toBe('200')
    expect(await asked({ publicUrl }, 'https://api.example')).toBe('200')
    expect(await asked({ publicUrl }, 'https://evil.example')).toBe('403')
  })

  it('takes hosts that `allowedHosts` names, with any port, and refuses others', async () => {
    const served = await serve(host, { options: { allowedHosts: ['Api.example', 'two.example:8443'] } })
    for (const name of ['api.example', 'API.example:9000', 'two.example:8443', '127.0.0.1']) {
      expectText(await ask(served, { Host: name }))
    }
    for (const name of ['evil.example', 'two.example:8444', 'x.api.example']) {
      expectError(await ask(served, { Host: name }), 403, -32600)
    }
  })

  it('takes host and origin of `publicUrl`', async () => {
    const served = await serve(host, { options: { publicUrl: 'https://api.example/mcp' } })
    expectText(await ask(served, { Host: 'api.example', Origin: 'https://api.example' }))
    expectText(await ask(served, { Host: '10.0.0.7:3000', Origin: 'https://api.example' }))
    expectError(await ask(served, { Host: 'api.example', Origin: 'https://evil.example' }), 403, -32600)
  })

  it('refuses an origin that differs from the host in its port', async () => {
    const served = await serve(host, { options: { allowedHosts: ['api.example'] } })
    expectText(await ask(served, { Host: 'api.example', Origin: 'https://api.example' }))
    expectText(await ask(served, { Host: 'api.example:443', Origin: 'https://api.example' }))
    expectError(await ask(served, { Host: 'api.example:8443', Origin: 'https://api.example' }), 403, -32600)
  })

  it('ignores X-Forwarded-Host as long as the framework trusts no proxy', async () => {
    const served = await serve(host)
    expectError(
      await ask(served, { 'X-Forwarded-Host': 'app.example', Origin: 'https://app.example' }),
      403,
      -32600,
    )
    expectError(await ask(served, { Host: 'evil.example', 'X-Forwarded-Host': 'localhost' }), 403, -32600)
  })

  it.runIf(host.trustsProxies)(
    'lets the framework say which host was asked for when it trusts a proxy',
    async () => {
      const served = await serve(host, { trustProxy: true })
      expectText(await ask(served, { Host: 'inner:3000' }))
      expectText(await ask(served, { 'X-Forwarded-Host': 'app.example', Origin: 'https://app.example' }))
      expectError(
        await ask(served, { 'X-Forwarded-Host': 'app.example', Origin: 'https://evil.example' }),
        403,
        -32600,
      )
    },
  )

  it.runIf(host.trustsProxies)('tells handlers the address that the framework found', async () => {
    const trusting = await serve(host, { trustProxy: true })
    const body = rpc('tools/call', { name: 'whoami', arguments: {} })
    const forwarded = { 'X-Forwarded-For': '203.0.113.9' }
    expect(JSON.parse(expectText(await post(trusting.url, body, forwarded))).ip).toBe('203.0.113.9')
    const plain = await serve(host)
    expect(JSON.parse(expectText(await post(plain.url, body, forwarded))).ip).toMatch(/127\.0\.0\.1$/)
  })
}
