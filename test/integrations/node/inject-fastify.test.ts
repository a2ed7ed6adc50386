/** Inner requests through complete Fastify apps. */

import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { fastifyDispatch } from '../../../integrations/node/inject/fastify-app.js'
import { isToolCall } from '../../../integrations/node/inject/tool-call.js'
import { toMultipart } from '../../../src/routes/request/encode-body.js'
import { call, load, outerWith, type Untyped } from './inject-call.js'

const plugins: Record<string, Record<string, string>> = {
  fastify: {
    cookie: '@fastify/cookie',
    session: '@fastify/session',
    multipart: '@fastify/multipart',
    helmet: '@fastify/helmet',
    cors: '@fastify/cors',
    compress: '@fastify/compress',
    jwt: '@fastify/jwt',
  },
  fastify4: {
    cookie: 'fastify4-cookie',
    session: 'fastify4-session',
    multipart: 'fastify4-multipart',
    helmet: 'fastify4-helmet',
    cors: 'fastify4-cors',
    compress: 'fastify4-compress',
    jwt: 'fastify4-jwt',
  },
}

async function build(name: string) {
  const fastify = await load(name)
  const named = plugins[name] as Record<string, string>
  const plugin = (key: string) => load(named[key] as string)
  const aborted: string[] = []
  const app = fastify({ trustProxy: 'loopback' })
  const secret = 'a secret that is longer than thirty-two characters'
  app.register(await plugin('cookie'))
  app.register(await plugin('session'), { secret, cookie: { secure: false }, saveUninitialized: false })
  app.register(await plugin('multipart'))
  app.register(await plugin('helmet'))
  app.register(await plugin('cors'), { origin: true })
  app.register(await plugin('compress'), { threshold: 0 })
  app.register(await plugin('jwt'), { secret })
  app.register(async (scope: Untyped) => {
    const params = { type: 'object', properties: { id: { type: 'integer' } } }
    const response = { 200: { type: 'object', properties: { id: { type: 'integer' } } } }
    scope.get('/task/:id', { schema: { params, response } }, (req: Untyped) => ({
      id: req.params.id,
      secret: 1,
    }))
    scope.post('/echo', (req: Untyped, reply: Untyped) => reply.code(201).send({ body: req.body ?? null }))
    scope.post('/login', (req: Untyped) => {
      req.session.name = req.body.name
      return {}
    })
    scope.get('/session', (req: Untyped) => ({ name: req.session.name ?? null }))
    scope.get('/me', { onRequest: (req: Untyped) => req.jwtVerify() }, (req: Untyped) => ({
      id: req.user.sub,
    }))
    scope.get('/who', (req: Untyped) => ({
      ip: req.ip,
      host: req.hostname,
      protocol: req.protocol,
      model: isToolCall(req),
    }))
    scope.get('/stream', (_req: Untyped, reply: Untyped) =>
      reply.type('text/plain').send(Readable.from(['a', 'b'])),
    )
    scope.get('/broken', () => {
      throw new Error('inside')
    })
    scope.post('/upload', async (req: Untyped) => {
      const file = await req.file()
      return { name: file.filename, type: file.mimetype, size: (await file.toBuffer()).length }
    })
    scope.get('/endless', (_req: Untyped, reply: Untyped) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
      reply.raw.write('data: 1\n\n')
      reply.raw.on('close', () => aborted.push('closed'))
    })
  })
  return { app, aborted, token: () => app.jwt.sign({ sub: 'ann' }) }
}

describe.each(['fastify', 'fastify4'])('%s', async (name) => {
  const { app, aborted, token } = await build(name)
  const dispatch = fastifyDispatch(app)

  it("waits for the plugins of an app that isn't started", async () => {
    expect((await call(dispatch, 'GET /task/7')).json).toEqual({ id: 7 })
  })

  it("waits for the whole app if it gets a plugin's scope", async () => {
    const whole = (await load(name))()
    const scopes: Untyped[] = []
    await whole.register(async (scope: Untyped) => void scopes.push(scope))
    whole.register(async (later: Untyped) => void later.get('/late', async () => ({ late: true })))
    const scoped = fastifyDispatch(scopes[0])
    for (const _ of [1, 2]) expect((await call(scoped, 'GET /late')).json).toEqual({ late: true })
    await whole.close()
  })

  it('responds as over the network', async () => {
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const path of ['/task/7', '/task/x', '/stream', '/broken', '/nope']) {
      const real = await fetch(origin + path, { headers: { 'accept-encoding': 'identity' } })
      const inner = await call(dispatch, `GET ${path}`)
      expect([path, inner.status, inner.text]).toEqual([path, real.status, await real.text()])
    }
    await app.server.closeAllConnections()
  })

  it('reads bodies, including empty ones and uploads; decodes compressed responses', async () => {
    expect((await call(dispatch, 'POST /echo', { json: [1] })).json).toEqual({ body: [1] })
    expect(await call(dispatch, 'POST /echo')).toMatchObject({ status: 201, json: { body: null } })
    const { body, contentType } = await toMultipart(
      { file: { data: 'aGk=', mimeType: 'text/plain', filename: 'a.txt' } },
      { maxBytes: 100 },
    )
    const uploaded = await call(dispatch, 'POST /upload', { headers: { 'content-type': contentType }, body })
    expect(uploaded.json).toEqual({ name: 'a.txt', type: 'text/plain', size: 2 })
    const compressed = await call(dispatch, 'GET /task/7', { headers: { 'accept-encoding': 'gzip' } })
    expect(compressed.json).toEqual({ id: 7 })
  })

  it('finds the session of the cookie', async () => {
    const login = await call(dispatch, 'POST /login', { json: { name: 'ann' } })
    const cookie = String((login.headers['set-cookie'] as string[])[0]).split(';')[0] as string
    expect((await call(dispatch, 'GET /session', { headers: { cookie } })).json).toEqual({ name: 'ann' })
  })

  it("logs the caller in, and has the client's address", async () => {
    const me = await call(dispatch, 'GET /me', { headers: { authorization: `Bearer ${token()}` } })
    expect(me.json).toEqual({ id: 'ann' })
    expect((await call(dispatch, 'GET /me')).status).toBe(401)
    const headers = { 'x-forwarded-for': '1.2.3.4' }
    const who = await call(dispatch, 'GET /who', {
      headers,
      outer: outerWith({ remoteAddress: '127.0.0.1' }),
    })
    expect(who.json).toMatchObject({ ip: '1.2.3.4', protocol: 'http', model: true })
  })

  it('releases an endless stream when the caller disconnects', async () => {
    const leaving = new AbortController()
    const answered = call(dispatch, 'GET /endless', {
      signal: leaving.signal,
      onChunk: () => leaving.abort(new Error('cancelled')),
    })
    await expect(answered).rejects.toThrow('cancelled')
    await new Promise(setImmediate)
    expect(aborted).toEqual(['closed'])
    await app.close()
  })
})
