/** GET streams whose clients move between machines: every notice arrives once, under an id of its own. */

import type { RouterOptions, Store } from 'mcp-router'
import { expect, it, onTestFinished } from 'vitest'
import type { Stream } from '../client.js'
import { type Client, legacy, stateless } from '../clients.js'
import { type Latch, latch } from '../fixtures.js'
import { type Host, type Served, serve } from '../host.js'
import { except, type MakeStore, oneMemory, there } from './several-machines.js'

const secret = 'a secret of the contract'

interface Event {
  readonly id: string
  /** Empty for the event that a stream begins with. */
  readonly method: string
}

async function next(stream: Stream): Promise<Event> {
  const { id = '', data = '' } = (await stream.nextEvent()) ?? {}
  return { id, method: data === '' ? '' : JSON.parse(data).method }
}

/** Reads events until there are as many notices. */
async function notices(stream: Stream, count: number): Promise<Event[]> {
  const events: Event[] = []
  while (events.length < count) {
    const event = await next(stream)
    if (event.id === '') throw new Error('the stream ended')
    if (event.method !== '') events.push(event)
  }
  return events
}

const named = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `notifications/test/${from + n}`)

interface State {
  /** Events are not written until it opens. */
  held: Latch<void> | undefined
  /** Opens when this machine has said that it takes a session. */
  taken: Latch<void>
  /** Runs when this machine has said that it lets one go. */
  freed: (() => Promise<void>) | undefined
  /** Called when this machine has said that it lives. */
  answered: () => void
  /** Says nothing and hears nothing any more. */
  dead: boolean
}

/** The store of one machine, which tests may hold back. */
function holding(store: Store) {
  const state: State = { held: undefined, taken: latch(), freed: undefined, answered() {}, dead: false }
  const own: Store = except(store, {
    async append(name, value, bound) {
      if (state.dead) return ''
      if (name.startsWith('events:')) await state.held?.opened
      return store.append(name, value, bound)
    },
    async publish(channel, message) {
      if (state.dead) return
      await store.publish(channel, message)
      if (message.includes('"free"')) await state.freed?.()
      if (message.includes('"take"')) state.taken.open()
      if (message === 'lives') state.answered()
    },
    subscribe: (channel, listener) =>
      store.subscribe(channel, (message) => {
        if (!state.dead) listener(message)
      }),
  })
  return { state, store: own }
}

export function movingStreams(host: Host, makeMaker: () => MakeStore = oneMemory): void {
  async function three(options: RouterOptions = {}) {
    const make = makeMaker()
    const stores = [make(), make(), make()]
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
    const held = stores.map(holding)
    const served: Served[] = []
    for (const { store } of held) served.push(await serve(host, { server: { ...options, secret, store } }))
    const [a, b, c] = served as [Served, Served, Served]
    const states = held.map(({ state }) => state)
    return { a, b, c, states: states as [State, State, State] }
  }

  const notify = async ({ router }: Served, methods: readonly string[]): Promise<void> => {
    for (const method of methods) await router.notify.custom(method)
  }

  it('keeps what comes while the machine that had the stream still writes', async () => {
    const { a, b, c, states } = await three()
    const client = await legacy(a.url)
    const first = await client.listen()
    await notify(a, named(0, 1))
    const [seen] = await notices(first, 1)
    states[0].held = latch()
    await notify(a, named(1, 2))
    const opening = there(b, client).listen({ 'Last-Event-ID': seen?.id })
    await states[1].taken.opened
    await notify(c, named(2, 5))
    states[0].held.open()
    const events = await notices(await opening, 4)
    expect(events.map(({ method }) => method)).toEqual(named(1, 5))
    expect(new Set([seen, ...events].map((event) => event?.id)).size).toBe(5)
  })

  it('is not handed over by a machine that only knows the session', async () => {
    const { a, b, c, states } = await three()
    const client = await legacy(a.url)
    // Its stream stays open there: that machine hears of every move.
    const bystander = await there(c, client).listen()
    await bystander.nextEvent()
    const first = await client.listen()
    await notify(a, named(0, 1))
    const [seen] = await notices(first, 1)
    states[0].held = latch()
    await notify(a, named(1, 2))
    const unwritten = await notices(first, 1)
    const opening = there(b, client).listen({ 'Last-Event-ID': seen?.id })
    await states[1].taken.opened
    // Time enough for a bystander that would speak up.
    await notify(c, named(2, 3))
    states[0].held.open()
    const events = await notices(await opening, 2)
    expect(events.map(({ method }) => method)).toEqual(named(1, 3))
    expect(events[0]).toEqual(unwritten[0])
    expect(new Set([seen, ...events].map((event) => event?.id)).size).toBe(3)
  })

  it('comes whole from a machine that is dead, with what came while it was waited for', async () => {
    const { a, b, c, states } = await three()
    const client = await legacy(a.url)
    const first = await client.listen()
    await notify(a, named(0, 1))
    const [seen] = await notices(first, 1)
    states[0].dead = true
    const opening = there(b, client).listen({ 'Last-Event-ID': seen?.id })
    await states[1].taken.opened
    await notify(c, named(1, 4))
    const events = await notices(await opening, 3)
    expect(events.map(({ method }) => method)).toEqual(named(1, 4))
    expect(new Set([seen, ...events].map((event) => event?.id)).size).toBe(4)
  })

  it.each(['was killed', 'was closed'])(
    'finds what came between a machine that %s and the return of its client',
    async (end) => {
      const { a, b, c, states } = await three()
      // Others were told before this one was there.
      await notify(c, ['notifications/test/before'])
      const [client, quiet] = [await legacy(a.url), await legacy(a.url)]
      const first = await client.listen()
      const { id: start } = await next(await quiet.listen())
      await notify(a, named(0, 2))
      const [, seen] = await notices(first, 2)
      if (end === 'was killed') states[0].dead = true
      else await a.router.close()
      await notify(c, named(2, 4))
      const back = await there(b, client).listen({ 'Last-Event-ID': seen?.id })
      await notify(c, named(4, 5))
      const events = await notices(back, 3)
      expect(events.map(({ method }) => method)).toEqual(named(2, 5))
      expect(new Set([seen, ...events].map((event) => event?.id)).size).toBe(4)
      // One that had been told nothing yet.
      const other = await there(c, quiet).listen({ 'Last-Event-ID': start })
      expect((await notices(other, 5)).map(({ method }) => method)).toEqual(named(0, 5))
    },
  )

  it('keeps what comes after one machine let go and before another one takes it', async () => {
    const { a, b, states } = await three()
    // Without event ids: what nobody reads is gone, and so is the stream.
    const client = await legacy(a.url, { version: '2025-06-18' })
    const stays = await stateless(b.url, '2025-06-18', { 'Mcp-Session-Id': client.sessionId }).listen()
    const leaves = await client.listen()
    await notify(b, named(0, 1))
    expect((await next(leaves)).method).toBe('notifications/test/0')
    states[1].taken = latch()
    states[0].freed = () => notify(b, named(1, 2))
    leaves.leave()
    await states[1].taken.opened
    await notify(a, named(2, 3))
    expect([(await next(stays)).method, (await next(stays)).method]).toEqual(named(1, 3))
  })

  /** A call that its client lost after the first notice, and where it was. */
  async function lostCall(client: Client): Promise<string> {
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await client.open('tools/call', params, { id: 'c' })
    await stream.nextEvent()
    const { id } = await next(stream)
    stream.leave()
    return id
  }

  it('ends with an error where the machine that ran the call is dead', async () => {
    const { a, b, states } = await three({ timeoutMs: 300 })
    const client = await legacy(a.url)
    const last = await lostCall(client)
    states[0].dead = true
    const back = await there(b, client).listen({ 'Last-Event-ID': last })
    expect(await back.rest()).toMatchObject([
      { id: 'c', error: { code: -32603, message: expect.stringContaining('has stopped') } },
    ])
  })

  it('waits for a call beyond the time limit of others, while its machine lives', async () => {
    const { a, b, states } = await three({ timeoutMs: 300 })
    a.router.tool('patient', {
      description: 'Has no time limit',
      timeoutMs: 0,
      async handler(_, ctx) {
        ctx.progress(1)
        await a.release.opened
        return 'done'
      },
    })
    const client = await legacy(a.url)
    const params = { name: 'patient', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await client.open('tools/call', params)
    const { id } = await next(stream)
    stream.leave()
    const answers = latch()
    let left = 6
    states[0].answered = () => {
      left -= 1
      if (left === 0) answers.open()
    }
    const back = await there(b, client).listen({ 'Last-Event-ID': id })
    await answers.opened
    a.release.open()
    expect((await back.rest()).at(-1)).toMatchObject({ result: { content: [{ text: 'done' }] } })
  })

  it('loses and doubles nothing, and gives no id twice, however its client hops', async () => {
    const { a, b, c } = await three()
    const client = await legacy(a.url)
    const sides: Client[] = [client, there(b, client), there(c, client)]
    // What comes before a session has its first stream is nobody's.
    let stream = await client.listen()
    let { id: last } = await next(stream)
    stream.leave()
    const seen: Event[] = []
    let sent = 0
    const sending: Promise<void>[] = []
    for (let hop = 0; hop < 40; hop++) {
      // An order in which every machine follows every other one, and itself.
      const side = sides[(hop * hop + (hop >> 2)) % 3] as Client
      const opening = side.listen({ 'Last-Event-ID': last })
      for (let n = 0; n < 3; n++) sending.push(notify([a, b, c][n] as Served, named(sent++, sent)))
      stream = await opening
      for (let read = 0; read <= hop % 3; read++) {
        const event = await next(stream)
        last = event.id
        if (event.method !== '') seen.push(event)
      }
      stream.leave()
    }
    await Promise.all(sending)
    const rest = await client.listen({ 'Last-Event-ID': last })
    seen.push(...(await notices(rest, sent - seen.length)))
    // Three machines send at once, in no order.
    expect(seen.map(({ method }) => method).sort()).toEqual(named(0, sent).sort())
    expect(new Set(seen.map(({ id }) => id)).size).toBe(sent)
  })
}
