/** A Fastify app whose routes are guarded. */

import fastify from 'fastify'
import { McpRouter } from 'mcp-router'
import type { FastifyApp } from '../../../../integrations/fastify/routes-discovery.js'
import { fastifyRoutes, routeSource } from '../../../../integrations/fastify/routes-source.js'
import { connectRoutes } from '../../../../src/route-adapter.js'

const app = fastify()
const router = new McpRouter<object>({ name: 'shop', version: '1.0.0' })
app.decorate('mcp', router)
const source = routeSource(app as unknown as FastifyApp)
connectRoutes(router, fastifyRoutes(source), { routes: { include: ['* /**'] }, app })
app.register(async (scope) => {
  scope.addHook('onRequest', async function verifyJWT() {})
  scope.post('/orders', async () => ({}))
})

export default app
