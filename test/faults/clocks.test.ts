/**
 * The clock of the machine jumps, forward and back: sessions and tokens are as old as it says, nothing ends in error. What
 * lasts for a while within the process is in `durations.test.ts`.
 */

import { McpRouter, memoryStore, UnauthorizedError } from 'mcp-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { post, send } from '../contract/client.js'
import { legacy, modern, rpc } from '../contract/clients.js'
import { serveNode } from '../support/serve-node.js'
import { silent } from '../support/silent.js'
import { jumpingTimeOfDay, passTime } from '../support/time.js'

const hour = 3_600_000
const year = 365 * 24 * hour

const jump = jumpingTimeOfDay()

async function serve(
  options: Parameters<typeof serveNode>[1] = {},
  shared: ConstructorParameters<typeof McpRouter>[0] = {},
): Promise<{ url: string; release: () => void }> {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const router = new McpRouter<object>({ logger: silent, timeoutMs: 30_000, ...shared })
  router.tool('add', { description: 'd', handler: () => 3 })
  router.tool('work', {
    description: 'd',
    task: 'optional',
    handler: async () => {
      await released
      return 'worked'
    },
  })
  return { url: await serveNode(router, options), release }
}

it.each([-year, -hour, hour])('a session goes on when the clock jumps by %d ms', async (ms) => {
  const { url } = await serve()
  const client = await legacy(url)
  jump(ms)
  expect((await client.call('add', {})).status).toBe(200)
  jump(0)
  expect((await client.call('add', {})).status).toBe(200)
})

it('a session is over when the clock jumps beyond its end, and the client begins another one', async () => {
  const { url } = await serve()
  const client = await legacy(url)
  jump(10 * year)
  expect((await client.call('add', {})).status).toBe(404)
  const next = await legacy(url)
  expect((await next.call('add', {})).status).toBe(200)
  jump(0)
  expect((await next.call('add', {})).status).toBe(200)
})

it('a session that was ended on a machine whose clock is ahead stays ended on all others', async () => {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const shared = { secret: 'a secret that is long enough', store, sessionTtlMs: 2 * hour }
  const { url } = await serve({}, shared)
  const pass = passTime()
  const client = await legacy(url)
  jump(2 * hour - 60_000)
  const headers = { 'Mcp-Session-Id': client.sessionId }
  expect((await send(url, { method: 'DELETE', headers })).status).toBe(204)
  jump(hour)
  pass(hour)
  const other = await serve({}, shared)
  await vi.waitFor(async () => expect((await post(other.url, rpc('ping'), headers)).status).toBe(404))
})

it.each([-year, year])(
  'a running call is answered when the clock jumps by %d ms: its limit counts seconds',
  async (ms) => {
    const { url, release } = await serve()
    const answer = modern(url).call('work', {})
    await vi.waitFor(async () => expect((await modern(url).call('add', {})).status).toBe(200))
    jump(ms)
    release()
    expect((await answer).json.result.content[0].text).toBe('worked')
  },
)

it('an access token is as old as the clock says, whatever was found of it before', async () => {
  const exp = Math.floor(Date.now() / 1_000) + 600
  const verify = () => ({ subject: 'ana', scopes: [], claims: {}, expiresAt: exp })
  const { url } = await serve({ auth: { authorizationServers: ['https://login.example'], verify } })
  const client = modern(url, { headers: { Authorization: 'Bearer token' } })
  const status = async (): Promise<number> => (await client.call('add', {})).status
  expect(await status()).toBe(200)
  jump(hour)
  expect(await status()).toBe(401)
  jump(-hour)
  expect(await status()).toBe(200)
  jump(hour)
  expect(await status()).toBe(401)
})

it('a stream ends with its token, also where the machine slept meanwhile and its timers did not go on', async () => {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now })
  const verify = () => ({ subject: 'ana', scopes: [], claims: {}, expiresAt: (now + hour) / 1_000 })
  const { url } = await serve({ auth: { authorizationServers: ['https://login.example'], verify } })
  const client = modern(url, { headers: { Authorization: 'Bearer token' } })
  const params = { notifications: { toolsListChanged: true } }
  const stream = await client.open('subscriptions/listen', params, { id: 's' })
  await stream.next()
  jump(2 * hour)
  vi.advanceTimersByTime(60_000)
  expect((await stream.rest()).map(({ id }) => id)).toEqual(['s'])
})

it.each([-year, -hour, hour])(
  'a verdict on a token holds for `cacheMs`, also when the clock jumps by %d ms',
  async (ms) => {
    let revoked = false
    const expiresAt = (Date.now() + 10 * year) / 1_000
    const verify = () => {
      if (revoked) throw new UnauthorizedError()
      return { subject: 'ana', scopes: [], claims: {}, expiresAt }
    }
    const auth = { authorizationServers: ['https://login.example'], verify, cacheMs: 10_000 }
    const client = modern((await serve({ auth })).url, { headers: { Authorization: 'Bearer token' } })
    const pass = passTime()
    expect((await client.call('add', {})).status).toBe(200)
    revoked = true
    jump(ms)
    pass(9_000)
    expect((await client.call('add', {})).status).toBe(200)
    pass(1_001)
    expect((await client.call('add', {})).status).toBe(401)
  },
)
