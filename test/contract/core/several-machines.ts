/** Several machines that share one secret and one store: what one of them is told, all of them know. */

import { memoryStore, type Store } from 'mcp-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Headers, type Json, post, type Stream, send } from '../client.js'
import { type Client, legacy, modern, stateless } from '../clients.js'
import { expectError, expectResult, expectText } from '../expect.js'
import { type Host, type Served, serve } from '../host.js'

const secret = 'a secret of the contract'
const version = '2025-11-25'

/** Makes the stores of machines that share one. */
export type MakeStore = () => Store

export function oneMemory(): MakeStore {
  const store = memoryStore()
  return () => store
}

/** The same session on the other machine. */
export function there({ url }: Served, { sessionId }: Client, headers: Headers = {}): Client {
  return stateless(url, version, { 'Mcp-Session-Id': sessionId, ...headers })
}

/** The store, with some operations of its own. */
export function except(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => Reflect.get(own, name) ?? Reflect.get(target, name)?.bind?.(target),
  })
}

function addAsking({ router }: Served): void {
  router.tool('ask', {
    description: 'Asks whether to go on',
    handler: async (_, ctx) =>
      (await ctx.elicit({ message: 'Go on?', schema: { type: 'object', properties: {} } })).action,
  })
}

async function read(stream: Stream, count: number): Promise<{ id: string; methods: string[] }> {
  const methods: string[] = []
  let id = ''
  while (methods.length < count || id === '') {
    const event = await stream.nextEvent()
    if (event === undefined) throw new Error('the stream ended')
    id = event.id ?? id
    if (event.data !== '') methods.push((JSON.parse(event.data) as Json).method)
  }
  return { id, methods }
}

/** `makeMaker`: for each test, what gives its machines their store. Default: one in memory. */
export function severalMachines(host: Host, makeMaker: () => MakeStore = oneMemory): void {
  async function machines(host: Host, make = makeMaker()): Promise<[Served, Served]> {
    const [one, two] = [make(), make()]
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])))
    return [
      await serve(host, { server: { secret, store: one } }),
      await serve(host, { server: { secret, store: two } }),
    ]
  }

  it('end a session everywhere, also where nobody listened yet', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    expectResult(await there(two, client).request('ping'))
    const late = await legacy(one.url)
    for (const { sessionId } of [client, late]) {
      await send(one.url, { method: 'DELETE', headers: { 'Mcp-Session-Id': sessionId } })
    }
    expectError(await there(two, client).request('ping'), 404, -32001, 1)
    // A call never waits for the store: the first one may be served.
    await vi.waitFor(async () => expect((await there(two, late).request('ping')).status).toBe(404), {
      interval: 2,
    })
  })

  it('end the streams of a session that another one ends', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const stream = await there(two, client).listen()
    await send(one.url, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.sessionId } })
    expect(await stream.rest()).toEqual([])
  })

  it('know the log level of a session', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const other = there(two, client)
    expectResult(await other.request('ping'))
    expectResult(await client.request('logging/setLevel', { level: 'debug' }))
    // A call never waits for the store: the first one may not know of it yet.
    await vi.waitFor(
      async () => {
        const stream = await other.open('tools/call', { name: 'log', arguments: {} })
        const levels = (await stream.rest()).map(({ params }) => params?.level)
        expect(levels).toEqual(['debug', 'warning', undefined])
      },
      { interval: 2 },
    )
  })

  it('share what the app keeps for a session', async () => {
    const [one, two] = await machines(host)
    for (const { router } of [one, two]) {
      router.tool('count', {
        description: 'Counts the calls of a session',
        async handler(_, ctx) {
          const count = ((await ctx.session?.get<number>('count')) ?? 0) + 1
          await ctx.session?.set('count', count)
          return String(count)
        },
      })
    }
    const client = await legacy(one.url)
    expect(expectText(await client.call('count', {}))).toBe('1')
    expect(expectText(await there(two, client).call('count', {}))).toBe('2')
    expect(expectText(await client.call('count', {}))).toBe('3')
  })

  it('send a notice to the clients of all of them, once', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const elsewhere = await legacy(two.url)
    const streams = [await client.listen(), await elsewhere.listen()]
    const listening = await modern(two.url).open('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    })
    await listening.next()
    await one.router.notify.toolsChanged()
    await two.router.notify.promptsChanged()
    for (const stream of streams) {
      expect((await read(stream, 2)).methods).toEqual([
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
      ])
    }
    expect((await listening.next()).method).toBe('notifications/tools/list_changed')
  })

  it('find the stream of a session that subscribed on another one, before or after it was opened', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    expectResult(await client.request('resources/subscribe', { uri: 'config://app' }))
    const stream = await there(two, client).listen()
    await one.router.notify.resourceUpdated('config://app')
    expect((await stream.next()).params).toEqual({ uri: 'config://app' })
    expectResult(await client.request('resources/unsubscribe', { uri: 'config://app' }))
    await one.router.notify.resourceUpdated('config://app')
    expectResult(await client.request('resources/subscribe', { uri: 'config://app' }))
    await two.router.notify.toolsChanged()
    await one.router.notify.resourceUpdated('config://app')
    const methods = [(await stream.next()).method, (await stream.next()).method]
    expect(methods).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated'])
  })

  it('send a notice on one stream of a session, whichever machine has it', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const here = await client.listen()
    const far = await there(two, client).listen()
    const names = Array.from({ length: 10 }, (_, index) => `notifications/test/${index}`)
    for (const name of names) await one.router.notify.custom(name)
    expect((await read(far, 10)).methods).toEqual(names)
    far.leave()
    await one.router.close()
    expect(await here.rest()).toEqual([])
  })

  it('let a client come back to another one for the rest of a call', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await client.open('tools/call', params, { id: 'c' })
    const { id } = await read(stream, 1)
    stream.leave()
    const again = await there(two, client).listen({ 'Last-Event-ID': id })
    one.release.open()
    expect(await again.rest()).toMatchObject([
      { params: { progress: 2 } },
      { id: 'c', result: { content: [{ text: 'released' }] } },
    ])
  })

  it('let a GET stream move to another one and back, and lose and double nothing', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const sides = [client, there(two, client)]
    const seen: string[] = []
    let id: string | undefined
    let sent = 0
    const notify = () => one.router.notify.custom(`notifications/test/${sent++}`)
    for (let turn = 0; turn < 6; turn++) {
      const side = sides[turn % 2] as Client
      const stream = await side.listen(id === undefined ? {} : { 'Last-Event-ID': id })
      await notify()
      const next = await read(stream, sent - seen.length)
      seen.push(...next.methods)
      id = next.id
      // Even turns: the old connection is still open when the client comes back.
      if (turn % 2 === 0) continue
      stream.leave()
      await notify()
      await notify()
    }
    const last = await (sides[0] as Client).listen({ 'Last-Event-ID': id })
    seen.push(...(await read(last, sent - seen.length)).methods)
    expect(seen).toEqual(Array.from({ length: sent }, (_, n) => `notifications/test/${n}`))
  })

  it('cancel a call that runs on another one', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const call = client.request('tools/call', { name: 'wait', arguments: {} }, { id: 'w' })
    await one.running.opened
    await there(two, client).notify('notifications/cancelled', { requestId: 'w', reason: 'too slow' })
    expect(String(await one.aborted.opened)).toContain('too slow')
    await call
  })

  it('end the calls of a session that another one ends', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url)
    const call = client.request('tools/call', { name: 'wait', arguments: {} })
    await one.running.opened
    await send(two.url, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.sessionId } })
    expect(String(await one.aborted.opened)).toContain('the session was ended')
    await call
  })

  it('bring the answer of a client to the handler that waits on another one', async () => {
    const [one, two] = await machines(host)
    const client = await legacy(one.url, { capabilities: { elicitation: {} } })
    addAsking(one)
    const stream = await client.open('tools/call', { name: 'ask', arguments: {} }, { id: 'a' })
    const { id } = await stream.next()
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } }
    expect((await post(two.url, answer, { 'Mcp-Session-Id': client.sessionId })).status).toBe(202)
    expect((await stream.rest()).at(-1)).toMatchObject({ id: 'a', result: { content: [{ text: 'accept' }] } })
  })

  it('take an answer again that the store did not pass on', async () => {
    let failures = 1
    const store = memoryStore()
    const publish: Store['publish'] = async (channel, message) => {
      if (channel.startsWith('answer:') && failures-- > 0) throw new Error('away')
      await store.publish(channel, message)
    }
    const flaky = except(store, { publish })
    const [one, two] = await machines(host, () => flaky)
    const client = await legacy(one.url, { capabilities: { elicitation: {} } })
    addAsking(one)
    const stream = await client.open('tools/call', { name: 'ask', arguments: {} }, { id: 'a' })
    const { id } = await stream.next()
    const give = (action: string) =>
      post(
        two.url,
        { jsonrpc: '2.0', id, result: { action, content: {} } },
        { 'Mcp-Session-Id': client.sessionId },
      )
    const refused = await give('accept')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect((await give('decline')).status).toBe(400)
    expect((await give('accept')).status).toBe(202)
    expect((await stream.rest()).at(-1)).toMatchObject({ id: 'a', result: { content: [{ text: 'accept' }] } })
  })

  it('go on without a store that is away', async () => {
    const fail = () => Promise.reject(new Error('away'))
    const operations = ['get', 'set', 'delete', 'claim', 'publish', 'subscribe', 'append', 'read']
    const away = except(memoryStore(), Object.fromEntries(operations.map((name) => [name, fail])))
    const [one] = await machines(host, () => away)
    const client = await legacy(one.url)
    expect(expectText(await client.call('echo', { text: 'hi' }))).toBe('hi')
    expectResult(await client.request('logging/setLevel', { level: 'debug' }))
    const stream = await client.listen()
    const listening = await modern(one.url).open('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    })
    await listening.next()
    await one.router.notify.toolsChanged()
    expect((await stream.next()).method).toBe('notifications/tools/list_changed')
    expect((await listening.next()).method).toBe('notifications/tools/list_changed')
    const headers = { 'Mcp-Session-Id': client.sessionId }
    expect((await send(one.url, { method: 'DELETE', headers })).status).toBe(204)
    expectError(await client.request('ping'), 404, -32001, 1)
  })
}
