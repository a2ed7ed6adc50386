/** What docs/websocket.md takes for granted: an Express and a Fastify app, and their logins. */
import type { IncomingHttpHeaders } from 'node:http'
import express from 'express'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { User } from './user.js'

export type { User }

export const userOf = (headers: IncomingHttpHeaders): User | undefined => {
  const id = headers['x-user']
  return typeof id === 'string' ? { id } : undefined
}

export const app: express.Express = express()
app.use((req, _res, next) => {
  Object.assign(req, { user: userOf(req.headers) })
  next()
})

export const fastifyApp: FastifyInstance = Fastify()

export async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const user = userOf(request.headers)
  if (user === undefined) return reply.code(401).send({ error: 'who?' })
  Object.assign(request, { user })
  return undefined
}
