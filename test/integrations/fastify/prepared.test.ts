/** The user that `prepare` sets is in `request.user`, where Fastify's hooks and routes look for it. */

import { createRequire } from 'node:module'
import type fastify from 'fastify'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { McpRouter } from 'mcp-router'
import mcp from 'mcp-router/fastify'
import { expect, onTestFinished, test } from 'vitest'
import { modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { read } from '../route-tools/serve.js'

const load = createRequire(import.meta.url)
const userOf = (request: FastifyRequest): unknown => (request as { user?: unknown }).user
const gateway = { headers: { 'X-Gateway-Key': 'k' } }

test.each([
  ['fastify4', 'without a decorator', undefined],
  ['fastify4', 'with one', (app: FastifyInstance) => app.decorateRequest('user', null as never)],
  ['fastify', 'without a decorator', undefined],
  ['fastify', 'with one', (app: FastifyInstance) => app.decorateRequest('user', null as never)],
  ['fastify', 'with a getter', (app: FastifyInstance) => app.decorateRequest('user', { getter: () => null })],
])('%s, %s', async (module, _, decorate) => {
  const router = new McpRouter<object>({ logger: quiet })
  const app = (load(module) as typeof fastify)()
  onTestFinished(() => app.close())
  decorate?.(app)
  await app.register(mcp, {
    router,
    user: (request: FastifyRequest) => (request.headers['x-gateway-key'] === 'k' ? { id: 'ana' } : undefined),
    routes: {
      prepare: (req: { user?: unknown }, ctx: { user?: unknown }) => {
        if (ctx.user !== undefined) req.user = ctx.user
      },
    },
  } as never)
  app.get(
    '/who',
    {
      config: { mcp: { name: 'who', description: 'Who' } },
      preHandler: async function requireUser(request) {
        if (request.headers['x-open'] === undefined && userOf(request) == null) throw new Error('nobody')
      },
    },
    async (request) => ({ user: userOf(request) }),
  )
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const client = modern(`${origin}/mcp`)
  expect(read(await client.call('who', {}, gateway)).text).toBe('{"user":{"id":"ana"}}')
  expect(read(await client.call('who')).isError).toBe(true)
  const { user = null } = (await (await fetch(`${origin}/who`, { headers: { 'X-Open': '1' } })).json()) as {
    user?: unknown
  }
  expect(user).toBeNull()
  const posture = router.list().find(({ name }) => name === 'who')
  expect(posture?.route?.guards).toEqual(['requireUser'])
})
