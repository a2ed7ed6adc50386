import express5, { type NextFunction, type Request, type Response } from 'express'
import session from 'express-session'
import express4 from 'express4'
import jwt from 'jsonwebtoken'
import { McpRouter } from 'mcp-router'
import { fromHandler, isToolCall, mcp } from 'mcp-router/express'
import passport from 'passport'
import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt'
import { describe, expect, it } from 'vitest'
import { modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { type ExpressModule, listening } from './host.js'

const secret = 'a secret of this test'
const open = { type: 'object', additionalProperties: true } as const

/** Creates a router with one tool for these handlers, called in process. */
function calling(...given: Parameters<typeof fromHandler>) {
  const router = new McpRouter<object>({ name: 'x', version: '1', logger: quiet, exposeErrors: false })
  router.tool('run', { description: 'x', input: open, handler: fromHandler(...given) })
  return async (input: object = {}, caller: object = {}) => {
    const { content, isError } = await router.call('run', input, caller)
    return { text: (content[0] as { text?: string } | undefined)?.text ?? '', isError: isError === true }
  }
}

describe('fromHandler()', () => {
  it('passes params, query and body to handlers', async () => {
    const shows = (req: Request, res: Response) =>
      void res.json([req.method, req.params, req.query, req.body, req.get('content-type'), isToolCall(req)])
    const input = { id: 7, q: ['a', 'b'], title: 'x', deep: { a: 1 } }
    const posted = await calling(shows, { params: ['id'], query: ['q'] })(input)
    const body = { title: 'x', deep: { a: 1 } }
    expect(JSON.parse(posted.text)).toEqual([
      'POST',
      { id: '7' },
      { q: ['a', 'b'] },
      body,
      'application/json',
      true,
    ])
    const got = await calling(shows, { params: ['id'], method: 'GET' })({ id: 'a/b', q: 'x' })
    expect(JSON.parse(got.text)).toEqual(
      ['GET', { id: 'a/b' }, { q: 'x' }, null, null, true]
        .slice(0, 3)
        .concat(null as never, null as never, true as never),
    )
  })

  it('runs middleware in order, including nested lists, and parsers read the same body', async () => {
    const order: string[] = []
    const step = (name: string) => (_req: Request, _res: Response, next: NextFunction) => {
      order.push(name)
      next()
    }
    const last = (req: Request, res: Response) =>
      void res.status(201).send(`${order} ${JSON.stringify(req.body)}`)
    const run = calling([step('a'), [step('b'), [step('c')]], express5.json(), last])
    expect(await run({ x: 1 })).toEqual({ text: 'a,b,c {"x":1}', isError: false })
  })

  it('handles errors like those that a tool throws', async () => {
    const failing = (error: unknown) =>
      calling((_req: Request, _res: Response, next: NextFunction) => next(error))
    expect(await failing(Object.assign(new Error('No such user'), { status: 404 }))()).toEqual({
      text: 'No such user',
      isError: true,
    })
    const masked = await failing(new Error('password=1'))()
    expect(masked.text).toMatch(/^Internal error/)
    for (const handler of [
      () => {
        throw Object.assign(new Error('teapot'), { statusCode: 418 })
      },
      async () => {
        throw Object.assign(new Error('teapot'), { statusCode: 418 })
      },
    ]) {
      expect(await calling(handler)()).toEqual({ text: 'teapot', isError: true })
    }
  })

  it('masks responses with a status of 5xx, except in development', async () => {
    const broken = (_req: Request, res: Response) => void res.status(500).json({ message: 'password=1' })
    expect((await calling(broken)()).text).toMatch(/^Internal error\. Reference: /)
    const router = new McpRouter<object>({ name: 'x', version: '1', logger: quiet, exposeErrors: true })
    router.tool('run', { description: 'x', handler: fromHandler(broken) })
    const { content } = await router.call('run', {})
    expect(content).toEqual([{ type: 'text', text: 'POST / answered 500: password=1' }])
  })

  it("leaves errors to the chain's own error handler, and returns its response", async () => {
    const run = calling([
      (_req: Request, _res: Response, next: NextFunction) => next(new Error('x')),
      () => expect.fail('passed over'),
      (error: Error, _req: Request, res: Response, _next: NextFunction) =>
        void res.status(409).json({ error: error.message }),
    ])
    expect(await run()).toEqual({ text: '409 Conflict: x', isError: true })
  })

  it('returns "not found" when all handlers call next()', async () => {
    const passing = (_req: Request, _res: Response, next: NextFunction) => next()
    expect((await calling(passing)()).text).toBe('404 Not Found')
    const leaving = (_req: Request, _res: Response, next: NextFunction) => next('route')
    expect((await calling([leaving, () => expect.fail('passed over')])()).text).toBe('404 Not Found')
  })

  it('passes the caller to handlers, and what `prepare` sets', async () => {
    const user = (req: Request, res: Response) =>
      void res.json([req.user, (req as { tenant?: string }).tenant])
    const run = calling(user, {
      prepare: (req, ctx) => Object.assign(req, { tenant: `of ${(ctx.user as { id: string }).id}` }),
    })
    expect(JSON.parse((await run({}, { user: { id: 'ann' } })).text)).toEqual([{ id: 'ann' }, 'of ann'])
  })

  it('refuses a tool that calls itself, by name', async () => {
    const router = new McpRouter<object>({ name: 'x', version: '1', logger: quiet })
    const again = async (_req: Request, res: Response) => void res.json(await router.call('circle', {}))
    router.tool('circle', { description: 'x', handler: fromHandler(again) })
    await expect(router.call('circle', {})).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining('the route behind the tool circle called a tool of its own app'),
    })
  })

  it('passes pieces of a stream to the client as they arrive', async () => {
    const router = new McpRouter<object>({ name: 'x', version: '1', logger: quiet })
    const stream = (_req: Request, res: Response) => {
      res.type('text/event-stream').write('data: one\n\n')
      setImmediate(() => res.end('data: two\n\n'))
    }
    router.tool('run', { description: 'x', handler: fromHandler(stream) })
    const { origin } = await listening(express5().use(mcp(router)))
    const call = { name: 'run', arguments: {}, _meta: { progressToken: 'p' } }
    const { text } = await modern(`${origin}/mcp`).request('tools/call', call)
    expect(text).toContain('"progress":1,"message":"one"')
    expect(text).toContain('"text":"one\\ntwo"')
  })

  it('works with a hand-made `ctx`', async () => {
    const handler = fromHandler((req: Request, res: Response) => void res.send(req.body.a))
    const ctx = { signal: new AbortController().signal, progress: () => false }
    expect(await handler({ a: 'x' }, ctx as never)).toEqual({ content: [{ type: 'text', text: 'x' }] })
  })

  it("throws at once for handlers that aren't functions, and for unknown options", () => {
    expect(() => fromHandler([] as never)).toThrow('fromHandler(): expected a handler function')
    expect(() => fromHandler('x' as never)).toThrow('fromHandler(): expected a handler function')
    expect(() => fromHandler(() => {}, { parms: [] } as never)).toThrow('did you mean `params`?')
    expect(() => fromHandler(() => {}, { forwardHeaders: ['content-type'] })).toThrow('never passed on')
  })

  it.each<[string, ExpressModule]>([
    ['Express 5', express5],
    ['Express 4', express4],
  ])('runs as the caller of the mount, with the request of its app: %s', async (_, express) => {
    const logins = new passport.Passport()
    const options = { secretOrKey: secret, jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken() }
    logins.use(new JwtStrategy(options, ({ sub }, done) => done(null, { id: sub })))
    const requireLogin = logins.authenticate('jwt', { session: false })
    const getUser = (req: Request, res: Response) =>
      void res.json({
        user: req.user,
        id: req.params.id,
        ip: req.ip,
        app: req.app.locals.name,
        visits: (req.session as { visits?: number }).visits,
      })
    const router = new McpRouter<object>({ name: 'x', version: '1', logger: quiet })
    router.tool('user_get', {
      description: 'x',
      input: open,
      handler: fromHandler([requireLogin, getUser], { params: ['id'] }),
    })
    const app = express()
    app.locals.name = 'mine'
    app.set('trust proxy', true)
    app.use(session({ secret, resave: false, saveUninitialized: false }))
    app.use((req, _res, next) => {
      Object.assign(req.session, { visits: 3 })
      next()
    })
    const { origin } = await listening(app.use(mcp(router)))
    const headers = {
      Authorization: `Bearer ${jwt.sign({ sub: 'ann' }, secret)}`,
      'X-Forwarded-For': '1.2.3.4',
    }
    const called = await modern(`${origin}/mcp`, { headers }).call('user_get', { id: '7' })
    expect(JSON.parse(called.json.result.content[0].text)).toEqual({
      user: { id: 'ann' },
      id: '7',
      ip: '1.2.3.4',
      app: 'mine',
      visits: 3,
    })
    const refused = await modern(`${origin}/mcp`).call('user_get', { id: '7' })
    expect(refused.json.result?.content[0].text ?? refused.json.error.message).toContain('401')
  })
})
