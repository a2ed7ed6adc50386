/** The app of the route tests in Fastify. */

import { Readable } from 'node:stream'
import type multipart from '@fastify/multipart'
import type fastify5 from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import createError from 'http-errors'
import { isToolCall, mcp } from 'mcp-router/fastify'
import { listen } from '../fastify/host.js'
import type { Api, ApiRoute, Asked, RouteHost, UploadedFile } from './host.js'
import { callerOf, requestStore } from './login.js'

export interface RouteModules {
  readonly fastify: typeof fastify5
  readonly multipart: typeof multipart
  /** Where the mount, the login and the routes are. Default: the app itself. */
  readonly place?: 'scope'
}

/** Fastify wants the member to be there from the start. */
const userOf = (request: FastifyRequest): Asked['user'] | null =>
  request.user as unknown as Asked['user'] | null

export function fastifyRouteHost(name: string, { fastify, multipart, place }: RouteModules): RouteHost {
  return {
    name,
    async start(api) {
      const { parseQuery } = api
      const app = fastify(parseQuery === undefined ? {} : { querystringParser: parseQuery })
      app.decorate('errors', [])
      if (place === 'scope') await app.register(async (scope) => fill(scope, api, multipart))
      else await fill(app, api, multipart)
      const started = await listen(app)
      return { ...started, listener: (req, res) => app.routing(req, res), add: undefined }
    },
  }
}

async function fill(
  app: FastifyInstance,
  { router, options, routes }: Api,
  upload: RouteModules['multipart'],
): Promise<void> {
  app.decorateRequest('user', null as never)
  app.addHook('onRequest', (request, _reply, done) => {
    const user = callerOf(request.headers.authorization)
    if (user !== undefined) Object.assign(request, { user })
    requestStore.run(user, done)
  })
  await app.register(mcp, { router, ...options } as object)
  await app.register(upload, { limits: { fileSize: 1_000 } })
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  for (const { method, path, marker, guarded, uploads, run } of routes) {
    app[method](
      path,
      {
        preHandler: guarded === true ? [requireLogin] : [],
        config: { mcp: marker } as object,
      },
      async (request, reply) => serve(run, { request, reply, files: uploads === 'form' }),
    )
  }
}

async function requireLogin(request: FastifyRequest): Promise<void> {
  if (userOf(request) === null) throw createError(401, 'Log in first')
}

async function serve(
  run: ApiRoute['run'],
  { request, reply, files }: { request: FastifyRequest; reply: FastifyReply; files: boolean },
): Promise<unknown> {
  const left = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) left.abort()
  })
  const parts = files ? await partsOf(request) : { files: [], body: request.body }
  const {
    status = 200,
    headers = {},
    body,
    pieces,
  } = await run({
    user: userOf(request) ?? undefined,
    params: request.params as Asked['params'],
    query: request.query as Asked['query'],
    ...parts,
    isToolCall: isToolCall(request),
    headers: request.headers,
    left: left.signal,
  })
  reply.code(status).headers(headers)
  return reply.send(pieces === undefined ? body : Readable.from(pieces, { objectMode: false }))
}

async function partsOf(
  request: FastifyRequest,
): Promise<{ files: UploadedFile[]; body: Record<string, unknown> }> {
  const files: UploadedFile[] = []
  const body: Record<string, unknown> = {}
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      const text = (await part.toBuffer()).toString()
      files.push({ field: part.fieldname, name: part.filename, type: part.mimetype, text })
    } else body[part.fieldname] = part.value
  }
  return { files, body }
}
