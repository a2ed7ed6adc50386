/** Logins of the app between a browser and the endpoint. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { mcp } from 'mcp-router/fastify'
import { expect, it } from 'vitest'
import { create, type FastifyModules, listening } from '../fastify/host.js'
import { allowedOrigins, expectPagesToGetThrough, pages, signedIn, warned } from './pages.js'

const login = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
  request.headers.authorization === undefined
    ? reply.code(401).header('WWW-Authenticate', 'Bearer').send({ error: 'log in' })
    : undefined
const failing = async (request: FastifyRequest): Promise<void> => {
  if (request.headers.authorization !== undefined) return
  throw Object.assign(new Error('log in'), { statusCode: 401 })
}

export function corsLogin(modules: FastifyModules): void {
  it.each([
    ['onRequest', login],
    ['onRequest', failing],
    ['preHandler', login],
  ])('lets pages through to a login that `register` is given as %s', async (hook, check) => {
    const { router, warnings } = warned()
    const app = create(modules)
    await app.register(mcp, { router, cors: allowedOrigins, [hook]: check } as object)
    const { origin } = await listening(app)
    await expectPagesToGetThrough(`${origin}/mcp`)
    expect(warnings()).not.toContain('login')
  })

  it('lets pages through where @fastify/cors stands in front of the login of the app', async () => {
    const { router, warnings } = warned()
    const app = create(modules)
    await app.register(modules.cors, pages)
    app.addHook('onRequest', login)
    await app.register(mcp, { router, allowedOrigins } as object)
    const { origin } = await listening(app)
    await expectPagesToGetThrough(`${origin}/mcp`)
    expect(warnings()).not.toContain('login')
  })

  it('warns of a login of the app that refuses preflights', async () => {
    const { router, warnings } = warned()
    const app = create(modules)
    app.addHook('onRequest', login)
    await app.register(mcp, { router, cors: allowedOrigins } as object)
    const { origin } = await listening(app)
    for (const _ of [1, 2]) expect((await signedIn(`${origin}/mcp`)).status).toBe(200)
    expect(warnings().match(/CORS behind a login/g)).toHaveLength(1)
  })
}
