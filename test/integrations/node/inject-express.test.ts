/** Inner requests through complete Express apps, with widely used middleware. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import express5 from 'express'
import { rateLimit } from 'express-rate-limit'
import session from 'express-session'
import express4 from 'express4'
import helmet from 'helmet'
import jwt from 'jsonwebtoken'
import multer from 'multer'
import passport from 'passport'
import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt'
import { describe, expect, it } from 'vitest'
import { expressDispatch } from '../../../integrations/express/routes-source.js'
import { isToolCall } from '../../../integrations/node/inject/tool-call.js'
import { toMultipart } from '../../../src/routes/request/encode-body.js'
import { call, outerWith, serve } from './inject-call.js'

const secret = 'a secret of this test'
const bearer = (sub: string) => ({ authorization: `Bearer ${jwt.sign({ sub }, secret)}` })
const caller = new AsyncLocalStorage<number>()

type Express = typeof express5

/** Creates an app with all middleware in front of its routes. */
function build(express: Express) {
  const logins = new passport.Passport()
  const jwtOptions = { secretOrKey: secret, jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken() }
  logins.use(new JwtStrategy(jwtOptions, ({ sub }, done) => done(null, { id: sub })))
  const store = new session.MemoryStore()
  const app = express()
  app.set('trust proxy', 'loopback')
  app.set('query parser', 'extended')
  app.use(helmet(), cors({ origin: 'https://app.example.com', credentials: true }), cookieParser('s'))
  app.use(compression({ threshold: 0 }), express.json(), express.urlencoded({ extended: true }))
  app.use(session({ secret, store, resave: false, saveUninitialized: false }))
  app.use(rateLimit({ limit: 3, skip: (req) => isToolCall(req) || req.path !== '/limited', validate: false }))
  app.get('/task/:id', (req, res) => void res.json({ id: req.params.id, query: req.query }))
  app.post(
    '/echo',
    (req, res) => void res.status(201).json({ body: req.body, type: req.headers['content-type'] }),
  )
  app.get('/who', (req, res) => {
    res.json({ ip: req.ip, ips: req.ips, secure: req.secure, host: req.hostname, cookies: req.cookies })
  })
  app.get('/me', logins.authenticate('jwt', { session: false }), (req, res) => void res.json(req.user))
  app.post('/login', (req, res) => {
    Object.assign(req.session, { name: req.body.name })
    res.json({})
  })
  app.get('/session', (req, res) => void res.json({ name: (req.session as { name?: string }).name ?? null }))
  app.get('/limited', (_req, res) => void res.json({ fine: true }))
  app.post('/upload', multer().single('file'), (req, res) => {
    const { originalname, mimetype, buffer } = req.file as Express.Multer.File
    res.json({ originalname, mimetype, size: buffer.length, body: req.body })
  })
  app.get('/file', (_req, res) => res.sendFile(fileURLToPath(import.meta.url)))
  app.get('/events', (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' })
    res.write('data: 1\n\n')
    ;(res as { flush?: () => void }).flush?.()
    setImmediate(() => res.end('data: 2\n\n'))
  })
  app.get('/bytes', (_req, res) => void res.type('png').send(Buffer.from([1, 2, 255])))
  app.get('/moved', (_req, res) => res.redirect('/task/1'))
  app.get('/nothing', (_req, res) => void res.status(204).end())
  app.get('/throws', () => {
    throw Object.assign(new Error('teapot'), { status: 418 })
  })
  app.get('/caller/:id', async (req, res) => {
    await new Promise(setImmediate)
    res.json([req.params.id, caller.getStore()])
  })
  const nested = express.Router({ mergeParams: true })
  nested.get('/notes/:note', (req, res) => void res.json(req.params))
  app.use('/users/:user', nested)
  return { app, store }
}

describe.each<[string, Express]>([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_, express) => {
  const { app, store } = build(express)
  const dispatch = expressDispatch(app)

  it('responds to GET and POST as over the network, byte for byte', async () => {
    const origin = await serve(app)
    for (const path of [
      '/task/7?a[b]=1&c=x&c=y',
      '/users/3/notes/4',
      '/file',
      '/bytes',
      '/events',
      '/nope',
      '/throws',
    ]) {
      const real = await fetch(origin + path, { headers: { 'accept-encoding': 'identity' } })
      const inner = await call(dispatch, `GET ${path}`)
      expect([path, inner.status, inner.headers['content-type']]).toEqual([
        path,
        real.status,
        real.headers.get('content-type'),
      ])
      const [mine, theirs] = [Buffer.from(inner.body), Buffer.from(await real.arrayBuffer())]
      expect(withoutStack(mine)).toEqual(withoutStack(theirs))
    }
  })

  it("reads JSON, forms and uploads with the app's parsers", async () => {
    expect((await call(dispatch, 'POST /echo', { json: { a: [1] } })).json.body).toEqual({ a: [1] })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await call(dispatch, 'POST /echo', { headers: form, body: 'a[b]=1&c=2&c=3' })
    expect(sent).toMatchObject({ status: 201, json: { body: { a: { b: '1' }, c: ['2', '3'] } } })
    const file = {
      data: Buffer.alloc(300_000, 7).toString('base64'),
      filename: 'ä "1".bin',
      mimeType: 'image/png',
    }
    const { body, contentType } = await toMultipart({ file, note: 'x', n: 1 }, { maxBytes: 1e6 })
    const uploaded = await call(dispatch, 'POST /upload', { headers: { 'content-type': contentType }, body })
    expect(uploaded.json).toMatchObject({ mimetype: 'image/png', size: 300_000, body: { note: 'x', n: '1' } })
  })

  it('passes on redirects, empty responses and errors unchanged', async () => {
    expect(await call(dispatch, 'GET /moved')).toMatchObject({
      status: 302,
      headers: { location: '/task/1' },
    })
    expect(await call(dispatch, 'GET /nothing')).toMatchObject({ status: 204, text: '' })
    expect((await call(dispatch, 'GET /throws')).status).toBe(418)
    expect((await call(dispatch, 'HEAD /task/1')).text).toBe('')
    const broken = { headers: { 'content-type': 'application/json' }, body: '{' }
    expect((await call(dispatch, 'POST /echo', broken)).status).toBe(400)
  })

  it('decodes compressed responses, even without Accept-Encoding', async () => {
    const answer = await call(dispatch, 'GET /task/7', { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.json.id).toBe('7')
  })

  it('has the address, scheme and host of a network request', async () => {
    const headers = {
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'a.example',
    }
    const trusted = await call(dispatch, 'GET /who', {
      headers,
      outer: outerWith({ remoteAddress: '127.0.0.1' }),
    })
    expect(trusted.json).toMatchObject({ ip: '1.2.3.4', secure: true, host: 'a.example' })
    const direct = await call(dispatch, 'GET /who', {
      headers,
      outer: outerWith({ remoteAddress: '8.8.8.8' }),
    })
    expect(direct.json).toMatchObject({ ip: '8.8.8.8', secure: false, host: 'api.example.com' })
    expect((await call(dispatch, 'GET /who', { headers: { cookie: 'a=1' } })).json.cookies).toEqual({
      a: '1',
    })
  })

  it('logs the caller in with their token', async () => {
    expect((await call(dispatch, 'GET /me', { headers: bearer('ann') })).json).toEqual({ id: 'ann' })
    expect((await call(dispatch, 'GET /me')).status).toBe(401)
  })

  it('finds the session of the cookie, also one that the network started', async () => {
    const login = await call(dispatch, 'POST /login', { json: { name: 'ann' } })
    const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] as string
    expect((await call(dispatch, 'GET /session', { headers: { cookie } })).json).toEqual({ name: 'ann' })
    const origin = await serve(app)
    expect(await (await fetch(`${origin}/session`, { headers: { cookie } })).json()).toEqual({ name: 'ann' })
    expect(Object.keys((store as unknown as { sessions: object }).sessions)).toHaveLength(1)
  })

  it('counts tool calls separately if the app wants that', async () => {
    for (let count = 0; count < 5; count++) expect((await call(dispatch, 'GET /limited')).status).toBe(200)
    const origin = await serve(app)
    const statuses: number[] = []
    for (let count = 0; count < 4; count++) statuses.push((await fetch(`${origin}/limited`)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  it('keeps 200 callers apart', async () => {
    const ids = Array.from({ length: 200 }, (_, id) => id)
    const got = await Promise.all(
      ids.map((id) => caller.run(id, async () => (await call(dispatch, `GET /caller/${id}`)).json)),
    )
    expect(got).toEqual(ids.map((id) => [`${id}`, id]))
  })

  it('leaves the app and Express unchanged', async () => {
    const prototypes = [Object.getPrototypeOf(express.request), Object.getPrototypeOf(express.response)]
    const origin = await serve(app)
    await Promise.all([call(dispatch, 'GET /task/1'), fetch(`${origin}/task/1`), call(dispatch, 'GET /nope')])
    expect([Object.getPrototypeOf(express.request), Object.getPrototypeOf(express.response)]).toEqual(
      prototypes,
    )
    expect(await (await fetch(`${origin}/task/2`)).json()).toMatchObject({ id: '2' })
    expect(await (await serveFresh(express)).json()).toEqual({ fresh: true })
  })

  it('ends at the deadline if a handler never responds', async () => {
    const silent = express()
    silent.get('/', () => {})
    const answered = call(expressDispatch(silent), 'GET /', { signal: AbortSignal.timeout(10) })
    await expect(answered).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

/** Creates another app of the process. */
async function serveFresh(express: Express): Promise<Response> {
  const other = express().get('/', (_req, res) => void res.json({ fresh: true }))
  return fetch(await serve(other))
}

/** Removes the stack trace from an error page: in development it ends with the caller, which differs for both ways. */
function withoutStack(page: Buffer): string {
  return page.toString('latin1').replace(/(<br> &nbsp; &nbsp;at [^<]*)+/g, '')
}
