/** The recent calls: their visibility, and their limits. */

import { McpRouter } from 'mcp-router'
import { type FetchHandler, mcp } from 'mcp-router/fetch'
import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { quiet } from '../../contract/host.js'

afterEach(() => vi.unstubAllEnvs())

interface Caller {
  readonly user?: unknown
  readonly peerAddress?: string
  readonly headers?: Record<string, string>
}
const near = '127.0.0.1'
const far = '192.0.2.1'

function server(options: object = {}) {
  const router = new McpRouter<object>({ name: 'web', version: '1.0.0', logger: quiet })
  router.tool('echo', {
    description: 'Says it again',
    input: z.object({ text: z.string() }),
    handler: ({ text }) => text,
  })
  router.resource('a://b', { text: 'b' })
  const handler = mcp(router, options) as FetchHandler<object>
  const send = (path: string, method: string, body: object | undefined, { headers, ...given }: Caller) =>
    handler(
      new Request(`http://localhost/mcp${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      }),
      { peerAddress: near, ...given },
    )
  return {
    call: (text: unknown, caller: Caller = {}) =>
      send(
        '',
        'POST',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text } } },
        caller,
      ),
    list: (caller: Caller = {}) => send('', 'POST', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, caller),
    activity: (caller: Caller = {}) => send('/activity', 'GET', undefined, caller),
    clear: (caller: Caller = {}) => send('/activity', 'DELETE', undefined, caller),
    post: (caller: Caller = {}) => send('/activity', 'POST', {}, caller),
  }
}

async function texts(answer: Promise<Response>): Promise<unknown[]> {
  const { calls } = (await (await answer).json()) as { calls: { params: { arguments: { text: unknown } } }[] }
  return calls.map(({ params }) => params.arguments.text)
}

it('lists calls, newest first, with the parameters for repeating them', async () => {
  const { call, list, activity } = server()
  await list()
  await call('one', { user: { id: 'ana' } })
  await call(2)
  const answer = await activity()
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const { everybody, calls } = (await answer.json()) as {
    everybody: boolean
    calls: Record<string, unknown>[]
  }
  expect(everybody).toBe(true)
  expect(calls).toMatchObject([
    { tool: 'echo', outcome: 'error', params: { name: 'echo', arguments: { text: 2 } } },
    {
      method: 'tools/call',
      name: 'echo',
      tool: 'echo',
      outcome: 'ok',
      caller: 'ana',
      protocolVersion: '2025-03-26',
    },
  ])
  for (const { startedAt, durationMs, inputBytes, outputBytes, user } of calls) {
    expect(new Date(startedAt as string).getTime()).toBeGreaterThan(Date.now() - 60_000)
    for (const number of [durationMs, inputBytes, outputBytes]) expect(number).toBeGreaterThan(0)
    expect(user).toBeUndefined()
  }
})

it('shows remote callers their own calls, and removes only those', async () => {
  const { call, activity, clear } = server()
  const [ana, ben] = [
    { user: { id: 'ana' }, peerAddress: far },
    { user: { id: 'ben' }, peerAddress: far },
  ]
  await call('of ana', ana)
  await call('of ben', ben)
  await call('of nobody', { peerAddress: far })
  expect(await texts(activity(ana))).toEqual(['of ana'])
  expect(await texts(activity({ peerAddress: far }))).toEqual([])
  expect((await clear(ben)).status).toBe(204)
  expect((await clear({ peerAddress: far })).status).toBe(204)
  expect(await texts(activity())).toEqual(['of nobody', 'of ana'])
  await clear()
  expect(await texts(activity())).toEqual([])
})

it('shows nobody the calls of others in production or behind a proxy', async () => {
  const user = { id: 'ana' }
  const proxied = server({ publicUrl: 'http://localhost/mcp' })
  await proxied.call('one', { user })
  expect(await texts(proxied.activity())).toEqual([])
  expect(await texts(proxied.activity({ user }))).toEqual(['one'])
  vi.stubEnv('NODE_ENV', 'production')
  const asked = server({ explorer: true })
  await asked.call('one', { user })
  expect(await texts(asked.activity())).toEqual([])
  expect(await texts(asked.activity({ user }))).toEqual(['one'])
})

it('is not served without the explorer', async () => {
  expect((await server({ explorer: false }).activity()).status).toBe(404)
  vi.stubEnv('NODE_ENV', 'production')
  expect((await server().activity()).status).toBe(404)
  vi.stubEnv('NODE_ENV', '')
  expect((await server().activity({ peerAddress: far })).status).toBe(404)
})

it('has the same checks as the endpoint', async () => {
  const auth = {
    authorizationServers: ['https://login.example.com'],
    verify: () => Promise.reject(new Error('no')),
  }
  expect((await server({ auth }).activity()).status).toBe(401)
  expect((await server().activity({ headers: { Origin: 'https://evil.example' } })).status).toBe(403)
  expect((await server().post()).status).toBe(405)
})

it('keeps the last 200 calls, and no large parameters', async () => {
  const { call, activity } = server()
  await call('x'.repeat(20_000))
  const { calls } = (await (await activity()).json()) as { calls: { params?: unknown }[] }
  expect(calls[0]).not.toHaveProperty('params')
  for (let index = 0; index < 201; index++) await call(String(index))
  const kept = await texts(activity())
  expect(kept.length).toBe(200)
  expect(kept[0]).toBe('200')
})
