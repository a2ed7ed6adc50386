/** Koa as a host of the contract: an app with a login, parsers, a mount and a route of its own. */

import { once } from 'node:events'
import http from 'node:http'
import type koa3 from 'koa'
import type { Context, Middleware, Next } from 'koa'
import bodyParser from 'koa-bodyparser'
import compress from 'koa-compress'
import { mcp } from 'mcp-router/koa'
import { onTestFinished } from 'vitest'
import type { Headers } from '../../contract/client.js'
import type { Host, Parser, Setup, Skip, Started } from '../../contract/host.js'
import { type CreateServer, started } from '../node/host.js'

/** Koa 2 or 3, with the types of 3. */
export type KoaModule = typeof koa3
export type App = koa3
/** Middleware extends an app's types, which don't matter for listening. */
interface AnyApp extends Pick<App, 'callback'> {
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** Collects bytes, as apps do to check webhook signatures: Koa has no parser for them. */
async function bytes(ctx: Context, next: Next): Promise<void> {
  if (ctx.req.readableDidRead) return next()
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
  ;(ctx.request as { body?: unknown }).body = Buffer.concat(chunks)
  return next()
}

const parsers: Record<Parser, Middleware> = {
  json: bodyParser({ enableTypes: ['json'] }),
  raw: bytes,
  text: bodyParser({ enableTypes: ['text'], extendTypes: { text: ['*/*'] } }),
  urlencoded: bodyParser({ enableTypes: ['form'] }),
  pause: async (_ctx, next) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return next()
  },
  drained: async (ctx, next) => {
    await once(ctx.req.resume(), 'end')
    return next()
  },
}

/** An error of a Koa parser skips everything after the parser. */
const parserErrors: Skip = [
  /^refuses what is no JSON behind the parsers json/,
  'what a parser of Koa throws goes back to those in front of it, and never reaches the mount behind it',
]

interface Served {
  createServer?: CreateServer
  skips?: readonly Skip[]
}

export function koaHost(Koa: KoaModule, { createServer = http.createServer, skips = [] }: Served = {}): Host {
  return {
    parsers: ['json', 'raw', 'text', 'urlencoded', 'drained', 'pause'],
    skips: [parserErrors, ...skips],
    compresses: true,
    trustsProxies: true,
    start(setup) {
      const app = new Koa({ proxy: setup.trustProxy === true })
      prepare(app, setup)
      for (const parser of setup.parsers ?? []) app.use(parsers[parser])
      app.use(mcp(setup.router, setup.options as object))
      app.use((ctx, next) => {
        if (ctx.path !== '/own') return next()
        ctx.body = { own: true }
      })
      return listen(app, createServer)
    },
  }
}

function prepare(app: App, { login, headers, compress: compresses }: Setup): void {
  if (compresses === true) app.use(compress({ threshold: 0 }))
  if (headers !== undefined) {
    app.use((ctx, next) => {
      ctx.set(headers)
      return next()
    })
  }
  if (login !== undefined) {
    app.use((ctx, next) => {
      ctx.state.user = login(ctx.headers as Headers)
      return next()
    })
  }
}

/** Listens on a free port, and collects unhandled errors. */
export function listen(app: AnyApp, createServer: CreateServer = http.createServer): Promise<Started> {
  const errors: unknown[] = []
  app.on('error', (error: unknown) => {
    if (!isOfConnection(error, createServer === http.createServer)) errors.push(error)
  })
  return started(createServer(app.callback()), errors)
}

/** Koa reports invalid HTTP and broken HTTP/2 connections to the app, whatever is mounted. */
function isOfConnection(error: unknown, plain: boolean): boolean {
  const code = String((error as { code?: unknown }).code)
  return code.startsWith('HPE_') || (!plain && code === 'ECONNRESET')
}

/** Like `listen`, but closed at the end of the test. */
export async function listening(app: AnyApp): Promise<Started> {
  const running = await listen(app)
  onTestFinished(running.close)
  return running
}
