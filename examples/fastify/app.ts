/** A small API on Fastify: a login, two routes with schemas, and MCP at /mcp behind the same login. */

import fastifyJwt from '@fastify/jwt'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { mcp } from 'mcp-router/fastify'
import { createRouter, type User } from './mcp.js'
import { Notes } from './notes.js'

declare module '@fastify/jwt' {
  interface FastifyJWT {
    user: User
  }
}

const passwords: Readonly<Record<string, string>> = { ana: 'correct horse', ben: 'battery staple' }
const aLogin = {
  type: 'object',
  required: ['name', 'password'],
  properties: { name: { type: 'string' }, password: { type: 'string' } },
}
const aText = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } }

export async function createApp(secret: string, logger = false): Promise<FastifyInstance> {
  const app = Fastify({ logger })
  const notes = new Notes()
  await app.register(fastifyJwt, { secret })
  const authenticate = async (request: FastifyRequest): Promise<void> => {
    await request.jwtVerify()
  }

  app.post<{ Body: { name: string; password: string } }>(
    '/login',
    { schema: { body: aLogin } },
    async ({ body }, reply) => {
      const { name, password } = body
      if (!Object.hasOwn(passwords, name) || passwords[name] !== password)
        return reply.code(401).send({ error: 'wrong name or password' })
      return { token: app.jwt.sign({ sub: name }, { expiresIn: '1h' }) }
    },
  )
  app.get('/notes', { onRequest: authenticate }, async ({ user }) => notes.of(user.sub))
  app.post<{ Body: { text: string } }>(
    '/notes',
    { onRequest: authenticate, schema: { body: aText } },
    async ({ user, body }, reply) => reply.code(201).send(notes.add(user.sub, body.text)),
  )

  await app.register(mcp, { router: createRouter(), onRequest: authenticate, context: () => ({ notes }) })
  return app
}
