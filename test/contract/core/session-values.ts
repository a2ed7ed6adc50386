/** `ctx.session`: what an app keeps for a legacy session. */

import { memoryStore } from 'mcp-router'
import { expect, it } from 'vitest'
import { passTime } from '../../support/time.js'
import { send } from '../client.js'
import { type Client, legacy, modern, stateless } from '../clients.js'
import { expectText, expectToolError } from '../expect.js'
import { type Host, serve } from '../host.js'

async function keeping(host: Host, server: object = {}) {
  const served = await serve(host, { server })
  served.router.tool('keep', {
    description: 'Gets, sets and deletes',
    input: { type: 'object', properties: { does: {}, name: {}, value: {} } },
    async handler(input, ctx) {
      const { does, name, value } = input as { does: string; name: string; value: unknown }
      if (ctx.session === undefined) return 'no session'
      if (does === 'set') return JSON.stringify((await ctx.session.set(name, value)) ?? null)
      if (does === 'delete') return JSON.stringify(await ctx.session.delete(name))
      if (does === 'count') {
        return JSON.stringify(
          await ctx.session.update<number>(name, async (count = 0) => {
            await new Promise((resolve) => setImmediate(resolve))
            return count + 1
          }),
        )
      }
      if (does === 'forget') return JSON.stringify((await ctx.session.update(name, () => undefined)) ?? null)
      if (does === 'bigint') return JSON.stringify(await ctx.session.set(name, 1n))
      if (does === 'nothing') return JSON.stringify(await ctx.session.set(name, undefined))
      return JSON.stringify((await ctx.session.get(name)) ?? null)
    },
  })
  const keep = async (client: Client, does: string, name: string, value?: unknown) =>
    JSON.parse(expectText(await client.call('keep', { does, name, value })))
  return { ...served, keep }
}

export function sessionValues(host: Host): void {
  it('keeps JSON values by name, each session its own', async () => {
    const { url, keep } = await keeping(host)
    const [client, other] = [await legacy(url), await legacy(url)]
    expect(await keep(client, 'get', 'a')).toBeNull()
    for (const value of [{ deep: [1, null] }, 'text', 0, false, '']) {
      await keep(client, 'set', 'a', value)
      expect(await keep(client, 'get', 'a')).toEqual(value)
    }
    await keep(client, 'set', 'b', 2)
    expect(await keep(other, 'get', 'a')).toBeNull()
    expect(await keep(client, 'delete', 'a')).toBe(true)
    expect(await keep(client, 'delete', 'a')).toBe(false)
    expect([await keep(client, 'get', 'a'), await keep(client, 'get', 'b')]).toEqual([null, 2])
    expect(await keep(client, 'get', '__proto__')).toBeNull()
  })

  it('updates a value atomically, however many calls overlap', async () => {
    const { url, keep } = await keeping(host)
    const client = await legacy(url)
    const counted = await Promise.all([1, 2, 3].map(() => keep(client, 'count', 'n')))
    expect(counted.sort()).toEqual([1, 2, 3])
    expect(await keep(client, 'get', 'n')).toBe(3)
    await keep(client, 'forget', 'n')
    expect(await keep(client, 'get', 'n')).toBeNull()
  })

  it('is not there without a session, nor for 2026-07-28', async () => {
    const { url } = await keeping(host)
    for (const client of [stateless(url), modern(url)]) {
      expect(expectText(await client.call('keep', { does: 'get', name: 'a' }))).toBe('no session')
    }
  })

  it('refuses what JSON cannot carry', async () => {
    const { url } = await keeping(host, { exposeErrors: true })
    const client = await legacy(url)
    for (const does of ['bigint', 'nothing']) {
      expect(expectToolError(await client.call('keep', { does, name: 'a' }))).toMatch(/session.*"a".*JSON/)
    }
  })

  it('forgets everything when the session is ended, and when it expires', async () => {
    const store = memoryStore()
    const { url, keep } = await keeping(host, { store, sessionTtlMs: 60_000 })
    const client = await legacy(url)
    const key = `value:${client.sessionId?.slice(0, 32)}:a`
    await keep(client, 'set', 'a', 1)
    expect(await store.get(key)).toBe('1')
    await send(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.sessionId } })
    expect(await store.get(key)).toBeUndefined()

    const later = await legacy(url)
    await keep(later, 'set', 'a', 1)
    const own = `value:${later.sessionId?.slice(0, 32)}:a`
    passTime()(60_001)
    expect(await store.get(own)).toBeUndefined()
    await store.close()
  })
}
