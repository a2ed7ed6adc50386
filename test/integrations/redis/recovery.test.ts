/** What the store does when its server is away, slow, full or new. */

import type { Store } from 'mcp-router'
import { type RedisStore, redisStore } from 'mcp-router/redis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { command, freePort, type RedisServer, redisServer } from '../../support/redis-server.js'
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.js'

const minute = 60_000
const recovery = 5_000

describe('the Redis store', () => {
  let server: RedisServer
  let network: TcpProxy
  let near: RedisStore
  /** Reaches the server through the network that can be cut. */
  let far: RedisStore
  beforeEach(async () => {
    server = await redisServer()
    network = await tcpProxy(server.port)
    near = redisStore({ url: server.url })
    far = redisStore({ url: `redis://127.0.0.1:${network.port}` })
  })
  afterEach(async () => {
    await Promise.all([near.close(), far.close()])
    await network.close()
    await server.stop()
  })

  /** Waits for it as long as a recovery may take. */
  const soon = (check: () => unknown) => vi.waitFor(check, { timeout: recovery, interval: 5 })

  async function heard(store: Store, channel = 'news'): Promise<string[]> {
    const messages: string[] = []
    await store.subscribe(channel, (message) => messages.push(message))
    return messages
  }

  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n))

  for (const how of ['cut', 'stall'] as const)
    it(`delivers what was published while the network was ${how}, once and in order`, async () => {
      const messages = await heard(far)
      for (const number of numbers(0, 10)) await near.publish('news', number)
      await soon(() => expect(messages).toHaveLength(10))
      network[how]()
      for (const number of numbers(10, 200)) await near.publish('news', number)
      network.heal()
      await soon(() => expect(messages).toEqual(numbers(0, 200)))
      await near.publish('news', '200')
      await soon(() => expect(messages).toEqual(numbers(0, 201)))
    })

  it('loses and doubles nothing when the network is cut again and again while messages come', async () => {
    const messages = await heard(far)
    for (let round = 0; round < 5; round++) {
      const publishing = numbers(round * 40, (round + 1) * 40).map((number) => near.publish('news', number))
      network.cut()
      network.heal()
      await Promise.all(publishing)
    }
    await soon(() => expect(messages).toHaveLength(200))
    expect(messages).toEqual(numbers(0, 200))
  })

  it('fails in time while the server is away, and goes on when it is back, empty', async () => {
    const hasty = redisStore({ url: server.url, timeoutMs: 500 })
    const messages = await heard(hasty)
    await hasty.set('key', 'value', minute)
    await server.kill()
    await expect(hasty.get('key')).rejects.toThrow()
    await expect(hasty.set('late', 'value', minute)).rejects.toThrow()
    expect(await hasty.status()).toEqual({ lagMs: undefined, gaps: 0 })
    await server.restart()
    await soon(async () => expect(await hasty.get('key')).toBeUndefined())
    expect(await near.get('late')).toBeUndefined()
    await soon(async () => {
      await near.publish('news', 'again')
      expect(messages).toContain('again')
    })
    expect((await hasty.status()).lagMs).toBeGreaterThanOrEqual(0)
    await hasty.close()
  })

  it('executes what it was asked once the server goes on, and doubles nothing', async () => {
    const messages = await heard(near)
    server.process.kill('SIGSTOP')
    const publishing = near.publish('news', 'while it stood still')
    server.process.kill('SIGCONT')
    await publishing
    await soon(() => expect(messages).toEqual(['while it stood still']))
  })

  it('lets live listeners hear what a full server cannot keep', async () => {
    const messages = await heard(far)
    await near.publish('news', 'before')
    await command(server.url, 'CONFIG', 'SET', 'maxmemory', '1')
    await expect(near.set('key', 'value', minute)).rejects.toThrow('OOM')
    await expect(near.append('log', 'value', { entries: 1, bytes: 1_000, ageMs: minute })).rejects.toThrow(
      'OOM',
    )
    await near.publish('news', 'full')
    await soon(() => expect(messages).toEqual(['before', 'full']))
    await command(server.url, 'CONFIG', 'SET', 'maxmemory', '0')
    await near.publish('news', 'after')
    await soon(() => expect(messages).toEqual(['before', 'full', 'after']))
  })

  it('counts the gap of a listener that was away for longer than messages are kept', async () => {
    const messages = await heard(far)
    await near.publish('news', 'first')
    await soon(() => expect(messages).toEqual(['first']))
    network.cut()
    await command(server.url, 'DEL', 'mcp-router:channel:news')
    for (const number of numbers(0, 3)) await near.publish('news', number)
    network.heal()
    await soon(() => expect(messages).toEqual(['first', '0', '1', '2']))
    expect((await far.status()).gaps).toBe(1)
  })

  it('does not keep apart what has the same prefix, and keeps apart what has not', async () => {
    const other = redisStore({ client: { url: server.url }, prefix: 'other:' })
    await near.set('key', 'value', minute)
    expect(await far.get('key')).toBe('value')
    expect(await other.get('key')).toBeUndefined()
    await other.close()
  })

  it('refuses to be used when it is closed, and a server that was never there', async () => {
    await near.close()
    await expect(near.get('key')).rejects.toThrow('closed')
    const nobody = redisStore({ url: `redis://127.0.0.1:${await freePort()}`, timeoutMs: 50 })
    await expect(nobody.get('key')).rejects.toThrow('within 50 ms')
    await expect(nobody.subscribe('news', () => {})).rejects.toThrow('within 50 ms')
    await nobody.close()
  })
})

describe('redisStore()', () => {
  it.each([
    [{}, 'expected one of `url`'],
    [{ url: 'redis://a', cluster: {} }, 'expected one of `url`'],
    [{ uri: 'redis://a' }, 'did you mean `url`?'],
    [{ url: 'redis://a', timeoutMs: 0 }, 'expected `timeoutMs`'],
    [{ url: 1 }, 'expected `url`'],
    [{ url: 'redis://a', prefix: '' }, 'expected `prefix`'],
  ])('refuses %j', (options, message) => {
    expect(() => redisStore(options as never)).toThrow(message)
  })
})
