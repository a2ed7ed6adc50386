/** The logins of Fastify apps: @fastify/jwt, @fastify/passport with sessions and tokens, @fastify/session, API keys. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mcp } from 'mcp-router/fastify'
import { it } from 'vitest'
import { create, type FastifyModules, listening } from '../fastify/host.js'
import {
  apiKeys,
  byApiKey,
  byPassword,
  byToken,
  knowing,
  passwords,
  proveNobody,
  proveRefused,
  proveUsers,
  secret,
} from './proof.js'
import { passwordStrategy, tokenStrategy } from './strategies.js'

export type LoginModules = Pick<
  FastifyModules,
  'fastify' | 'cookie' | 'jwt' | 'passport' | 'secureSession' | 'session'
>

export function fastifyLogins(modules: LoginModules): void {
  const createApp = (): FastifyInstance => create(modules as FastifyModules)

  it('@fastify/jwt', async () => {
    const app = createApp()
    await app.register(modules.jwt, { secret })
    const onRequest = async (request: FastifyRequest) => void (await request.jwtVerify())
    await app.register(mcp, { router: knowing(), onRequest } as never)
    const { origin } = await listening(app)
    await proveUsers(`${origin}/mcp`, byToken)
    await proveRefused(`${origin}/mcp`)
  })

  it('@fastify/passport with sessions', async () => {
    const app = createApp()
    const passport = await withPassport(app, modules)
    app.post('/login', { preValidation: passport.authenticate('local') as never }, async () => ({ ok: true }))
    await app.register(mcp, { router: knowing() } as never)
    const { origin } = await listening(app)
    await proveUsers(`${origin}/mcp`, byPassword(origin))
    await proveNobody(`${origin}/mcp`)
  })

  it('@fastify/passport with tokens', async () => {
    const app = createApp()
    const passport = await withPassport(app, modules)
    const preValidation = passport.authenticate('jwt', { session: false })
    await app.register(mcp, { router: knowing(), preValidation } as never)
    const { origin } = await listening(app)
    await proveUsers(`${origin}/mcp`, byToken)
    await proveRefused(`${origin}/mcp`)
  })

  it('@fastify/session alone, by the option `user`', async () => {
    const app = createApp()
    await app.register(modules.cookie)
    await app.register(modules.session, { secret, cookie: { secure: false } })
    app.post('/login', async (request, reply) => {
      const { username = '', password } = request.body as Record<string, string>
      if (passwords[username] !== password) return reply.code(401).send()
      Object.assign(request.session, { user: { name: username } })
      return { ok: true }
    })
    const user = ({ session }: FastifyRequest) => (session as { user?: unknown }).user
    await app.register(mcp, { router: knowing(), user } as never)
    const { origin } = await listening(app)
    await proveUsers(`${origin}/mcp`, byPassword(origin))
    await proveNobody(`${origin}/mcp`)
  })

  it('API keys', async () => {
    const app = createApp()
    app.decorateRequest('user', null as never)
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      const user = apiKeys.get(request.headers['x-api-key'])
      if (user === undefined) return reply.code(401).send({ error: 'Unknown API key' })
      Object.assign(request, { user })
    }
    await app.register(mcp, { router: knowing(), onRequest } as never)
    const { origin } = await listening(app)
    await proveUsers(`${origin}/mcp`, byApiKey)
    await proveRefused(`${origin}/mcp`, { 'X-Api-Key': 'key-of-eve' })
  })
}

async function withPassport(app: FastifyInstance, modules: LoginModules) {
  const passport = new modules.passport.Authenticator()
  await app.register(modules.secureSession, { key: Buffer.alloc(32, 7), cookie: { path: '/' } })
  await app.register(passport.initialize())
  await app.register(passport.secureSession())
  passport.registerUserSerializer(async (user: { id: string }) => user.id)
  passport.registerUserDeserializer(async (id: string) => ({ id }))
  passport.use('local', passwordStrategy() as never)
  passport.use('jwt', tokenStrategy() as never)
  return passport
}
