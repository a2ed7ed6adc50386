/** Fastify as a host of the contract: an app with a login, parsers, a mount and a route of its own. */

import type { AddressInfo } from 'node:net'
import type compress from '@fastify/compress'
import type cookie from '@fastify/cookie'
import type cors from '@fastify/cors'
import type helmet from '@fastify/helmet'
import type jwt from '@fastify/jwt'
import type * as passport from '@fastify/passport'
import type secureSession from '@fastify/secure-session'
import type session from '@fastify/session'
import type fastify5 from 'fastify'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { mcp } from 'mcp-router/fastify'
import { onTestFinished } from 'vitest'
import type { Headers } from '../../contract/client.js'
import type { Host, Parser, Setup, Skip, Started } from '../../contract/host.js'

/** Fastify 4 or 5 and its plugins, with the types of 5. */
export interface FastifyModules {
  readonly fastify: typeof fastify5
  readonly compress: typeof compress
  readonly cookie: typeof cookie
  readonly cors: typeof cors
  readonly helmet: typeof helmet
  readonly jwt: typeof jwt
  readonly passport: Pick<typeof passport, 'Authenticator' | 'Strategy'>
  readonly secureSession: typeof secureSession
  readonly session: typeof session
  /** Options that this major version needs. */
  readonly options?: FastifyServerOptions
}

export function fastifyHost(modules: FastifyModules, skips: readonly Skip[] = []): Host {
  return {
    parsers: ['json', 'raw', 'text', 'urlencoded', 'drained', 'pause'],
    compresses: true,
    trustsProxies: true,
    skips,
    async start(setup) {
      const app = create(modules, { trustProxy: setup.trustProxy ?? false, ...modules.options })
      // Fastify 5 routes WebDAV methods only if they are added.
      if ('addHttpMethod' in app) app.addHttpMethod('PROPFIND', { hasBody: true })
      await prepare(app, modules, setup)
      for (const parser of new Set(setup.parsers)) parsers[parser](app)
      await app.register(mcp, { router: setup.router, ...setup.options } as object)
      app.get('/own', async () => ({ own: true }))
      return listen(app)
    },
  }
}

/** An app whose error handler collects unhandled errors, and responds with its own page. */
export function create({ fastify }: FastifyModules, options: FastifyServerOptions = {}): FastifyInstance {
  const app = fastify(options)
  const errors: unknown[] = []
  app.decorate('errors', errors)
  app.setErrorHandler(async (error, _request, reply) => {
    errors.push(error)
    const { statusCode = 500 } = error as { statusCode?: number }
    return reply.code(statusCode).type('text/html').send('<html>the page of the app</html>')
  })
  return app
}

/** Parsers for the app's own routes. A hook reads the stream before parsers do. */
const parsers: Record<Parser, (app: FastifyInstance) => void> = {
  json: (app) =>
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: unknown, body: unknown) => JSON.parse(String(body)),
    ),
  raw: (app) =>
    app.addContentTypeParser(
      /^application\//,
      { parseAs: 'buffer' },
      async (_request: unknown, body: unknown) => body,
    ),
  text: (app) =>
    app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: unknown) => body),
  urlencoded: (app) =>
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_request: unknown, body: unknown) => Object.fromEntries(new URLSearchParams(String(body))),
    ),
  pause: (app) => app.addHook('onRequest', (_request, _reply, done) => void setTimeout(done, 5)),
  drained: (app) =>
    app.addHook('onRequest', ({ raw }, _reply, done) => void raw.resume().on('end', () => done())),
}

async function prepare(
  app: FastifyInstance,
  { compress }: FastifyModules,
  { login, headers, compress: compresses }: Setup,
): Promise<void> {
  if (compresses === true) await app.register(compress, { threshold: 0, customTypes: () => true })
  if (headers !== undefined) {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers(headers)
    })
  }
  if (login === undefined) return
  app.decorateRequest('user', null as never)
  app.addHook('onRequest', async (request) => {
    ;(request as { user?: unknown }).user = login(request.headers as Headers) ?? undefined
  })
}

/** Listens on a free port. */
export async function listen(app: FastifyInstance): Promise<Started> {
  const { errors } = app as unknown as { errors: unknown[] }
  await app.listen({ port: 0, host: '127.0.0.1' })
  const close = async (): Promise<void> => {
    app.server.closeAllConnections()
    await app.close()
  }
  const { port } = app.server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, errors, close, stop: () => app.close() }
}

/** Like `listen`, but closed at the end of the test. */
export async function listening(app: FastifyInstance): Promise<Started> {
  const started = await listen(app)
  onTestFinished(started.close)
  return started
}
