/** What clients are told of: changes of the lists, updates of resources, and what the app makes up. */

import { expect, it, onTestFinished } from 'vitest'
import { post } from '../client.js'
import { initialize, legacy, modern, stateless } from '../clients.js'
import { Connections } from '../exchange.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, serve } from '../host.js'

const told = { tools: { listChanged: true }, prompts: { listChanged: true } }
const silent = { tools: {}, prompts: {}, resources: {} }
const resources = { subscribe: true, listChanged: true }
const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})

export function notices(host: Host): void {
  it('advertises notices where they can be delivered, and nowhere else', async () => {
    const capabilities = async (wanted: Parameters<typeof serve>[1]) => {
      const { url } = await serve(host, wanted)
      const old = (await post(url, initialize())).json.result.capabilities
      const { result } = (await modern(url).request('server/discover')).json
      return [old, result.capabilities]
    }
    const all = { ...told, resources }
    expect(await capabilities({})).toMatchObject([all, all])
    const [old, fresh] = await capabilities({ server: { sessions: false } })
    expect(old).toEqual({ ...silent, logging: {} })
    expect(fresh).toMatchObject(all)
    for (const one of await capabilities({ options: { streams: false } })) {
      expect(one).toEqual({ ...silent, logging: {} })
    }
    const [nameless] = await capabilities({ login: () => ({ name: 'nameless' }) })
    expect(nameless).toEqual({ ...silent, logging: {} })
  })

  it('tells of definitions that come, change and go, once for a burst', async () => {
    const { url, router } = await serve(host)
    const stream = await (await legacy(url)).listen()
    const listening = await modern(url).open('subscriptions/listen', {
      notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    })
    expect((await listening.next()).method).toBe('notifications/subscriptions/acknowledged')
    const handles = ['a', 'b', 'c'].map((name) =>
      router.tool(name, { description: name, handler: () => name }),
    )
    handles[0]?.update({ description: 'changed' })
    handles[1]?.remove()
    router.prompt('p', { description: 'p', handler: () => 'p' })
    router.resource('new://{id}', { handler: () => 'x' })
    const methods = ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`)
    for (const one of [stream, listening]) {
      expect([await one.next(), await one.next(), await one.next()].map(({ method }) => method)).toEqual(
        methods,
      )
    }
    await router.notify.custom('notifications/test/end')
    expect((await stream.nextEvent())?.data).toContain('notifications/test/end')
  })

  it('tells of a router that is mounted, and of what changes in it', async () => {
    const { url, router } = await serve(host)
    const { McpRouter } = await import('mcp-router')
    const inner = new McpRouter<object>()
    const handle = inner.tool('one', { description: 'one', handler: () => '1' })
    const stream = await (await legacy(url)).listen()
    router.use('inner', inner)
    expect((await stream.next()).method).toBe('notifications/tools/list_changed')
    handle.remove()
    expect((await stream.next()).method).toBe('notifications/tools/list_changed')
  })

  it('tells nobody of what changed before they came, or of middleware', async () => {
    const { url, router } = await serve(host)
    router.tool('early', { description: 'x', handler: () => 'x' })
    const stream = await (await legacy(url)).listen()
    router.use((_, next) => next())
    // The next change is told of after those before it would have been.
    router.prompt('p', { description: 'p', handler: () => 'p' })
    expect((await stream.next()).method).toBe('notifications/prompts/list_changed')
  })

  it('tells of lists that the app says changed, and of notices that it makes up', async () => {
    const { url, router } = await serve(host)
    const stream = await (await legacy(url)).listen()
    await router.notify.toolsChanged()
    await router.notify.resourcesChanged()
    await router.notify.promptsChanged()
    await router.notify.custom('notifications/acme/rebuilt', { at: 1 })
    const methods = ['tools', 'resources', 'prompts'].map((list) => `notifications/${list}/list_changed`)
    for (const method of methods) expect((await stream.next()).method).toBe(method)
    expect(JSON.parse((await stream.nextEvent())?.data ?? '')).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/acme/rebuilt',
      params: { at: 1 },
    })
  })

  it('refuses notices that are the protocol’s own, or no JSON', async () => {
    const { router } = await serve(host)
    const { notify } = router
    for (const method of ['notifications/resources/updated', 'notifications/cancelled', '']) {
      expect(() => notify.custom(method)).toThrow(TypeError)
    }
    expect(() => notify.custom('notifications/x', { big: 1n })).toThrow(TypeError)
    expect(() => notify.custom('notifications/x', 'y' as never)).toThrow(/params to be an object, got "y"/)
    expect(() => notify.resourceUpdated(1 as never)).toThrow(/expected a URI, got 1/)
  })

  it('tells a session of the resources that it subscribed to, until it unsubscribes', async () => {
    const { url, router } = await serve(host)
    const [client, other] = [await legacy(url), await legacy(url)]
    expectResult(await client.request('resources/subscribe', { uri: 'config://app' }))
    const [stream, foreign] = [await client.listen(), await other.listen()]
    await router.notify.resourceUpdated('config://app')
    expect(await stream.next()).toEqual(updated('config://app'))
    await router.notify.resourceUpdated('config://other')
    expectResult(await client.request('resources/unsubscribe', { uri: 'config://app' }))
    expectResult(await client.request('resources/unsubscribe', { uri: 'config://app' }))
    await router.notify.resourceUpdated('config://app')
    expectResult(await client.request('resources/subscribe', { uri: 'config://app' }))
    await router.notify.toolsChanged()
    await router.notify.resourceUpdated('config://app')
    const rest = [await stream.next(), await stream.next()].map(({ method }) => method)
    expect(rest).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated'])
    expect((await foreign.next()).method).toBe('notifications/tools/list_changed')
  })

  it('lets nobody subscribe to what they cannot read', async () => {
    const { url, router } = await serve(host, {
      login: ({ 'x-user': id }) => (id === undefined ? undefined : { id }),
    })
    router.resource('secret://ann', {
      text: 'x',
      visible: ({ user }) => (user as { id: string } | undefined)?.id === 'ann',
    })
    router.resource('members://all', { text: 'x', requireUser: true })
    const nobody = await legacy(url)
    const subscribe = (client: typeof nobody, uri: unknown) =>
      client.request('resources/subscribe', { uri } as object)
    expectError(await subscribe(nobody, 'secret://ann'), 200, -32002, 1)
    expectError(await subscribe(nobody, 'unknown://'), 200, -32002, 1)
    expectError(await subscribe(nobody, 7), 200, -32602, 1)
    expectError(await subscribe(nobody, 'members://all'), 401, -31001, 1)
    const ann = await legacy(url, { headers: { 'X-User': 'ann' } })
    expectResult(await subscribe(ann, 'secret://ann'))
    expectResult(await subscribe(ann, 'members://all'))
  })

  it('refuses to subscribe without a session, and knows no such method where nobody can be told', async () => {
    const { url } = await serve(host)
    const answer = await stateless(url).request('resources/subscribe', { uri: 'config://app' })
    expectError(answer, 400, -32600, 1)
    const none = await serve(host, { options: { streams: false } })
    const client = await legacy(none.url)
    const refused = await client.request('resources/subscribe', { uri: 'config://app' })
    expectError(refused, 200, -32601, 1)
  })

  it('bounds the subscriptions of a session', async () => {
    const { url, router } = await serve(host)
    router.resource('n://{n}', { handler: ({ n }) => n })
    // A handshake of TLS for each of the requests would be most of the work.
    const connections = new Connections(50)
    onTestFinished(() => connections.close())
    const client = await legacy(url, { connections })
    const subscribe = (n: number) => client.request('resources/subscribe', { uri: `n://${n}` })
    for (let n = 0; n < 1_000; n += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => subscribe(n + index)))
    }
    expectResult(await subscribe(7))
    expectError(await subscribe(1_000), 200, -32600, 1)
    await client.request('resources/unsubscribe', { uri: 'n://7' })
    expectResult(await subscribe(1_000))
  })
}
