/** Express as a host of the contract: an app with a login, parsers, a mount and a route of its own. */

import type { AddressInfo } from 'node:net'
import compression from 'compression'
import type express5 from 'express'
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express'
import { mcp } from 'mcp-router/express'
import { onTestFinished } from 'vitest'
import type { Headers } from '../../contract/client.js'
import type { Host, Parser, Setup, Started } from '../../contract/host.js'

/** Express 4 or 5, with the types of 5. */
export type ExpressModule = typeof express5

export function expressHost(express: ExpressModule): Host {
  const parsers: Record<Parser, RequestHandler> = {
    json: express.json(),
    raw: express.raw({ type: '*/*' }),
    text: express.text({ type: '*/*' }),
    urlencoded: express.urlencoded({ extended: true }),
    pause: (_req, _res, next) => void setTimeout(next, 5),
    drained: (req, _res, next) => void req.resume().on('end', () => next()),
  }
  return {
    parsers: ['json', 'raw', 'text', 'urlencoded', 'drained', 'pause'],
    compresses: true,
    trustsProxies: true,
    start(setup) {
      const app = express()
      app.disable('x-powered-by')
      prepare(app, setup)
      for (const parser of setup.parsers ?? []) app.use(parsers[parser])
      app.use(mcp(setup.router, setup.options as object))
      app.get('/own', (_req, res) => void res.json({ own: true }))
      return listen(app)
    },
  }
}

function prepare(app: Express, { login, headers, trustProxy, compress }: Setup): void {
  if (trustProxy === true) app.set('trust proxy', true)
  if (compress === true) app.use(compression({ threshold: 0 }))
  if (headers !== undefined) {
    app.use((_req, res, next) => {
      res.set(headers)
      next()
    })
  }
  if (login !== undefined) {
    app.use((req, _res, next) => {
      ;(req as { user?: unknown }).user = login(req.headers as Headers)
      next()
    })
  }
}

/** Listens on a free port. The last error handler collects unhandled errors. */
export async function listen(app: Express): Promise<Started> {
  const errors: unknown[] = []
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    errors.push(error)
    if (!res.headersSent) res.status(500).send('<html>the page of the app</html>')
  })
  const server = app.listen(0, '127.0.0.1')
  // A client on a busy machine may send its next request after the default of five seconds.
  server.keepAliveTimeout = 60_000
  await new Promise((resolve) => server.once('listening', resolve))
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, errors, close }
}

/** Like `listen`, but closed at the end of the test. */
export async function listening(app: Express): Promise<Started> {
  const started = await listen(app)
  onTestFinished(started.close)
  return started
}
