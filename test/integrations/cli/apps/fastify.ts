/** A Fastify app whose routes are guarded. */

import fastify from 'fastify'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fastify'

const app = fastify()
app.register(async (outer) => {
  await outer.register(mcp, {
    router: new McpRouter<object>({ name: 'shop', version: '1.0.0' }),
    routes: { include: ['* /**'] },
  } as object)
  outer.register(async (scope) => {
    scope.addHook('onRequest', async function verifyJWT() {})
    scope.post('/orders', async () => ({}))
  })
})

export default app
