/** Logger, `onActivity`, `onError` and health: they tell the same on every host, in both eras. */

import type { ActivityEntry, FailedCall } from 'mcp-router'
import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { type Json, send } from '../client.js'
import { type Client, legacy, modern } from '../clients.js'
import { type Host, serve } from '../host.js'

const eras: [string, (url: string) => Promise<Client>][] = [
  ['2025-11-25', (url) => legacy(url)],
  ['2026-07-28', async (url) => modern(url)],
]

export function watching(host: Host): void {
  it.each(eras)('tells `onActivity` of each request once, as %s made it', async (version, connect) => {
    const entries: ActivityEntry[] = []
    const { url } = await serve(host, {
      options: { user: () => ({ id: 7 }) },
      server: { onActivity: (entry) => entries.push(entry), exposeErrors: false },
    })
    const client = await connect(url)
    entries.length = 0
    await client.request('tools/list', {})
    await client.call('echo', { text: 'hello' })
    await client.call('echo', {})
    await client.call('throws')
    await client.request('resources/read', { uri: 'config://app' })
    expect(entries.map(({ method, name, tool, outcome }) => [method, name, tool, outcome])).toEqual([
      ['tools/list', undefined, undefined, 'ok'],
      ['tools/call', 'echo', 'echo', 'ok'],
      ['tools/call', 'echo', 'echo', 'error'],
      ['tools/call', 'throws', 'throws', 'fault'],
      ['resources/read', 'config://app', undefined, 'ok'],
    ])
    const [, echo] = entries
    expect(echo).toMatchObject({ protocolVersion: version, user: { id: 7 }, startedAt: expect.any(Date) })
    expect(echo?.durationMs).toBeGreaterThan(0)
    expect(echo?.inputBytes).toBeGreaterThan('{"text":"hello"}'.length)
    expect(echo?.outputBytes).toBeGreaterThan('hello'.length)
  })

  it('tells `onActivity` of a stream once, when its answer is there', async () => {
    const entries: ActivityEntry[] = []
    const { url, running, release } = await serve(host, {
      server: { onActivity: (entry) => entries.push(entry) },
    })
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const stream = await modern(url).open('tools/call', params)
    await running.opened
    expect(entries).toEqual([])
    release.open()
    await stream.rest()
    expect(entries).toMatchObject([{ tool: 'stream', outcome: 'ok' }])
  })

  it.each(eras)(
    'tells `onError` and a pino logger of a fault, with what the %s client was given instead',
    async (_version, connect) => {
      const lines: Json[] = []
      const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) })
      const told: [unknown, FailedCall][] = []
      const { url } = await serve(host, {
        options: { user: () => ({ id: 7 }) },
        server: { logger, exposeErrors: false, onError: (error, call) => told.push([error, call]) },
      })
      const { json } = await (await connect(url)).call('throws')
      const [, reference] = /Reference: ([\w-]+)$/.exec(json.result.content[0].text) ?? []
      expect(told).toEqual([
        [
          expect.objectContaining({ message: expect.stringContaining('hunter2') }),
          { method: 'tools/call', name: 'throws', user: { id: 7 }, reference },
        ],
      ])
      const faults = lines.filter(({ level }) => level >= 50)
      expect(faults).toMatchObject([
        { msg: expect.stringContaining('tool "throws" failed'), reference, target: 'throws' },
      ])
      // pino's own serializer for errors.
      expect(faults[0]?.err).toMatchObject({ type: 'Error', stack: expect.any(String) })
    },
  )

  it('writes what handlers log to the logger, at its levels', async () => {
    const lines: Json[] = []
    const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const { url } = await serve(host, { server: { logger } })
    await modern(url).call('log')
    expect(lines.map(({ level, msg, target }) => [level, msg, target])).toEqual([
      [20, 'quiet', 'log'],
      [40, 'loud', 'log'],
    ])
  })

  it('answers its health in full, whatever the router asks of callers', async () => {
    const { url } = await serve(host, {
      options: { health: true },
      server: { requireUser: true },
    })
    expect((await modern(url).call('echo', { text: 'hi' })).status).toBe(401)
    const healthy = await send(`${url}/health`, { method: 'GET' })
    expect(healthy.headers['content-type']).toContain('application/json')
    expect(healthy.headers['cache-control']).toBe('no-store')
    expect(healthy.json).toEqual({
      status: 'ok',
      server: 'contract',
      version: '1.2.3',
      calls: 1,
      running: 0,
      streams: 0,
      sessions: 0,
      errors: 1,
    })
  })

  it('counts in its health what runs and what is open', async () => {
    const { url, running, release } = await serve(host, { options: { health: true } })
    const client = await legacy(url)
    const answer = client.call('wait')
    await running.opened
    const listening = await client.listen()
    const health = async (): Promise<Json> => (await send(`${url}/health`, { method: 'GET' })).json
    await vi.waitFor(async () => expect(await health()).toMatchObject({ streams: 1 }), { interval: 5 })
    expect(await health()).toMatchObject({ calls: 2, running: 1, sessions: 1, errors: 0 })
    release.open()
    await answer
    await vi.waitFor(async () => expect(await health()).toMatchObject({ running: 0 }), { interval: 5 })
    listening.leave()
  })

  it('has no health unless it was asked for', async () => {
    const { url } = await serve(host)
    expect((await send(`${url}/health`, { method: 'GET' })).json?.server).toBeUndefined()
  })
}
