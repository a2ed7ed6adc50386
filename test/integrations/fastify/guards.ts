/** Existing hooks around a call: their refusals become the call's errors. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { guard, mcp } from 'mcp-router/fastify'
import { expect, it, onTestFinished } from 'vitest'
import { expectError, expectText, expectToolError } from '../../contract/expect.js'
import { admin, type GuardedApp, guardedApp, guardedRouter, guardSuite } from '../guarded.js'
import { create, type FastifyModules, listening } from './host.js'

type Hook = Parameters<typeof guard>[0]

/** An app whose router has guarded definitions of every kind. */
function guardedBy(modules: FastifyModules) {
  return async (
    hook: Hook | ((app: FastifyInstance) => Promise<Hook>),
    options: { without?: 'skip'; made?: boolean; exposeErrors?: false } = {},
  ): Promise<GuardedApp> => {
    const { made = false, exposeErrors = true, ...guardOptions } = options
    const app = create(modules)
    app.decorateReply('greeting', 'hello')
    app.addHook('onRequest', async (_request, reply) => void reply.header('X-Before', '1'))
    const given = made ? await (hook as (app: FastifyInstance) => Promise<Hook>)(app) : (hook as Hook)
    const guardedOnes = guardedRouter(guard(given, guardOptions), { exposeErrors })
    await app.register(mcp, { router: guardedOnes.router })
    const { origin, errors } = await listening(app)
    onTestFinished(() => expect(errors).toEqual([]))
    return guardedApp(guardedOnes, origin)
  }
}

const needsAdmin: Hook = (request, reply, done) => {
  if (request.headers['x-role'] === 'admin') return done()
  reply.code(403).send({ error: 'You need the role admin' })
}

export function guards(modules: FastifyModules): void {
  const guarded = guardedBy(modules)

  guardSuite<Hook>({
    guarded,
    guard,
    needsAdmin: {
      'calling back': needsAdmin,
      resolving: async (request, reply) => {
        if (request.headers['x-role'] !== 'admin')
          return reply.code(403).send({ error: 'You need the role admin' })
      },
    },
    pass: async () => {},
    challenge: async (_request, reply) => reply.code(401).header('WWW-Authenticate', 'Bearer').send(),
    respond:
      ({ status, headers, body }) =>
      async (_request, reply) =>
        reply.code(status).headers(headers).send(body),
  })

  it('runs a login of @fastify/jwt as a guard', async () => {
    let token = ''
    const { clients, ran } = await guarded(
      async (app: FastifyInstance) => {
        await app.register(modules.jwt, { secret: 'a secret for tokens of this test' })
        token = app.jwt.sign({ sub: 'ann' })
        return async (request: FastifyRequest, reply: FastifyReply) => {
          try {
            await request.jwtVerify()
          } catch (error) {
            reply.send(error)
          }
        }
      },
      { made: true },
    )
    for (const client of clients) {
      expect(expectToolError(await client.call('ban', {}))).toMatch(/authorization/i)
      expect(
        expectText(await client.call('ban', {}, { headers: { Authorization: `Bearer ${token}` } })),
      ).toMatch(/ran/)
    }
    expect(ran()).toBe(2)
  })

  it.each([
    [401, -31001],
    [403, -31003],
  ])('keeps status %i and its WWW-Authenticate, answered or thrown', async (status, code) => {
    const answered: Hook = async (_request, reply) =>
      reply.code(status).header('WWW-Authenticate', 'Bearer').send()
    const thrown: Hook = async (_request, reply) => {
      reply.header('WWW-Authenticate', 'Bearer')
      throw Object.assign(new Error('who are you?'), { statusCode: status })
    }
    for (const hook of [answered, thrown]) {
      const { clients } = await guarded(hook)
      for (const client of clients) {
        const refused = await client.call('ban', {})
        expectError(refused, status, code, 1)
        expect(refused.headers['www-authenticate']).toBe('Bearer')
        expect(refused.headers['x-before']).toBe('1')
      }
    }
  })

  it.each<[string, Hook]>([
    [
      'given to done()',
      (_request, _reply, done) => done(Object.assign(new Error('not now'), { statusCode: 409 })),
    ],
    [
      'thrown',
      (_request, _reply, _done) => {
        throw Object.assign(new Error('not now'), { statusCode: 409 })
      },
    ],
    ['rejected', async () => Promise.reject(Object.assign(new Error('not now'), { statusCode: 409 }))],
    [
      'sent',
      (_request, reply, _done) => void reply.send(Object.assign(new Error('not now'), { statusCode: 409 })),
    ],
  ])('takes an error that is %s for the refusal that it is', async (_, hook) => {
    const { clients, ran } = await guarded(hook)
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toContain('not now')
    expect(ran()).toBe(0)
  })

  it('masks an unexpected error of the hook', async () => {
    const hook = async () => Promise.reject(new Error('pg: hunter2'))
    const { clients, ran } = await guarded(hook, { exposeErrors: false })
    for (const client of clients)
      expect(expectToolError(await client.call('ban', {}))).toMatch(/^Internal error/)
    expect(ran()).toBe(0)
  })

  it.each<[string, Hook, RegExp]>([
    ['text', async (_request, reply) => reply.code(409).send('busy'), /busy/],
    ['bytes', async (_request, reply) => reply.code(403).send(Buffer.from('bytes')), /bytes/],
    ['nothing', async (_request, reply) => reply.code(403).send(), /^403 Forbidden$/],
    ['a redirection', async (_request, reply) => reply.redirect('/login'), /302|login/],
    ['callNotFound', (_request, reply, _done) => void reply.callNotFound(), /404/],
    [
      'the time to wait',
      async (_request, reply) => reply.code(429).header('Retry-After', '7').send('slow down'),
      /slow down.*7 seconds/,
    ],
    ['the raw response', (_request, reply, _done) => void reply.raw.writeHead(418).end('teapot'), /teapot/],
    [
      'a page',
      async (_request, reply) => reply.code(500).type('text/html').send('<html>x</html>'),
      /^(?!.*html).*500/,
    ],
  ])('reads a refusal that is %s', async (_, hook, message) => {
    const { clients, ran } = await guarded(hook)
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toMatch(message)
    expect(ran()).toBe(0)
  })

  it('drops changes that a hook made before it passed on, and has all decorators of the app', async () => {
    const seen: unknown[] = []
    const { clients } = await guarded(function (this: FastifyInstance, request, reply, done) {
      seen.push(
        request.headers['x-role'],
        reply.greeting,
        reply.request === request,
        reply.sent,
        this.server === request.server.server,
      )
      reply.code(201).header('X-Guard', '1').type('text/html')
      done()
    })
    const answer = await clients[1].call('ban', {}, admin)
    expectText(answer)
    expect(seen).toEqual(['admin', 'hello', true, false, true])
    expect(answer.headers).not.toHaveProperty('x-guard')
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.headers['x-before']).toBe('1')
  })

  it('uses only the first outcome of a hook', async () => {
    const { clients, ran } = await guarded((_request, reply, done) => {
      done()
      done(new Error('too late'))
      reply.code(403).send('too late')
    })
    for (const client of clients) expect(expectText(await client.call('ban', {}))).toMatch(/^ran/)
    expect(ran()).toBe(2)
  })

  it("throws at once for a value that isn't a hook", () => {
    expect(() => guard('x' as never)).toThrow(/hook function/)
    expect(() => guard(((_a: 1, _b: 2, _c: 3, _d: 4) => {}) as never)).toThrow(/hook function/)
  })
}
