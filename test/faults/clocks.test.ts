/** The clock of the machine jumps, forward and back: what was promised for a time is not kept for ever, nothing ends in error. */

import { McpRouter, UnauthorizedError } from 'mcp-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { legacy, modern } from '../contract/clients.js'
import { serveNode } from '../support/serve-node.js'
import { silent } from '../support/silent.js'
import { passTime } from '../support/time.js'

const hour = 3_600_000
const year = 365 * 24 * hour

let now: number
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  now = Date.now()
})
afterEach(() => void vi.useRealTimers())
const jump = (ms: number): void => void vi.setSystemTime(now + ms)

async function serve(
  options: Parameters<typeof serveNode>[1] = {},
): Promise<{ url: string; release: () => void }> {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const router = new McpRouter<object>({ logger: silent, timeoutMs: 30_000 })
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
  const exp = Math.floor(now / 1_000) + 600
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

it.each([-year, -hour, hour])(
  'a verdict on a token holds for `cacheMs`, also when the clock jumps by %d ms',
  async (ms) => {
    let revoked = false
    const verify = () => {
      if (revoked) throw new UnauthorizedError()
      return { subject: 'ana', scopes: [], claims: {}, expiresAt: (now + 10 * year) / 1_000 }
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

it('a task that runs while the clock jumps back keeps its result; one whose time is over is unknown', async () => {
  const { url, release } = await serve()
  const client = await legacy(url)
  const began = await client.request('tools/call', { name: 'work', arguments: {}, task: { ttl: hour } })
  const { taskId } = began.json.result.task
  jump(-hour)
  release()
  const result = await client.request('tasks/result', { taskId })
  expect(result.json.result.content[0].text).toBe('worked')
  jump(10 * hour)
  expect((await client.request('tasks/get', { taskId })).json.error.code).toBe(-32602)
})
