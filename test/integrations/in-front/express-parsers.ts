/** Parsers whose errors do not come to the mount by themselves: it stands in a router or a route, and they do not. */

import type { Express } from 'express'
import { type ErrorHandler, type Handler, mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { post } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { expectError } from '../../contract/expect.js'
import { type ExpressModule, listening } from '../express/host.js'
import { warned } from './pages.js'

type Place = (app: Express, serve: Handler, refuse: ErrorHandler & Handler) => unknown

export function parsersInFront(express: ExpressModule): void {
  const { Router } = express
  const places: [name: string, url: string, mounted: Place, reached: Place][] = [
    ['a route', '/mcp', (app, serve) => app.post('/mcp', serve), (app, _, refuse) => app.use('/mcp', refuse)],
    [
      'a route with a path',
      '/ai/mcp',
      (app, serve) => app.all('/ai/mcp', serve),
      (app, _, refuse) => app.use('/ai/mcp', refuse),
    ],
    [
      'a router',
      '/api/mcp',
      (app, serve) => app.use('/api', Router().use(serve)),
      (app, _, refuse) => app.use('/api', refuse),
    ],
    [
      'a router in a router',
      '/api/v1/mcp',
      (app, serve) => app.use('/api', Router().use('/v1', Router().use(serve))),
      (app, _, refuse) => app.use('/api/v1', refuse),
    ],
    [
      'a route of a router',
      '/api/mcp',
      (app, serve) => app.use('/api', Router().post('/mcp', serve)),
      (app, _, refuse) => app.use('/api/mcp', refuse),
    ],
    [
      'a sub-app',
      '/api/mcp',
      (app, serve) => app.use('/api', express().use(serve)),
      (app, _, refuse) => app.use('/api', refuse),
    ],
  ]

  it.each(places)('answers what a parser throws in front of %s', async (_, path, mounted, reached) => {
    const { router, warnings } = warned()
    const app = express().use(express.json())
    const [serve, refuse] = mcp(router)
    mounted(app, serve, refuse)
    reached(app, serve, refuse)
    const { origin, errors } = await listening(app)
    const url = origin + path
    expectError(await post(url, '{"jsonrpc":'), 400, -32700)
    expectError(await post(url, rpc('ping', { text: 'x'.repeat(200_000) })), 413, -32600)
    expectError(await post(url, rpc('ping'), { 'Content-Type': 'application/json; charset=x' }), 415, -32600)
    expect((await post(url, rpc('ping'), { 'Content-Encoding': 'gzip' })).json.error).toBeDefined()
    expect((await post(url, rpc('ping'))).status).toBe(200)
    expect(errors).toEqual([])
    expect(await post(`${origin}/own`, '{"a":')).toMatchObject({ text: '<html>the page of the app</html>' })
    expect(errors).toHaveLength(1)
    expect(warnings()).toBe('')
  })

  it.each(places)('warns once where a parser stands in front of %s alone', async (_, path, mounted) => {
    const { router, warnings } = warned()
    const app = express().use(express.json())
    const both = mcp(router)
    mounted(app, both as never, both[1])
    const { origin } = await listening(app)
    for (const _ of [1, 2]) expect((await post(origin + path, rpc('ping'))).status).toBe(200)
    expect(warnings().match(/`jsonParser`/g)).toHaveLength(1)
    const prefix = /app\.use\('([^']*)', refuse\)/.exec(warnings())?.[1] ?? ''
    // What the warning says is what helps.
    const again = express().use(express.json())
    const pair = mcp(router)
    mounted(again, pair as never, pair[1])
    again.use(prefix, pair[1])
    expectError(await post((await listening(again)).origin + path, '{'), 400, -32700)
  })

  it('warns of none that is behind us, at another path, or in the same place', async () => {
    const { router, warnings } = warned()
    const app = express().use('/other', express.json())
    app.use('/a', Router().use(mcp(router)))
    app.use('/b', Router().use(express.json(), mcp(router)))
    app.post('/c/mcp', express.json(), mcp(router))
    app.use(express.json())
    const { origin } = await listening(app)
    for (const path of ['/a/mcp', '/b/mcp', '/c/mcp'])
      expect((await post(origin + path, rpc('ping'))).status).toBe(200)
    expect(warnings()).toBe('')
  })
}
