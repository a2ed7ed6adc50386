/** The user that the app's own login found, and what `context(req)` adds. */

import { expect, it } from 'vitest'
import { settled } from '../../support/time.js'
import { type Headers, type Json, send } from '../client.js'
import { type Client, legacy, modern, rpc, stateless } from '../clients.js'
import { socketTo } from '../exchange.js'
import { expectError, expectErrorBody, expectText } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, serve } from '../host.js'

const secret = 'a secret of the contract'
const login = ({ 'x-user': id }: Headers): unknown => (id === undefined ? undefined : { id })
const as = (id: string) => ({ headers: { 'X-User': id } })
const whoami = async (client: Client, extra?: object): Promise<Json> =>
  JSON.parse(expectText(await client.call('whoami', {}, extra)))

export function callers(host: Host): void {
  it('gives handlers the user of each request, and nobody where there is none', async () => {
    const { url } = await serve(host, { login })
    for (const client of [stateless(url), modern(url)]) {
      expect((await whoami(client, as('ann'))).user).toEqual({ id: 'ann' })
      expect((await whoami(client, as('bob'))).user).toEqual({ id: 'bob' })
      expect((await whoami(client)).user).toBeUndefined()
    }
  })

  it('asks for the user once the body is there: what ran meanwhile counts', async () => {
    const arrived = latch()
    let signedIn: unknown
    const { url } = await serve(host, {
      login: () => arrived.open(),
      options: { user: () => signedIn },
    })
    const body = JSON.stringify(rpc('tools/call', { name: 'whoami', arguments: {} }))
    const head = ['POST /mcp HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close']
    const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const socket = socketTo(url)
    socket.write(`${[...head, ...type].join('\r\n')}\r\n\r\n${body.slice(0, 10)}`)
    await arrived.opened
    await settled()
    signedIn = { id: 'ann' }
    socket.write(body.slice(10))
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toContain('\\"id\\":\\"ann\\"')
  })

  it('takes an asynchronous `user` instead', async () => {
    const { url } = await serve(host, { login, options: { user: async () => ({ id: 'from-option' }) } })
    expect((await whoami(modern(url), as('ann'))).user).toEqual({ id: 'from-option' })
  })

  it.each([false, true])(
    'merges what `context` returns into the context (asynchronous: %s)',
    async (later) => {
      const found = { tenant: 't1', db: { name: 'main' } }
      const { url, router } = await serve(host, {
        options: { context: () => (later ? Promise.resolve(found) : found) },
      })
      router.tool('tenant', {
        description: 'x',
        handler: (_, ctx) => (ctx as Json).tenant + (ctx as Json).db.name,
      })
      for (const client of [stateless(url), modern(url)])
        expect(expectText(await client.call('tenant', {}))).toBe('t1main')
    },
  )

  it.each(['user', 'signal', 'log', 'progress', 'request', 'sessionId', 'constructor'])(
    'refuses a call when `context` would hide ctx.%s',
    async (name) => {
      const { url, router } = await serve(host, { options: { context: () => ({ [name]: 1 }) } })
      const ran: true[] = []
      router.tool('mine', { description: 'x', handler: () => void ran.push(true) })
      const { json } = await modern(url).call('mine', {})
      expect(json.error ?? json.result.isError).toBeTruthy()
      expect(ran).toEqual([])
    },
  )

  it.each<[string, object]>([
    [
      '`user` throws',
      {
        user: () => {
          throw new Error('pg: hunter2')
        },
      },
    ],
    ['`user` rejects', { user: () => Promise.reject(new Error('pg: hunter2')) }],
    [
      '`context` throws',
      {
        context: () => {
          throw new Error('pg: hunter2')
        },
      },
    ],
    ['`context` rejects', { context: () => Promise.reject(new Error('pg: hunter2')) }],
  ])('answers an internal error, without its reason, to everything when %s', async (_, options) => {
    const { url } = await serve(host, { options, server: { exposeErrors: false, secret } })
    const twin = await serve(host, { server: { secret } })
    const { sessionId } = await legacy(twin.url)
    const session = { 'Mcp-Session-Id': sessionId }
    for (const answer of [
      await stateless(url).call('whoami', {}),
      await modern(url).call('whoami', {}),
      await stateless(url, undefined, session).call('whoami', {}),
      await stateless(url, undefined, session).notify('notifications/initialized'),
      await stateless(url, undefined, session).request('ping'),
      await send(url, { method: 'DELETE', headers: session }),
    ]) {
      expectErrorBody(answer)
      expect(answer.json.error.code).toBe(-32603)
      expect(answer.text).not.toContain('hunter2')
    }
  })

  it('tells `onError` once what `user` threw', async () => {
    const seen: unknown[] = []
    const bug = new Error('pg: hunter2')
    const { url } = await serve(host, {
      options: { user: () => Promise.reject(bug) },
      server: { onError: (error) => seen.push(error) },
    })
    await modern(url).call('whoami', {})
    expect(seen).toEqual([bug])
  })

  it('answers 401 with a challenge where a user is required and nobody is signed in', async () => {
    const { url } = await serve(host, { login })
    for (const client of [stateless(url), modern(url)]) {
      const refused = await client.call('private', {})
      expectError(refused, 401, -31001, 1)
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer/)
      expect(expectText(await client.call('private', {}, as('ann')))).toBe('private')
    }
  })

  it('answers 401 to everything of anonymous callers where the router requires a user', async () => {
    const { url } = await serve(host, { login, server: { requireUser: true } })
    for (const client of [stateless(url), modern(url)]) {
      expectError(await client.request('tools/list'), 401, -31001, 1)
      expect((await client.request('tools/list', {}, as('ann'))).status).toBe(200)
    }
    await expect(legacy(url)).rejects.toThrow('401')
    expect((await legacy(url, as('ann'))).sessionId).toBeDefined()
  })
}
