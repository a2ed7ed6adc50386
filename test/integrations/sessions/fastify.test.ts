/** @fastify/session, which keeps a store, and @fastify/secure-session, which keeps all in the cookie. */

import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import type fastify from 'fastify'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import mcp from 'mcp-router/fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Data, proveKept, proveLogin, quietRouter, shop } from './kept.js'

const load = createRequire(import.meta.url)

interface Session extends Data {
  regenerate?(): Promise<void> | undefined
  destroy?(): Promise<void>
  delete?(): void
}

interface Modules {
  readonly fastify: string
  readonly cookie: string
  readonly session: string
  readonly secure: string
}

type Way = { readonly options: object; readonly stored: boolean; readonly counts?: boolean }

const ways: readonly (readonly [string, Way])[] = [
  ['a store that is renewed always', { options: {}, stored: true }],
  ['a store', { options: { rolling: false }, stored: true }],
  ['a store without new sessions', { options: { rolling: false, saveUninitialized: false }, stored: true }],
  ['a store, changed by every request', { options: {}, stored: true, counts: true }],
  ['a cookie', { options: {}, stored: false }],
  ['a cookie, changed by every request', { options: {}, stored: false, counts: true }],
]

async function start(modules: Modules, { options, stored, counts }: Way) {
  const app: FastifyInstance = (load(modules.fastify) as typeof fastify)()
  onTestFinished(() => app.close())
  const kept = new Map<string, unknown>()
  const store = {
    set: (id: string, value: object, done: () => void) => {
      kept.set(id, JSON.parse(JSON.stringify(value)))
      done()
    },
    get: (id: string, done: (error: null, found: unknown) => void) =>
      done(null, structuredClone(kept.get(id))),
    destroy: (id: string, done: () => void) => {
      kept.delete(id)
      done()
    },
  }
  const plugin = (name: string) => load(name) as FastifyPluginAsync<Record<string, unknown>>
  await app.register(plugin(modules.cookie))
  if (stored) {
    const secret = 'a secret of at least thirty-two letters'
    await app.register(plugin(modules.session), { secret, store, cookie: { secure: false }, ...options })
  } else {
    await app.register(plugin(modules.secure), {
      key: Buffer.alloc(32, 1),
      cookie: { path: '/' },
      ...options,
    })
  }
  const data = (request: FastifyRequest): Session => (request as unknown as { session: Session }).session
  app.addHook('onRequest', async (request) => {
    if (counts === true) shop.count(data(request))
  })
  await app.register(mcp, { router: quietRouter() } as never)
  const body = { type: 'object', properties: { item: { type: 'string' } } }
  const itemOf = (request: FastifyRequest): string => (request.body as { item: string }).item
  const nameOf = (request: FastifyRequest): string => (request.params as { name: string }).name
  app.get('/login/:name', async (request) => {
    data(request).user = nameOf(request)
    return {}
  })
  app.get('/cart', async (request) => {
    const { user, items, seen } = data(request)
    return { user, items, seen }
  })
  app.post('/cart', { schema: { body }, config: { mcp: { name: 'cart_add' } } }, async (request) =>
    shop.add(data(request), itemOf(request)),
  )
  app.post('/slow', { schema: { body }, config: { mcp: { name: 'cart_add_slowly' } } }, (request, reply) => {
    const session = data(request) as Session & { save?(): Promise<void> }
    const pieces = async function* () {
      yield 'data: begun\n\n'
      await new Promise((resolve) => setImmediate(resolve))
      shop.add(session, itemOf(request))
      await session.save?.()
      yield 'data: done\n\n'
    }
    reply.type('text/event-stream').send(Readable.from(pieces(), { objectMode: false }))
  })
  app.post('/login/:name', { config: { mcp: { name: 'login' } } }, async (request) => {
    await data(request).regenerate?.()
    data(request).user = nameOf(request)
    return {}
  })
  app.post('/logout', { config: { mcp: { name: 'logout' } } }, async (request) => {
    const session = data(request)
    if (stored) await session.destroy?.()
    else session.delete?.()
    return {}
  })
  return { origin: await app.listen({ port: 0, host: '127.0.0.1' }), kept, app, router: app.mcp }
}

describe.each<Modules>([
  {
    fastify: 'fastify4',
    cookie: 'fastify4-cookie',
    session: 'fastify4-session',
    secure: 'fastify4-secure-session',
  },
  {
    fastify: 'fastify',
    cookie: '@fastify/cookie',
    session: '@fastify/session',
    secure: '@fastify/secure-session',
  },
])('$fastify', (modules) => {
  test.each(ways)('in %s, writes of calls are kept', async (_name, way) => {
    const { origin, router } = await start(modules, way)
    // The hook that counts was added before the mount: what it does in the inner request comes too early.
    await proveKept(origin, { counts: way.counts === true ? 5 : undefined, streams: way.stored })
    const guards = router.list().find(({ name }) => name === 'login')?.route?.guards
    expect(guards?.join()).not.toContain('onToolCall')
  })

  test.each(ways)('in %s, a login by a tool is one', async (_name, way) => {
    const { origin, kept } = await start(modules, way)
    await proveLogin(origin)
    expect(kept.size).toBe(way.stored ? 1 : 0)
  })
})
