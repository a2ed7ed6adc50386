/** Browser clients: preflight, and the headers that their code may read. */

import { expect, it } from 'vitest'
import { type Answer, post, send } from '../client.js'
import { initialize, legacy, modern, rpc, stateless } from '../clients.js'
import { type Host, serve } from '../host.js'

const app = 'https://app.example'
const names = (header: unknown): string[] =>
  String(header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())

const preflight = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(url, {
    method: 'OPTIONS',
    headers: { Origin: app, 'Access-Control-Request-Method': 'POST', ...headers },
  })

function expectReadable({ headers }: Pick<Answer, 'headers'>): void {
  expect(headers['access-control-allow-origin']).toBe(app)
  expect(headers['access-control-allow-credentials']).toBe('true')
  expect(names(headers['access-control-expose-headers'])).toEqual(
    expect.arrayContaining(['mcp-session-id', 'www-authenticate']),
  )
  expect(names(headers.vary)).toContain('origin')
}

export function cors(host: Host): void {
  it('sends none of its headers unless asked to', async () => {
    const { url } = await serve(host, { options: { allowedOrigins: [app] } })
    const answer = await post(url, initialize(), { Origin: app })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await preflight(url)).status).toBe(405)
  })

  it('answers a preflight of a named origin with the methods and headers of both eras', async () => {
    const { url } = await serve(host, { options: { cors: [app] } })
    const answer = await preflight(url)
    expect([200, 204]).toContain(answer.status)
    expectReadable(answer)
    expect(names(answer.headers['access-control-allow-methods'])).toEqual(
      expect.arrayContaining(['post', 'delete']),
    )
    expect(names(answer.headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining([
        'content-type',
        'accept',
        'authorization',
        'mcp-protocol-version',
        'mcp-method',
        'mcp-name',
        'mcp-session-id',
        'last-event-id',
      ]),
    )
  })

  it('allows the Mcp-Param-* headers that a preflight asks for, by name', async () => {
    const { url } = await serve(host, { options: { cors: [app] } })
    const asked = 'content-type, mcp-param-city,Mcp-Param-Days, x-evil, mcp-param-\u0001'.replace(
      '\u0001',
      '(',
    )
    const answer = await preflight(url, { 'Access-Control-Request-Headers': asked })
    const allowed = names(answer.headers['access-control-allow-headers'])
    expect(allowed).toEqual(expect.arrayContaining(['mcp-param-city', 'mcp-param-days']))
    expect(allowed).not.toContain('x-evil')
    expect(allowed).not.toContain('mcp-param-(')
  })

  it('refuses a preflight and a call of another origin', async () => {
    const { url } = await serve(host, { options: { cors: [app] } })
    for (const answer of [
      await preflight(url, { Origin: 'https://evil.example' }),
      await post(url, initialize(), { Origin: 'https://evil.example' }),
    ]) {
      expect(answer.status).toBe(403)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it.each<[string, object]>([
    ['a list', { cors: [app] }],
    ['one origin', { cors: app }],
    ['true and `allowedOrigins`', { cors: true, allowedOrigins: [app] }],
    ['true and `publicUrl`', { cors: true, publicUrl: `${app}/mcp` }],
  ])('lets pages read answers, with %s', async (_, options) => {
    const { url } = await serve(host, { options })
    expectReadable(await post(url, initialize(), { Origin: app }))
  })

  it('lets pages read every kind of answer', async () => {
    const { url, release } = await serve(host, { options: { cors: [app], health: true } })
    const headers = { Origin: app }
    const client = await legacy(url, { headers })
    const anyone = modern(url, { headers })
    for (const answer of [
      await client.notify('notifications/initialized'),
      await anyone.request('nope'),
      await anyone.call('private', {}),
      await post(url, '{', headers),
      await post(url, rpc('ping'), { ...headers, Accept: 'text/html' }),
      await post(url, rpc('ping'), { ...headers, 'Content-Type': 'text/plain' }),
      await post(url, rpc('ping'), { ...headers, 'Mcp-Session-Id': 'unknown' }),
      await send(url, { method: 'PUT', headers }),
      await send(`${url}/health`, { method: 'GET', headers }),
    ]) {
      expectReadable(answer)
    }
    release.open()
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await stateless(url, '2025-11-25', headers).open('tools/call', params)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    expectReadable(stream)
    await stream.rest()
  })

  it('lets pages read refusals that are not about their origin, 403 among them', async () => {
    const { url } = await serve(host, {
      options: { cors: [app] },
      login: ({ 'x-user': id }) => (id === undefined ? undefined : { id }),
    })
    const client = await legacy(url, { headers: { Origin: app } })
    const refused = await client.request('ping', {}, { headers: { 'X-User': 'eve' } })
    expect(refused.status).toBe(403)
    expectReadable(refused)
  })

  it('lets every page read answers, without credentials, when the option is written as `*`', async () => {
    const { url } = await serve(host, { options: { cors: '*' } })
    for (const origin of ['https://anyone.example', 'null']) {
      for (const answer of [
        await preflight(url, { Origin: origin }),
        await post(url, initialize(), { Origin: origin }),
      ]) {
        expect(answer.status).toBeLessThan(300)
        expect(answer.headers['access-control-allow-origin']).toBe('*')
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
      }
    }
  })

  it('answers clients that are no browsers as before', async () => {
    const { url } = await serve(host, { options: { cors: [app] } })
    const answer = await post(url, rpc('tools/list'), {})
    expect(answer.status).toBe(200)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })
}
