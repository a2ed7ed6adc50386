/** What clients of several machines see when a process, Redis, or the network between them fails. */

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Answer, type Json, post, type Stream, send } from '../contract/client.js'
import { type Client, legacy, modern, stateless } from '../contract/clients.js'
import { expectText } from '../contract/expect.js'
import { command } from '../support/redis-server.js'
import { type Cluster, type Machine, startCluster } from './machines.js'

/** Milliseconds until everything works again once the fault is over. */
const recovery = 5_000
const version = '2025-11-25'

vi.setConfig({ testTimeout: 60_000 })

let cluster: Cluster
let machines: readonly [Machine, Machine, Machine]
beforeAll(async () => {
  cluster = await startCluster(3)
  machines = cluster.machines as [Machine, Machine, Machine]
}, 60_000)
afterAll(() => cluster?.stop())

/** A client that listens, and what it heard. */
interface Ear {
  readonly texts: string[]
  readonly stream: Stream
}

async function ear(client: Client): Promise<Ear> {
  const stream = await client.listen()
  const texts: string[] = []
  void (async () => {
    for (let event = await stream.nextEvent(); event !== undefined; event = await stream.nextEvent()) {
      const message: Json = event.data === '' ? {} : JSON.parse(event.data)
      if (message.method === 'notifications/test') texts.push(message.params.text)
    }
  })().catch(() => {})
  return { texts, stream }
}

const there = ({ url }: Machine, { sessionId }: Client): Client =>
  stateless(url, version, { 'Mcp-Session-Id': sessionId })

const notify = ({ url }: Machine, text: string): Promise<Answer> => modern(url).call('notify', { text })

/** Plain calls of both eras, and of a session, on every machine. */
async function plainCalls(among: readonly Machine[], session?: Client): Promise<void> {
  const clients = among.flatMap((machine) => [
    modern(machine.url),
    stateless(machine.url, version),
    ...(session === undefined ? [] : [there(machine, session)]),
  ])
  const answers = await Promise.all(clients.map((client) => client.call('add', { a: 1, b: 2 })))
  expect(answers.map((answer) => expectText(answer))).toEqual(clients.map(() => '3'))
}

let probes = 0

async function health({ url }: Machine): Promise<[number, Json]> {
  const { status, json } = await send(`${url}/health`, { method: 'GET' })
  return [status, json]
}

/** Resolves once a new notice reaches everybody; how long that took goes to the console. */
async function recovered(from: Machine, ears: readonly Ear[], name: string): Promise<void> {
  const began = Date.now()
  await vi.waitFor(
    async () => {
      const text = `probe ${probes++}`
      await notify(from, text)
      await vi.waitFor(() => expect(ears.every(({ texts }) => texts.includes(text))).toBe(true), {
        timeout: 500,
        interval: 5,
      })
    },
    { timeout: recovery, interval: 5 },
  )
  console.log(`recovered ${Date.now() - began} ms after ${name}`)
}

const heard = ({ texts }: Ear): string[] => texts.filter((text) => !text.startsWith('probe'))

describe('several machines', () => {
  let session: Client
  let ears: Ear[]
  beforeEach(async () => {
    session = await legacy(machines[0].url, { capabilities: { elicitation: {} } })
    const others = await Promise.all(machines.map(({ url }) => legacy(url)))
    ears = await Promise.all(others.map(ear))
    await recovered(machines[0], ears, 'the start')
  })

  it('serve plain calls while Redis is gone, and hear each other again when it is back', async () => {
    expect(await health(machines[0])).toMatchObject([200, { status: 'ok', store: { status: 'ok', gaps: 0 } }])
    await cluster.redis.kill()
    await plainCalls(machines, session)
    expect(await health(machines[0])).toMatchObject([200, { status: 'degraded', store: { status: 'away' } }])
    await cluster.redis.restart()
    await recovered(machines[1], ears, 'Redis was restarted')
    for (const one of ears) expect(new Set(one.texts).size).toBe(one.texts.length)
  })

  it('serve plain calls while Redis stands still for 10 s; notices of that time arrive once', async () => {
    cluster.redis.process.kill('SIGSTOP')
    const thaw = new Promise<void>((resolve) =>
      setTimeout(() => {
        cluster.redis.process.kill('SIGCONT')
        resolve()
      }, 10_000),
    )
    let frozen = true
    void thaw.then(() => {
      frozen = false
    })
    await plainCalls(machines, session)
    expectText(await notify(machines[0], 'frozen'))
    await plainCalls(machines, session)
    expect(frozen).toBe(true)
    await thaw
    await recovered(machines[1], ears, 'Redis went on')
    for (const one of ears) expect(new Set(one.texts).size).toBe(one.texts.length)
    expect(heard(ears[0] as Ear)).toEqual(['frozen'])
  })

  it('serve plain calls while Redis is full, and notices too', async () => {
    await command(cluster.redis.url, 'CONFIG', 'SET', 'maxmemory', '1')
    await plainCalls(machines, session)
    await notify(machines[0], 'full')
    await vi.waitFor(() => expect(ears.map(heard)).toEqual([['full'], ['full'], ['full']]), {
      timeout: recovery,
    })
    await command(cluster.redis.url, 'CONFIG', 'SET', 'maxmemory', '0')
    await recovered(machines[2], ears, 'Redis had room again')
  })

  for (const how of ['cut', 'stall'] as const)
    it(`lose and double nothing while the network of one is ${how}`, async () => {
      const [apart, near] = machines
      apart.network[how]()
      const texts = Array.from({ length: 20 }, (_, index) => `notice ${index}`)
      for (const text of texts) expectText(await notify(near, text))
      await plainCalls(machines, session)
      apart.network.heal()
      const began = Date.now()
      await vi.waitFor(() => expect(ears.map(heard)).toEqual([texts, texts, texts]), {
        timeout: recovery,
        interval: 5,
      })
      console.log(`recovered ${Date.now() - began} ms after the network healed`)
      await recovered(machines[2], ears, 'that')
      expect(ears.map(heard)).toEqual([texts, texts, texts])
    })

  it('know of an ended session once Redis is back that was gone when it ended', async () => {
    await plainCalls(machines, session)
    await cluster.redis.kill()
    const headers = { 'Mcp-Session-Id': session.sessionId }
    expect((await send(machines[0].url, { method: 'DELETE', headers })).status).toBe(204)
    await cluster.redis.restart()
    await vi.waitFor(
      async () => expect((await there(machines[1], session).request('ping')).status).toBe(404),
      { timeout: recovery, interval: 20 },
    )
  })

  it('bring an answer to the handler that waits, although Redis stood still when it was given', async () => {
    const stream = await session.open('tools/call', { name: 'ask', arguments: {} }, { id: 'a' })
    const { id } = await stream.next()
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ana' } } }
    const give = (): Promise<Answer> => post(machines[1].url, answer, { 'Mcp-Session-Id': session.sessionId })
    cluster.redis.process.kill('SIGSTOP')
    const refused = await give()
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    cluster.redis.process.kill('SIGCONT')
    // It may have arrived already: what was sent while Redis stood still happens when it goes on.
    await vi.waitFor(async () => expect([202, 400]).toContain((await give()).status), { timeout: recovery })
    expect((await stream.rest()).at(-1)).toMatchObject({ id: 'a', result: { content: [{ text: 'Ana' }] } })
  })

  // The last one: nobody starts it again.
  it('go on with the sessions of one that was killed', async () => {
    const [killed, ...rest] = machines
    const [gone, ...others] = ears as [Ear, Ear, Ear]
    await killed.kill()
    await plainCalls(rest, session)
    const back = await ear(there(machines[1], session))
    await recovered(machines[2], [back, ...others], 'a process was killed')
    expect(gone.texts).not.toContain('after')
  })
})
