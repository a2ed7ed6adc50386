/** The app is the same before and after: its routes, parsers, hooks, decorators and prototypes. */

import { inspect } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { guard, mcp } from 'mcp-router/fastify'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern } from '../../contract/clients.js'
import { expectSame, photograph } from '../../contract/mount/untouched.js'
import { placed } from '../placed.js'
import { create, type FastifyModules, listening } from './host.js'

/** Returns an internal member of Fastify that no public method exposes. */
function own(holder: object, description: string): Record<string, unknown> {
  const key = Object.getOwnPropertySymbols(holder).find((symbol) => symbol.description === description)
  return (holder as Record<symbol, Record<string, unknown>>)[key ?? Symbol(description)] ?? {}
}

const hookNames = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'onSend',
  'onResponse',
  'onError',
  'onRoute',
]

const routeHooks = [...hookNames.slice(0, -1), 'preSerialization', 'onTimeout', 'onRequestAbort']

const hook = async (): Promise<void> => {}

const listed = (app: FastifyInstance) => ({
  hooks: hookNames.map((name) => [
    name,
    [...((own(app, 'fastify.hooks')[name] as unknown[] | undefined) ?? [])],
  ]),
  parsers: [
    ...((own(app, 'fastify.contentTypeParser').customParsers as Map<string, unknown> | undefined) ?? []),
  ],
  schemas: app.getSchemas(),
  prefix: app.prefix,
})

export function untouched(modules: FastifyModules): void {
  it('patches nothing of the app, neither when registered nor when serving', async () => {
    const app = create(modules)
    app.addContentTypeParser(
      'text/csv',
      { parseAs: 'string' },
      async (_request: unknown, body: unknown) => body,
    )
    app.addHook('onRequest', async () => {})
    app.get('/own', async () => ({ own: true }))
    app.post('/own', async ({ body }) => ({ body }))
    await app.after()
    const holders = {
      Request: own(app, 'fastify.Request').prototype as object,
      Reply: own(app, 'fastify.Reply').prototype as object,
      app: Object.getPrototypeOf(app) as object,
    }
    const [before, had, members] = [photograph(holders), listed(app), Reflect.ownKeys(app)]
    expect(had.hooks[0]?.[1]).toHaveLength(1)
    expect(had.parsers.map(([type]) => type)).toContain('text/csv')

    const { router } = placed()
    router.tool('guarded', { description: 'x', use: [guard(async () => {})], handler: () => 'ok' })
    await app.register(mcp, { router, onRequest: async () => {} })
    // Routes can become tools, so the plugin listens to declarations, but changes nothing.
    const [[, listeners = []] = []] = listed(app).hooks.slice(-1) as [string, unknown[]][]
    const [listener] = listeners
    const withListener = { ...had, hooks: [...had.hooks.slice(0, -1), ['onRoute', [listener]]] }
    expect(listener).toBeTypeOf('function')
    expect(listed(app)).toEqual(withListener)
    expect(Reflect.ownKeys(app).filter((key) => !members.includes(key))).toEqual(['mcp'])
    const { origin } = await listening(app)
    await (await legacy(`${origin}/mcp`)).call('guarded', {})
    await modern(`${origin}/mcp`).call('guarded', {})
    await post(`${origin}/mcp`, '{')

    expect((await send(`${origin}/own`, { method: 'GET' })).json).toEqual({ own: true })
    expect((await post(`${origin}/own`, 'a,b', { 'Content-Type': 'text/csv' })).json).toEqual({ body: 'a,b' })
    expect((await post(`${origin}/own`, 'a', { 'Content-Type': 'text/odd' })).status).toBe(415)
    expect(listed(app)).toEqual(withListener)
    expectSame(photograph(holders), before)
  })

  it('adds no routes but its own', async () => {
    const routes: string[] = []
    const app = create(modules)
    app.addHook(
      'onRoute',
      ({ method, url }) => void routes.push(...[method].flat().map((one) => `${one} ${url}`)),
    )
    await app.register(mcp, { router: placed().router, health: true, explorer: false, prefix: '/v1' })
    await app.ready()
    expect(new Set(routes.map((route) => route.split(' ')[1]))).toEqual(
      new Set(['/v1/mcp', '/v1/mcp/', '/v1/mcp/health']),
    )
    expect(new Set(routes).size).toBe(routes.length)
    await app.close()
  })

  it('adds no hook to any route, and changes none', async () => {
    const bare = await routesOf(modules, false)
    expect(bare.options).toHaveLength(10)
    expect(bare.contexts).toHaveLength(5)
    // Fastify binds hooks to the app, so they can only be compared by name.
    const [plain, mounted] = [bare, await routesOf(modules, true)].map((all) => inspect(all, { depth: 9 }))
    expect(plain).toContain("[ 'onRequest', [ [Function: bound hook] AsyncFunction ] ]")
    expect(mounted).toBe(plain)
  })
}

/** An app's routes: as reported to `onRoute`, and as each request has its own. */
async function routesOf(modules: FastifyModules, withPlugin: boolean) {
  const app = create(modules)
  const [options, contexts] = [[] as { url: string }[], [] as object[]]
  app.addHook('onRoute', (route) => void options.push(route))
  const { router } = placed()
  if (withPlugin) await app.register(mcp, { router, explorer: false, routes: { include: ['* /**'] } })
  app.get('/x', handler)
  app.get('/x', { constraints: { host: 'a.example.com' }, onRequest: hook }, handler)
  app.get('/x', { constraints: { version: '1.0.0' }, onRequest: [hook], preHandler: hook }, handler)
  await app.register(async (scope) => {
    scope.addHook('onRequest', hook)
    scope.get('/y', { constraints: { host: /example/ } }, handler)
    scope.get('/y', handler)
  })
  async function handler(request: object) {
    const context = own(request, 'fastify.context')
    contexts.push(routeHooks.map((name) => [name, context[name]]))
    return {}
  }
  await app.ready()
  if (withPlugin) expect(router.list({ app }).filter(({ route }) => route?.tool)).toHaveLength(5)
  for (const url of ['/x', '/y']) {
    for (const headers of [{ host: 'b' }, { host: 'a.example.com' }, { 'accept-version': '1.0.0' }])
      await app.inject({ url, headers })
  }
  await app.close()
  return {
    options: options.filter(({ url }) => !url.startsWith('/mcp')).map((route) => ({ ...route })),
    contexts,
  }
}
