import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { McpRouter } from 'mcp-router'
import { guard, mcp } from 'mcp-router/fastify'
import { is } from '../is.js'

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const app = Fastify()
const db = { find: String }
const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  if (request.ip === '') await reply.code(403).send()
}

// What `Register` promises, the options must bring.
await app.register(mcp, { router, context: () => ({ db }) })
await app.register(mcp, {
  router,
  prefix: '/v1',
  onRequest,
  preValidation: [onRequest],
  preHandler: (_request, _reply, done) => done(),
  user: (request) => {
    is<FastifyRequest>()(request)
    return { id: 1, role: 'admin' }
  },
  context: async (request) => {
    is<string>()(request.id)
    return { db }
  },
})
// @ts-expect-error `db` was promised
await app.register(mcp)
// @ts-expect-error `db` was promised
await app.register(mcp, { router })
// @ts-expect-error a wrong `db`
await app.register(mcp, { router, context: () => ({ db: 1 }) })
// @ts-expect-error a wrong user
await app.register(mcp, { router, context: () => ({ db }), user: () => 'somebody' })
// @ts-expect-error no such option
await app.register(mcp, { router, context: () => ({ db }), pathh: '/x' })
// @ts-expect-error no hook
await app.register(mcp, { router, context: () => ({ db }), onRequest: 'authenticate' })

// An app on HTTP/2, or with types of its own, takes the same plugin.
await Fastify({ http2: true }).register(mcp, { router, context: () => ({ db }) })
await app.withTypeProvider().register(mcp, { router, context: () => ({ db }) })

is<McpRouter>()(app.mcp)
router.use(guard(onRequest))
router.use(guard((_request: FastifyRequest, _reply: FastifyReply, done: () => void) => done()))
