/** One caller cannot use up what all share. */

import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Headers, post, send } from '../client.js'
import { initialize, legacy, modern, rpc } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, quiet, type Served, serve } from '../host.js'

const login = ({ 'x-user': id }: Headers): unknown => (id === undefined ? undefined : { id })
const as = (id: string) => ({ headers: { 'X-User': id } })
const echo = (id: unknown) => rpc('tools/call', { name: 'echo', arguments: { text: `t${id}` } }, id)
const ids = (count: number) => Array.from({ length: count }, (_, index) => index)
const declared = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const meta = { 'io.modelcontextprotocol/clientCapabilities': declared }

/** A tool that runs as a task and ends with a text of this many characters. */
function addReport({ router }: Served): void {
  router.tool('report', {
    description: 'A report.',
    task: 'required',
    input: z.object({ size: z.number() }),
    handler: ({ size }) => 'x'.repeat(size),
  })
}

const tasksOf = (url: string, id: string) => {
  const client = modern(url, { ...as(id), meta })
  const get = async (taskId: string) =>
    client.request('tasks/get', { taskId }, { headers: { 'Mcp-Name': taskId } })
  return {
    get,
    async start(size: number): Promise<string> {
      const { taskId } = expectResult(await client.call('report', { size }))
      await vi.waitFor(async () => expect((await get(taskId)).json.result.status).not.toBe('working'), {
        interval: 2,
      })
      return taskId
    },
  }
}

export function perCaller(host: Host): void {
  it('refuses a caller more streams than `maxStreamsPerCaller` with 429, in all sessions and forms together', async () => {
    const options = { maxStreamsPerCaller: 2, legacySse: true }
    const served = await serve(host, { login, options })
    const { url } = served
    const bob = await legacy(url, as('bob'))
    const first = await bob.listen()
    const other = await (await legacy(url, as('bob'))).listen()
    expect([first.status, other.status]).toEqual([200, 200])
    const headers = { Accept: 'text/event-stream', 'X-User': 'bob', 'Mcp-Session-Id': bob.sessionId }
    const refused = await send(url, { method: 'GET', headers })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.json.error.message).toContain('maxStreamsPerCaller')
    const listening = await modern(url, as('bob')).request('subscriptions/listen', { notifications: {} })
    expect(listening.status).toBe(429)
    const sse = await send(`${url}/sse`, { method: 'GET', headers: { 'X-User': 'bob' } })
    expect(sse.status).toBe(429)
    expect((await (await legacy(url, as('ann'))).listen()).status).toBe(200)
    expect((await (await legacy(url)).listen()).status).toBe(200)
    expect(served.router.stats().streams).toBe(4)
    first.leave()
    await vi.waitFor(async () => expect((await bob.listen()).status).toBe(200), { interval: 2 })
  })

  it('counts the calls of batches, and refuses more than `maxCallsPerMinute` with 429', async () => {
    const { url, router } = await serve(host, { login, server: { maxCallsPerMinute: 10 } })
    const bob = { 'X-User': 'bob' }
    expect((await post(url, ids(10).map(echo), bob)).json).toHaveLength(10)
    const refused = await post(url, [echo(1)], bob)
    expectError(refused, 429, -32603)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.json.error.message).toContain('maxCallsPerMinute')
    // A notification takes nothing, and one request is what a rate limiter of the app counts itself.
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(url, [note], bob)).status).toBe(202)
    expectResult(await post(url, echo(1), bob))
    expect((await post(url, ids(10).map(echo), { 'X-User': 'ann' })).json).toHaveLength(10)
    expect(router.stats().calls).toBe(21)
  })

  it('counts anonymous callers by their address, where the host knows it', async () => {
    const { url, router } = await serve(host, { login, server: { maxCallsPerMinute: 10 } })
    router.tool('address', { description: 'd', handler: (_, ctx) => ctx.request?.ip ?? 'unknown' })
    const [{ result }] = (await post(url, [rpc('tools/call', { name: 'address', arguments: {} })])).json
    const isKnown = result.content[0].text !== 'unknown'
    expect((await post(url, ids(10).map(echo))).status).toBe(isKnown ? 429 : 200)
    expect((await post(url, ids(10).map(echo), { 'X-User': 'ann' })).status).toBe(200)
  })

  it('lets no anonymous caller lock out the others behind a proxy that nobody trusts, and says so once', async () => {
    const warn = vi.fn()
    const server = { maxSessionsPerHour: 1, logger: { ...quiet, warn } }
    const { url } = await serve(host, { login, server })
    const from = (ip: string) => post(url, initialize(), { 'X-Forwarded-For': ip })
    for (const ip of ['1.2.3.4', '1.2.3.4', '5.6.7.8']) expectResult(await from(ip))
    expect((await post(url, initialize(), { 'X-User': 'bob' })).status).toBe(200)
    expect((await post(url, initialize(), { 'X-User': 'bob', 'X-Forwarded-For': '1.2.3.4' })).status).toBe(
      429,
    )
    const isKnown =
      (await post(url, initialize())).status === 200 && (await post(url, initialize())).status === 429
    const proxies = warn.mock.calls.filter(([message]) => message.includes('`trust proxy`'))
    expect(proxies).toHaveLength(isKnown ? 1 : 0)
  })

  it.runIf(host.trustsProxies)('takes nothing but an address from a proxy', async () => {
    const { url } = await serve(host, { trustProxy: true, server: { maxSessionsPerHour: 1 } })
    const from = async (ip: string) => (await post(url, initialize(), { 'X-Forwarded-For': ip })).status
    expect([await from('1.2.3.4'), await from('1.2.3.4'), await from('5.6.7.8')]).toEqual([200, 429, 200])
    expect([await from('x'.repeat(4_000)), await from('y'), await from('z')]).toEqual([200, 200, 200])
  })

  it('refuses a caller more new sessions than `maxSessionsPerHour` with 429', async () => {
    const { url, router } = await serve(host, { login, server: { maxSessionsPerHour: 2 } })
    const bob = await legacy(url, as('bob'))
    await legacy(url, as('bob'))
    const refused = await post(url, initialize(), { 'X-User': 'bob' })
    expect([refused.status, refused.json.error.code]).toEqual([429, -32603])
    expect(refused.headers['mcp-session-id']).toBeUndefined()
    await legacy(url, as('ann'))
    await legacy(url)
    expectResult(await bob.request('ping', {}, as('bob')))
    expect(router.stats().sessions).toBe(4)
  })

  it('drops the oldest results of a caller who keeps too much, and of nobody else', async () => {
    const served = await serve(host, { login, server: { tasks: { maxKept: 3, maxKeptBytes: 20_000 } } })
    addReport(served)
    const [ann, bob] = [tasksOf(served.url, 'ann'), tasksOf(served.url, 'bob')]
    const anns = await ann.start(8_000)
    const large: string[] = []
    for (const _ of [1, 2, 3]) large.push(await bob.start(8_000))
    const statuses = async (tasks: string[]) =>
      Promise.all(tasks.map(async (task) => (await bob.get(task)).json.result?.status))
    expect(await statuses(large)).toEqual([undefined, 'completed', 'completed'])
    const small: string[] = []
    for (const _ of [1, 2, 3]) small.push(await bob.start(1))
    expect(await statuses([...large, ...small])).toEqual([
      ...[undefined, undefined, undefined],
      ...['completed', 'completed', 'completed'],
    ])
    expect((await ann.get(anns)).json.result.status).toBe('completed')
  })

  it('fails a task whose result is larger than all that a caller may keep', async () => {
    const served = await serve(host, { login, server: { tasks: { maxKeptBytes: 10_000 } } })
    addReport(served)
    const bob = tasksOf(served.url, 'bob')
    const before = await bob.start(5_000)
    const { result } = (await bob.get(await bob.start(20_000))).json
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: expect.stringContaining('tasks.maxKeptBytes') },
    })
    expect((await bob.get(before)).json.result.status).toBe('completed')
  })
}
