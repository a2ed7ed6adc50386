/** What is hidden from a caller now is no notice for them, whatever they saw when their stream was opened. */

import { expect, it, vi } from 'vitest'
import { type Headers, open, post, type Stream } from '../client.js'
import { initialize, legacy, modern, rpc } from '../clients.js'
import { expectResult } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, type Served, serve } from '../host.js'

const uri = 'secret://plan'
const methods = {
  updated: 'notifications/resources/updated',
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
}

/** Opens a stream as somebody, who hears of the resource and of the lists. */
const kinds: Record<string, (served: Served, headers: Headers) => Promise<Stream>> = {
  'the stream of a session': async ({ url }, headers) => {
    const client = await legacy(url, { headers })
    expectResult(await client.request('resources/subscribe', { uri }))
    return client.listen()
  },
  'a subscription': async ({ url }, headers) => {
    const notifications = { resourceSubscriptions: [uri], toolsListChanged: true, promptsListChanged: true }
    const stream = await modern(url, { headers }).open('subscriptions/listen', { notifications })
    expect((await stream.next()).params.notifications).toEqual(notifications)
    return stream
  },
  'the stream of 2024-11-05': async ({ url, origin }, headers) => {
    const stream = await open(`${url}/sse`, { method: 'GET', headers })
    const address = origin + (await stream.nextEvent())?.data
    for (const message of [initialize({ version: '2024-11-05' }), rpc('resources/subscribe', { uri }, 2)]) {
      expect((await post(address, message, headers)).status).toBe(202)
      expect(await stream.next()).toHaveProperty('result')
    }
    return stream
  },
}

async function guarded(host: Host) {
  const errors: unknown[] = []
  const served = await serve(host, {
    login: ({ 'x-user': id }) => (id === undefined ? undefined : { id }),
    options: { legacySse: true },
    server: { onError: (error) => errors.push(error) },
  })
  const { router } = served
  const sees = new Set<unknown>(['ann', 'bob'])
  const visible = ({ user }: { user: unknown }): boolean => sees.has((user as { id: string }).id)
  router.resource(uri, { text: 'x', visible })
  const tool = router.tool('plan', { description: 'd', visible, handler: () => 'x' })
  let count = 0
  /** After what changed before. */
  const mark = (): void => void router.prompt(`p${count++}`, { description: 'd', handler: () => 'x' })
  return { served, sees, tool, mark, errors }
}

const next = async (stream: Stream): Promise<string> => (await stream.next()).method

export function sight(host: Host): void {
  it.each(Object.entries(kinds))('asks `visible` for each notice on %s', async (_, openAs) => {
    const { served, sees, tool, mark } = await guarded(host)
    const { notify } = served.router
    const [ann, bob] = [await openAs(served, { 'X-User': 'ann' }), await openAs(served, { 'X-User': 'bob' })]
    const change = async (): Promise<void> => {
      await notify.resourceUpdated(uri)
      tool.update({ description: `${Math.random()}` })
      mark()
    }
    const all = Object.values(methods)
    const three = async (stream: Stream) => [await next(stream), await next(stream), await next(stream)]
    await change()
    expect([await three(ann), await three(bob)]).toEqual([all, all])
    sees.delete('bob')
    await change()
    expect(await three(ann)).toEqual(all)
    expect(await next(bob)).toBe(methods.prompts)
    sees.add('bob')
    await change()
    expect([await three(ann), await three(bob)]).toEqual([all, all])
    // Everybody is told that lists are another now, by whoever says so.
    sees.delete('bob')
    await notify.toolsChanged()
    expect([await next(ann), await next(bob)]).toEqual([methods.tools, methods.tools])
  })

  it.each(Object.entries(kinds))('gives `visible` the request that opened %s', async (_, openAs) => {
    const { served, mark } = await guarded(host)
    const tool = served.router.tool('of-request', {
      description: 'd',
      visible: ({ request }) => request?.headers['x-user'] === 'ann',
      handler: () => 'x',
    })
    const [ann, bob] = [await openAs(served, { 'X-User': 'ann' }), await openAs(served, { 'X-User': 'bob' })]
    tool.update({ description: 'changed' })
    mark()
    expect([await next(ann), await next(ann)]).toEqual([methods.tools, methods.prompts])
    expect(await next(bob)).toBe(methods.prompts)
  })

  it('tells of what is shown no more, and of what is shown now', async () => {
    const { served, tool, mark } = await guarded(host)
    const stream = await kinds['a subscription']?.(served, { 'X-User': 'ann' })
    if (stream === undefined) throw new Error('no stream')
    const two = async () => [await next(stream), await next(stream)]
    tool.update({ visible: () => false })
    mark()
    expect(await two()).toEqual([methods.tools, methods.prompts])
    tool.update({ description: 'unseen' })
    mark()
    expect(await next(stream)).toBe(methods.prompts)
    tool.update({ visible: () => true })
    mark()
    expect(await two()).toEqual([methods.tools, methods.prompts])
    tool.remove()
    mark()
    expect(await two()).toEqual([methods.tools, methods.prompts])
  })

  it('tells of no task whose tool is hidden, nor what it came to', async () => {
    const { served, mark } = await guarded(host)
    const [seen, go] = [{ now: true }, latch()]
    served.router.tool('long', {
      description: 'd',
      task: 'required',
      visible: () => seen.now,
      async handler() {
        await go.opened
        return 'secret'
      },
    })
    const extensions = { 'io.modelcontextprotocol/tasks': {} }
    const headers = { 'X-User': 'ann' }
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions } }
    const client = modern(served.url, { headers, meta })
    const { taskId } = expectResult(await client.call('long', {}))
    const notifications = { taskIds: [taskId], promptsListChanged: true }
    const stream = await client.open('subscriptions/listen', { notifications })
    expect((await stream.next()).params.notifications).toEqual(notifications)
    expect((await stream.next()).params).toMatchObject({ taskId, status: 'working' })
    seen.now = false
    go.open()
    await vi.waitFor(() => expect(served.router.stats().running).toBe(0), { interval: 2 })
    mark()
    expect(await next(stream)).toBe(methods.prompts)
  })

  it('takes a `visible` that throws for a no, and reports it', async () => {
    const { served, tool, mark, errors } = await guarded(host)
    const stream = await kinds['a subscription']?.(served, { 'X-User': 'ann' })
    if (stream === undefined) throw new Error('no stream')
    const fault = new Error('no user')
    tool.update({
      visible: () => {
        throw fault
      },
    })
    mark()
    // It was seen before.
    expect(await next(stream)).toBe(methods.tools)
    expect(await next(stream)).toBe(methods.prompts)
    tool.update({ description: 'other' })
    mark()
    expect(await next(stream)).toBe(methods.prompts)
    expect(errors).toContain(fault)
  })
}
