/** Hono on Node as a host of the contract: a login and parsers as middleware, the mount as a route. */

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpBindings, type ServerType, serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono, type MiddlewareHandler } from 'hono'
import { mcp } from 'mcp-router/fetch'
import type { Headers as SentHeaders } from '../../contract/client.js'
import { mountContract } from '../../contract/contract.js'
import type { Host, Parser, Setup, Skip } from '../../contract/host.js'
import { resolved } from './host.js'

type Env = { Bindings: HttpBindings; Variables: { user: unknown; body: unknown } }

/** Hono caches parsed bodies for later readers. */
const parsers: Readonly<Record<Exclude<Parser, 'json' | 'urlencoded'>, MiddlewareHandler<Env>>> = {
  text: async (c, next) => {
    c.set('body', await c.req.text())
    await next()
  },
  raw: async (c, next) => {
    c.set('body', await c.req.arrayBuffer())
    await next()
  },
  drained: async (c, next) => {
    await c.req.blob()
    await next()
  },
  pause: async (_c, next) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    await next()
  },
}
const known = Object.keys(parsers) as (keyof typeof parsers)[]
const skips: readonly Skip[] = [
  resolved,
  [
    /^aborts both calls of a connection that breaks/,
    'the adapter hears of it when earlier responses have ended',
  ],
  [/^refuses a request without a host/, 'the adapter answers 400 itself'],
]

const host: Host = {
  parsers: known,
  compresses: false,
  trustsProxies: false,
  readsWholeUrls: true,
  skips,
  async start(setup) {
    const errors: unknown[] = []
    const app = appOf(setup)
    app.onError((error, c) => {
      errors.push(error)
      return c.html('<html>the page of the app</html>', 500)
    })
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false })
    return { ...(await listening(server)), errors }
  },
}

function appOf({ router, options, login, parsers: wanted = [], headers = {} }: Setup): Hono<Env> {
  const handler = mcp(router, options as object)
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(headers)) c.header(name, value, { append: true })
  })
  app.use(async (c, next) => {
    c.set('user', login?.(c.req.header() as SentHeaders))
    await next()
  })
  for (const parser of wanted) app.use(parsers[parser as keyof typeof parsers])
  app.get('/own', (c) => c.json({ own: true }))
  app.all('*', (c) => {
    const own = options.user === undefined && { user: c.get('user') }
    return handler(c.req.raw, { ...own, body: c.get('body'), peerAddress: getConnInfo(c).remote.address })
  })
  return app
}

async function listening(type: ServerType): Promise<{ origin: string; close(): Promise<void> }> {
  const server = type as Server // without `createServer` it is one of node:http
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

mountContract('Hono', host)
