/** Streams that stay open end with the token that opened them; the client goes on with a new one. */

import { UnauthorizedError } from 'mcp-router'
import type { AnyMountOptions } from 'mcp-router/adapter'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { holdTimers } from '../../support/time.js'
import { open, post, type Stream } from '../client.js'
import { legacy, modern, rpc } from '../clients.js'
import { type Host, type Served, serve } from '../host.js'

/** A token says everything: who it is of, and when it ends, where it does. */
const auth: NonNullable<AnyMountOptions['auth']> = {
  authorizationServers: ['https://login.example'],
  verify(token) {
    const [subject = '', ends] = token.split('.')
    return { subject, scopes: [], claims: {}, ...(ends !== undefined && { expiresAt: Number(ends) / 1000 }) }
  },
}
const as = (token: string) => ({ Authorization: `Bearer ${token}` })
const forever = as('ann')
const lists = { notifications: { toolsListChanged: true } }

const protect = (host: Host): Promise<Served> => serve(host, { options: { auth, legacySse: true } })
const quiet = ({ router }: Served) =>
  vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })

/** The user that a header names, whatever the framework calls its requests. */
function userFrom(users: Record<string, unknown>): NonNullable<AnyMountOptions['user']> {
  return (req) => {
    const { headers } = req as { headers: Record<string, string> | globalThis.Headers }
    return users[(headers instanceof Headers ? headers.get('authorization') : headers.authorization) ?? '']
  }
}

type Open = (headers: { Authorization: string }) => Promise<Stream>

/** With a token that ends soon, but not before the stream is open, however busy the machine is. */
async function openBriefly(openWith: Open): Promise<{ stream: Stream; ends: number }> {
  for (let life = 250; ; life *= 2) {
    const ends = Date.now() + life
    const stream = await openWith(as(`ann.${ends}`))
    if (stream.status === 200) return { stream, ends }
    stream.leave()
  }
}

async function events({ nextEvent }: Stream): Promise<string[]> {
  const all: string[] = []
  for (let event = await nextEvent(); event !== undefined; event = await nextEvent()) all.push(event.data)
  return all
}

const kinds: Record<string, (served: Served) => Promise<Open>> = {
  'the stream of a session': async ({ url }) => {
    const client = await legacy(url, { headers: forever })
    return (headers) => client.listen(headers)
  },
  'a resumed stream': async ({ url, running }) => {
    const client = await legacy(url, { headers: forever })
    const params = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const call = await client.open('tools/call', params)
    const id = (await call.nextEvent())?.id
    await running.opened
    call.leave()
    return (headers) => client.listen({ 'Last-Event-ID': id, ...headers })
  },
  'a subscription':
    async ({ url }) =>
    (headers) =>
      modern(url, { headers }).open('subscriptions/listen', lists),
  'the stream of 2024-11-05':
    async ({ url }) =>
    (headers) =>
      open(`${url}/sse`, { method: 'GET', headers }),
}

export function authExpiry(host: Host): void {
  it.each(Object.entries(kinds))('ends %s, whose client comes back with a new token', async (_, prepare) => {
    const served = await protect(host)
    const openWith = await prepare(served)
    const { stream, ends } = await openBriefly(openWith)
    await events(stream)
    expect(Date.now()).toBeGreaterThanOrEqual(ends)
    const next = await openWith(forever)
    expect(next.status).toBe(200)
    expect((await next.nextEvent())?.data).toBeDefined()
    next.leave()
    served.release.open()
    await quiet(served)
  })

  describe.skipIf(host.serve !== undefined)('every 30 seconds', () => {
    let checks: ReturnType<typeof holdTimers>
    beforeEach(() => {
      checks = holdTimers(30_000)
    })
    const later = (): Promise<void> => checks.fire()

    it.each(Object.entries(kinds))('ends %s once its token is revoked', async (_, prepare) => {
      const revoked = new Set<string>()
      let down = false
      const verify = (token: string) => {
        if (down) throw Object.assign(new Error('down'), { status: 503 })
        if (revoked.has(token)) throw new UnauthorizedError()
        return { subject: 'ann', scopes: [], claims: {} }
      }
      const served = await serve(host, {
        options: { auth: { ...auth, verify, cacheMs: 0 }, legacySse: true },
      })
      const openWith = await prepare(served)
      const stream = await openWith(as('first'))
      const other = await openWith(as('second'))
      expect([stream.status, other.status]).toEqual([200, 200])
      const over = events(stream)
      let isOver = false
      void over.then(() => {
        isOver = true
      })
      await later()
      down = true
      await later()
      down = false
      // A check that fails says nothing of the token.
      expect(isOver).toBe(false)
      revoked.add('first')
      await later()
      await over
      expect(served.router.stats().streams).toBeGreaterThan(0)
      other.leave()
      served.release.open()
      await quiet(served)
    })

    it('keeps the permission that the stream of 2024-11-05 was opened with, whose client posts with fewer scopes', async () => {
      const revoked = new Set<string>()
      const verify = (token: string) => {
        if (revoked.has(token)) throw new UnauthorizedError()
        return { subject: 'ann', scopes: token.split('-'), claims: {} }
      }
      const options = { auth: { ...auth, verify, cacheMs: 0 }, legacySse: true }
      const served = await serve(host, { options })
      const { origin, url } = served
      const stream = await open(`${url}/sse`, { method: 'GET', headers: as('a-b') })
      const address = origin + (await stream.nextEvent())?.data
      const pinged = async (id: number, token: string): Promise<void> => {
        expect((await post(address, rpc('ping', undefined, id), as(token))).status).toBe(202)
        expect(await stream.next()).toMatchObject({ id, result: {} })
      }
      await pinged(1, 'a')
      revoked.add('a')
      await later()
      await pinged(2, 'a-b-c')
      revoked.add('a-b')
      await later()
      await pinged(3, 'a-b-c')
      revoked.add('a-b-c')
      const over = events(stream)
      await later()
      await over
      await quiet(served)
    })

    it.each([
      ['signs out', { ann: undefined }],
      ['is somebody else by now', { ann: { id: 'bob' } }],
      ['is of another tenant by now', { ann: { id: 'ann', tenant: 'acme' } }],
    ])('ends the streams of a user who %s', async (_, changed) => {
      const users: Record<string, unknown> = { ann: { id: 'ann' }, cid: { id: 'cid' } }
      const { url, router } = await serve(host, { options: { user: userFrom(users) } })
      const openAs = (who: string) =>
        modern(url, { headers: { Authorization: who } }).open('subscriptions/listen', lists)
      const [stream, other] = [await openAs('ann'), await openAs('cid')]
      const over = stream.rest()
      await later()
      Object.assign(users, changed)
      await later()
      expect((await over).at(-1)).toMatchObject({ result: { resultType: 'complete' } })
      expect(router.stats().streams).toBe(1)
      other.leave()
    })

    it('asks nobody where a mount has neither `user` nor `auth`', async () => {
      const { url } = await serve(host, { login: () => ({ id: 'ann' }) })
      const stream = await modern(url).open('subscriptions/listen', lists)
      expect(checks.waiting).toBe(0)
      stream.leave()
    })
  })

  it('tells who listens that the subscription is over', async () => {
    const { url } = await protect(host)
    const { stream } = await openBriefly((headers) =>
      modern(url, { headers }).open('subscriptions/listen', lists),
    )
    const [begun, over, ...more] = await stream.rest()
    expect(begun.method).toBe('notifications/subscriptions/acknowledged')
    expect(over).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect(more).toEqual([])
  })

  it('keeps the stream of 2024-11-05 whose client posts with a new token', async () => {
    const { origin, url } = await protect(host)
    const { stream, ends } = await openBriefly((headers) => open(`${url}/sse`, { method: 'GET', headers }))
    const address = origin + (await stream.nextEvent())?.data
    const ping = (id: number, headers: { Authorization: string }) =>
      post(address, rpc('ping', undefined, id), headers)
    // Too late on a machine that is very busy: then there is nothing to keep.
    const first = await ping(1, forever)
    if (first.status === 404) return
    expect(await stream.next()).toMatchObject({ id: 1, result: {} })
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(ends), { interval: 5, timeout: 5_000 })
    expect((await ping(2, forever)).status).toBe(202)
    expect(await stream.next()).toMatchObject({ id: 2, result: {} })
    expect((await ping(3, as('bob'))).status).toBe(403)
    stream.leave()
  })

  it('ends no stream of a token that has no end', async () => {
    const { url, router } = await protect(host)
    const stream = await modern(url, { headers: forever }).open('subscriptions/listen', lists)
    await stream.next()
    const { stream: brief } = await openBriefly((headers) =>
      modern(url, { headers }).open('subscriptions/listen', lists),
    )
    await events(brief)
    await router.notify.toolsChanged()
    expect((await stream.next()).method).toBe('notifications/tools/list_changed')
    stream.leave()
  })
}
