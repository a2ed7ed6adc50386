/** `subscriptions/listen`: the one stream on which a 2026-07-28 client is told of anything. */

import { expect, it, vi } from 'vitest'
import { post } from '../client.js'
import { legacy, modern, rpc } from '../clients.js'
import { expectError } from '../expect.js'
import { type Host, type Served, serve } from '../host.js'

const idKey = 'io.modelcontextprotocol/subscriptionId'
const everything = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
const quiet = ({ router }: Served) =>
  vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })

export function subscriptions(host: Host): void {
  it.each(['L1', '', 0, 7])(
    'begins with what it honours and ends with a result, all under the id %j',
    async (id) => {
      const { url, router } = await serve(host)
      const stream = await modern(url).open(
        'subscriptions/listen',
        { notifications: { toolsListChanged: true, resourceSubscriptions: ['config://app'] } },
        { id },
      )
      expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
      expect(await stream.next()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          _meta: { [idKey]: id },
          notifications: { toolsListChanged: true, resourceSubscriptions: ['config://app'] },
        },
      })
      await router.notify.resourceUpdated('config://app')
      await router.notify.toolsChanged()
      expect(await stream.next()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { _meta: { [idKey]: id }, uri: 'config://app' },
      })
      expect(await stream.next()).toMatchObject({
        method: 'notifications/tools/list_changed',
        params: { _meta: { [idKey]: id } },
      })
      await router.close({ drainMs: 60_000 })
      const rest = await stream.rest()
      expect(rest).toHaveLength(1)
      expect(rest[0]).toMatchObject({ id, result: { resultType: 'complete', _meta: { [idKey]: id } } })
    },
  )

  it('sends nothing that was not asked for, and no event ids', async () => {
    const { url, router } = await serve(host)
    const stream = await modern(url).open('subscriptions/listen', {
      notifications: { promptsListChanged: true, toolsListChanged: false },
    })
    const ack = await stream.nextEvent()
    expect(ack).toMatchObject({ id: undefined, retry: undefined })
    expect(JSON.parse(ack?.data ?? '').params.notifications).toEqual({ promptsListChanged: true })
    await router.notify.toolsChanged()
    await router.notify.resourcesChanged()
    await router.notify.resourceUpdated('config://app')
    await router.notify.custom('notifications/acme/rebuilt')
    await router.notify.promptsChanged()
    expect((await stream.next()).method).toBe('notifications/prompts/list_changed')
  })

  it('sends an event on every subscription that wants it', async () => {
    const { url, router } = await serve(host)
    const streams = await Promise.all(
      [1, 2, 3].map((id) => modern(url).open('subscriptions/listen', { notifications: everything }, { id })),
    )
    for (const stream of streams) await stream.next()
    await router.notify.toolsChanged()
    const ids = await Promise.all(streams.map(async (stream) => (await stream.next()).params._meta[idKey]))
    expect(ids).toEqual([1, 2, 3])
  })

  it('honours only what this caller may read, and only lists that are there', async () => {
    const { McpRouter } = await import('mcp-router/adapter')
    const login = ({ 'x-user': id }: Record<string, string | undefined>): unknown =>
      id === undefined ? undefined : { id }
    const { url, router } = await serve(host, { login })
    router.resource('secret://ann', {
      text: 'x',
      visible: ({ user }) => (user as { id: string } | undefined)?.id === 'ann',
    })
    router.resource('members://all', { text: 'x', requireUser: true })
    const uris = ['config://app', 'secret://ann', 'members://all', 'unknown://x']
    const honoured = async (headers: object) => {
      const stream = await modern(url, { headers: { ...headers } }).open('subscriptions/listen', {
        notifications: { resourceSubscriptions: uris },
      })
      return (await stream.next()).params.notifications
    }
    expect(await honoured({})).toEqual({ resourceSubscriptions: ['config://app'] })
    expect(await honoured({ 'X-User': 'ann' })).toEqual({ resourceSubscriptions: uris.slice(0, 3) })

    const bare = new McpRouter<object>({ name: 'bare', version: '1.0.0' })
    bare.tool('t', { description: 't', handler: () => 't' })
    const { origin, close } = await host.start({ router: bare, options: {} })
    const stream = await modern(`${origin}/mcp`).open('subscriptions/listen', {
      notifications: { ...everything, resourceSubscriptions: uris },
    })
    expect((await stream.next()).params.notifications).toEqual({ toolsListChanged: true })
    await bare.close()
    await close()
  })

  it.each([
    [undefined],
    [[]],
    ['all'],
    [{ toolsListChanged: 'yes' }],
    [{ resourceSubscriptions: 'config://app' }],
    [{ resourceSubscriptions: [1] }],
    [{ resourceSubscriptions: Array.from({ length: 1_001 }, (_, n) => `n://${n}`) }],
  ])('refuses the filter %j', async (notifications) => {
    const { url } = await serve(host)
    expectError(
      await modern(url).request('subscriptions/listen', { notifications } as object),
      200,
      -32602,
      1,
    )
  })

  it('is unknown where nobody can be told, where nothing is served, and before 2026-07-28', async () => {
    const { McpRouter } = await import('mcp-router/adapter')
    const none = await serve(host, { options: { streams: false } })
    const listen = (url: string) => modern(url).request('subscriptions/listen', { notifications: everything })
    expectError(await listen(none.url), 404, -32601, 1)
    const bare = new McpRouter<object>()
    const { origin, close } = await host.start({ router: bare, options: {} })
    expectError(await listen(`${origin}/mcp`), 404, -32601, 1)
    await close()
    const old = await legacy(none.url)
    expectError(await old.request('subscriptions/listen', { notifications: everything }), 200, -32601, 1)
    const { url } = await serve(host)
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expectError(await modern(url).request(method, { uri: 'config://app' }), 404, -32601, 1)
    }
  })

  it('answers 406 to who reads no event stream', async () => {
    const { url } = await serve(host)
    const client = modern(url, { headers: { Accept: 'application/json' } })
    const answer = await client.request('subscriptions/listen', { notifications: everything })
    expectError(answer, 406, -32600, 1)
  })

  it('wants no Mcp-Name', async () => {
    const { url } = await serve(host)
    const stream = await modern(url, { headers: { 'Mcp-Name': undefined } }).open('subscriptions/listen', {
      notifications: {},
    })
    expect((await stream.next()).params.notifications).toEqual({})
  })

  it('ends when its client leaves, however quiet it is', async () => {
    const served = await serve(host)
    const stream = await modern(served.url).open('subscriptions/listen', { notifications: everything })
    await stream.next()
    expect(served.router.stats()).toMatchObject({ streams: 1 })
    stream.leave()
    await quiet(served)
  })

  it('outlives the time limit of calls', async () => {
    const served = await serve(host, { server: { timeoutMs: 1 } })
    const stream = await modern(served.url).open('subscriptions/listen', { notifications: everything })
    await stream.next()
    const { text } = await post(served.url, rpc('tools/call', { name: 'never' }))
    expect(text).toContain('20 ms')
    await served.router.notify.toolsChanged()
    expect((await stream.next()).method).toBe('notifications/tools/list_changed')
  })
}
