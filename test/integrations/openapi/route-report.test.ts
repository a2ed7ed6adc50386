/** The report of `router.list()` about a document's tools: their guards, or why those are unknown. */

import express, { type RequestHandler } from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { asTool, mcp as expressMcp } from 'mcp-router/express'
import { mcp as fastifyMcp } from 'mcp-router/fastify'
import { addOpenApi } from 'mcp-router/openapi'
import { expect, it, onTestFinished } from 'vitest'
import { documentOf, silentRouter } from './documents.js'

const operation = (operationId: string) => ({ operationId, responses: {} })
const document = documentOf({
  '/tasks/{id}': { get: operation('look'), put: operation('change') },
  '/nowhere': { get: operation('miss') },
})
const requireLogin: RequestHandler = (_req, _res, next) => next()
const checkBadge: RequestHandler = (_req, _res, next) => next()
const ok: RequestHandler = (_req, res) => void res.json({})

function expressApp() {
  const app = express()
  app.use(express.json())
  app.get('/tasks/:taskId', checkBadge, ok)
  app.put('/tasks/:taskId', requireLogin, ok)
  return app
}

const postureOf = (router: ReturnType<typeof silentRouter>, name: string) => {
  const { guards, guardsUnread, checksCaller, schemaSource } = router.get('tool', name)?.route ?? {}
  return { guards, guardsUnread, checksCaller, schemaSource }
}

it('shows the guards of the app’s own routes, once a mount reads the app', async () => {
  const app = expressApp()
  const router = silentRouter()
  await addOpenApi(router, document, { app })
  const unknown = { guards: [], checksCaller: 'unknown', schemaSource: 'openapi' }
  expect(postureOf(router, 'change')).toEqual({
    ...unknown,
    guardsUnread: expect.stringContaining('no mount of this router reads the app'),
  })
  app.use(expressMcp(router, { routes: { guards: ['checkBadge'] } }) as unknown as RequestHandler)
  expect(postureOf(router, 'change')).toEqual({
    guards: ['jsonParser', 'requireLogin'],
    guardsUnread: undefined,
    checksCaller: 'yes',
    schemaSource: 'openapi',
  })
  expect(postureOf(router, 'look')).toMatchObject({
    guards: ['jsonParser', 'checkBadge'],
    checksCaller: 'yes',
  })
  expect(postureOf(router, 'miss')).toEqual({
    ...unknown,
    guardsUnread: 'no readable route of the app has its method and path',
  })
})

it('knows no guards if constraints decide which route of an app handles a call', async () => {
  const app = Fastify()
  const router = silentRouter()
  await app.register(fastifyMcp, { router })
  const onRequest = async function requireLogin() {}
  app.put('/tasks/:id', { constraints: { host: 'a.example.com' }, onRequest }, async () => ({}))
  app.put('/tasks/:id', async () => ({}))
  await addOpenApi(router, document, { app })
  expect(postureOf(router, 'change')).toMatchObject({
    checksCaller: 'unknown',
    guardsUnread: expect.stringContaining('constraints'),
  })
  await app.close()
})

it('reads the guards of a Fastify app', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  const router = silentRouter()
  await app.register(fastifyMcp, { router } as never)
  app.put('/tasks/:x', { preHandler: [async function verifyJWT() {}] }, async () => ({}))
  await addOpenApi(router, document, { app })
  await app.ready()
  expect(postureOf(router, 'change')).toMatchObject({ guards: ['verifyJWT'], checksCaller: 'yes' })
})

it('knows no guards of an app that no mount reads', async () => {
  const router = silentRouter()
  expressApp().use(expressMcp(router) as unknown as RequestHandler)
  await addOpenApi(router, document, { app: new Koa() })
  expect(postureOf(router, 'change')).toMatchObject({ checksCaller: 'unknown' })
})

it('knows no guards of another server, and names the server', async () => {
  const router = silentRouter()
  await addOpenApi(router, document, { baseUrl: 'https://billing.example.com/v1' })
  expect(postureOf(router, 'change')).toEqual({
    guards: [],
    guardsUnread: 'it runs at https://billing.example.com, whose checks are unknown',
    checksCaller: 'unknown',
    schemaSource: 'openapi',
  })
})

it("knows of a check inside a handler if the operation or the app's route declares it", async () => {
  const remote = silentRouter()
  const said = documentOf({ '/tasks/{id}': { put: { ...operation('change'), 'x-mcp': { guarded: true } } } })
  await addOpenApi(remote, said, { baseUrl: 'https://a.example' })
  expect(postureOf(remote, 'change')).toMatchObject({ checksCaller: 'yes' })
  const app = express()
  const router = silentRouter()
  app.use(expressMcp(router) as unknown as RequestHandler)
  app.put('/tasks/:id', asTool({ name: 'own', guarded: true }) as unknown as RequestHandler, ok)
  await addOpenApi(router, document, { app })
  router.list({ app })
  expect(postureOf(router, 'change')).toMatchObject({ checksCaller: 'yes' })
})
