/** All places where plugins can be registered. */

import { createRequire } from 'node:module'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fastify'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectText } from '../../contract/expect.js'
import { placed } from '../placed.js'
import { create, type FastifyModules, listening } from './host.js'

type Place = [what: string, place: (app: FastifyInstance) => unknown, served: string[], others: string[]]

const { router } = placed()
const places: Place[] = [
  ['awaited', (app) => app.register(mcp, { router }), ['/mcp', '/mcp/', '/mcp?x=1'], ['/', '/mcp/mcp']],
  ['not awaited', (app) => void app.register(mcp, { router }), ['/mcp'], ['/']],
  ['a prefix', (app) => app.register(mcp, { router, prefix: '/api' }), ['/api/mcp'], ['/mcp', '/api']],
  [
    'the path as prefix',
    (app) => app.register(mcp, { router, prefix: '/mcp' }),
    ['/mcp', '/mcp/'],
    ['/mcp/mcp'],
  ],
  [
    'a prefix that ends in the path',
    (app) => app.register(mcp, { router, prefix: '/x/mcp' }),
    ['/x/mcp'],
    ['/mcp'],
  ],
  [
    'a prefix without its slash',
    (app) => app.register(mcp, { router, prefix: 'api' }),
    ['/api/mcp'],
    ['/mcp'],
  ],
  ['a path', (app) => app.register(mcp, { router, path: '/ai' }), ['/ai'], ['/mcp']],
  [
    'several paths',
    (app) => app.register(mcp, { router, path: ['/ai', '/v1/mcp/'] }),
    ['/ai', '/v1/mcp'],
    ['/mcp'],
  ],
  [
    'a scope',
    (app) => app.register(async (scope) => void (await scope.register(mcp, { router })), { prefix: '/v1' }),
    ['/v1/mcp'],
    ['/mcp', '/v1'],
  ],
  [
    'a scope with a parameter, and a prefix',
    (app) =>
      app.register(async (scope) => void (await scope.register(mcp, { router, prefix: '/x' })), {
        prefix: '/t/:tenant',
      }),
    ['/t/acme/x/mcp', '/t/a%20b/x/mcp'],
    ['/t/mcp', '/t/x/mcp'],
  ],
  [
    'options made by a function',
    (app) => app.register(mcp, () => ({ router, prefix: '/f' })),
    ['/f/mcp'],
    ['/mcp'],
  ],
  [
    'the whole module, as `require` gives it',
    async (app) => app.register((await import('mcp-router/fastify')) as never, { router } as never),
    ['/mcp'],
    ['/'],
  ],
]

export function mounting(modules: FastifyModules): void {
  it.each(places)('serves both eras at the right path: %s', async (_, place, served, others) => {
    const app = create(modules)
    await place(app)
    const { origin, errors } = await listening(app)
    for (const path of served) {
      for (const client of [await legacy(origin + path), modern(origin + path)])
        expect(expectText(await client.call('where', {}))).toBe(path)
    }
    for (const path of others) expect((await post(origin + path, rpc('ping'))).status, path).toBe(404)
    expect(errors).toEqual([])
  })

  it.each<[string, FastifyServerOptions, string[]]>([
    ['ignoreTrailingSlash', { ignoreTrailingSlash: true }, ['/mcp', '/mcp/']],
    ['caseSensitive: false', { caseSensitive: false }, ['/mcp', '/MCP', '/Mcp/']],
    ['ignoreDuplicateSlashes', { ignoreDuplicateSlashes: true }, ['/mcp', '//mcp']],
    ['exposeHeadRoutes: false', { exposeHeadRoutes: false }, ['/mcp']],
  ])('reads addresses as an app with %s does', async (_, options, paths) => {
    const app = create(modules, options)
    await app.register(mcp, { router })
    const { origin } = await listening(app)
    for (const path of paths) expect((await post(origin + path, rpc('ping'))).status, path).toBe(200)
    expect((await send(`${origin}/mcp`, { method: 'HEAD' })).status).toBe(405)
  })

  it('keeps two routers separate; `app.mcp` is the first, and a scope has its own', async () => {
    const [first, second, third] = [placed().router, placed().router, placed().router]
    first.tool('first', { description: 'x', handler: () => '1' })
    second.tool('second', { description: 'x', handler: () => '2' })
    const app = create(modules)
    await app.register(mcp, { router: first })
    await app.register(mcp, { router: second, prefix: '/two' })
    await app.register(
      async (scope) => {
        await scope.register(mcp, { router: third })
        expect(scope.mcp).toBe(third)
      },
      { prefix: '/three' },
    )
    expect(app.mcp).toBe(first)
    const { origin } = await listening(app)
    expect(expectText(await modern(`${origin}/mcp`).call('first', {}))).toBe('1')
    expect(expectText(await modern(`${origin}/two/mcp`).call('second', {}))).toBe('2')
    expectError(await modern(`${origin}/two/mcp`).call('first', {}), 200, -32602, 1)
  })

  it('works without a router: `app.register(mcp)` has the name and version of the app', async () => {
    const app = create(modules)
    await app.register(mcp)
    expect(app.mcp).toBeInstanceOf(McpRouter)
    const { origin } = await listening(app)
    const { json } = await modern(`${origin}/mcp`).request('server/discover')
    const info = json.result._meta['io.modelcontextprotocol/serverInfo']
    expect(info).toMatchObject({ name: expect.any(String), version: expect.stringMatching(/^\d+\.\d+/) })
  })

  it('responds to `app.inject`, including streams', async () => {
    const { router, release } = placed()
    release.open()
    const app = create(modules)
    await app.register(mcp, { router })
    const inject = async (params: object) =>
      app.inject({ method: 'POST', url: '/mcp', payload: rpc('tools/call', params) })
    const json = await inject({ name: 'where' })
    expect(json.json().result.content[0].text).toBe('/mcp')
    const stream = await inject({ name: 'steps', _meta: { progressToken: 1 } })
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(stream.body.match(/^data: /gm)).toHaveLength(3)
    await app.close()
    expect(router.stats()).toMatchObject({ running: 0, streams: 0 })
  })

  it('serves an app on HTTP/2', async () => {
    const { connect } = await import('node:http2')
    const { router, release } = placed()
    release.open()
    const app = create(modules, { http2: true } as never)
    await app.register(mcp, { router })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const session = connect(app.listeningOrigin)
    const ask = async (params: object) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/mcp',
        'content-type': 'application/json',
      })
      stream.end(JSON.stringify(rpc('tools/call', params)))
      let text = ''
      for await (const piece of stream.setEncoding('utf8')) text += piece
      return text
    }
    expect(await ask({ name: 'where' })).toContain('"/mcp"')
    expect((await ask(streamingParams)).match(/^data: /gm)).toHaveLength(3)
    await new Promise<void>((resolve) => session.close(resolve))
    await app.close()
  })

  it.each<[RegExp, object]>([
    [/`prefx`; did you mean `prefix`/, { prefx: '/x' }],
    [/`onRequst`; did you mean `onRequest`/, { onRequst: () => {} }],
    [/`pathh`; did you mean `path`/, { pathh: '/x' }],
    [/`path` to be a path/, { path: 'mcp' }],
    [/`preHandler` to be a hook function/, { preHandler: 'authenticate' }],
    [/expected a McpRouter/, { router: {} }],
  ])('refuses to start, with %s', async (message, options) => {
    const app = create(modules)
    await expect(async () => app.register(mcp, options as never)).rejects.toThrow(message)
  })

  it('is also the default export', async () => {
    const module = await import('mcp-router/fastify')
    expect(module.default).toBe(module.mcp)
    expect(createRequire(import.meta.url)('fastify-plugin')).toBeTypeOf('function')
  })
}

const streamingParams = { name: 'steps', _meta: { progressToken: 1 } }
