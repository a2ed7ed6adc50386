/** The app's own login in front of the mount: calls get its user, and its refusals reach the client unchanged. */

import session from 'express-session'
import jwt from 'jsonwebtoken'
import { mcp } from 'mcp-router/express'
import passport from 'passport'
import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt'
import { expect, it } from 'vitest'
import { post } from '../../contract/client.js'
import { legacy, modern, rpc } from '../../contract/clients.js'
import { expectError, expectText } from '../../contract/expect.js'
import { router } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

const secret = 'a secret for tokens of this test'
const token = (sub: string) => ({ Authorization: `Bearer ${jwt.sign({ sub }, secret)}` })

function knowing() {
  const made = router()
  made.tool('self', { description: 'x', requireUser: true, handler: (_, ctx) => JSON.stringify(ctx.user) })
  return made
}

export function loggedIn(express: ExpressModule): void {
  it('uses the user of passport, and passes on its 401 unchanged', async () => {
    const logins = new passport.Passport()
    const options = { secretOrKey: secret, jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken() }
    logins.use(new JwtStrategy(options, ({ sub }, done) => done(null, { id: sub })))
    const app = express().use('/mcp', logins.authenticate('jwt', { session: false }), mcp(knowing()))
    const { origin, errors } = await listening(app)
    for (const client of [
      await legacy(`${origin}/mcp`, { headers: token('ann') }),
      modern(`${origin}/mcp`, { headers: token('ann') }),
    ]) {
      expect(JSON.parse(expectText(await client.call('self', {})))).toEqual({ id: 'ann' })
    }
    const refused = await post(`${origin}/mcp`, rpc('ping'))
    expect(refused).toMatchObject({ status: 401, text: 'Unauthorized' })
    expect(errors).toEqual([])
  })

  it('binds the session to the user of passport', async () => {
    const app = express()
    app.use((req, _res, next) => {
      const [, sent] = String(req.headers.authorization ?? '').split(' ')
      if (sent !== undefined) (req as { user?: unknown }).user = jwt.verify(sent, secret)
      next()
    })
    const { origin } = await listening(app.use(mcp(knowing())))
    const ann = await legacy(`${origin}/mcp`, { headers: token('ann') })
    expect((await ann.request('ping')).status).toBe(200)
    expectError(await ann.request('ping', {}, { headers: token('bob') }), 403, -31003, 1)
    expectError(await ann.request('ping', {}, { headers: { Authorization: undefined } }), 403, -31003, 1)
  })

  it('takes the user from a session of the app with the option `user`', async () => {
    const app = express()
    app.use(session({ secret, resave: false, saveUninitialized: false }))
    app.post('/login', (req, res) => {
      ;(req.session as { user?: object }).user = { id: 'ann' }
      res.end()
    })
    app.use(mcp(knowing(), { user: (req) => (req.session as { user?: object }).user }))
    const { origin } = await listening(app)
    const Cookie = (await post(`${origin}/login`, {})).headers['set-cookie']?.[0]?.split(';')[0]
    expect(expectText(await modern(`${origin}/mcp`, { headers: { Cookie } }).call('self', {}))).toBe(
      '{"id":"ann"}',
    )
    expectError(await modern(`${origin}/mcp`).call('self', {}), 401, -31001, 1)
  })

  it('reads the user when the call runs, once per request', async () => {
    const asked: string[] = []
    const app = express()
    const made = knowing()
    app.use(mcp(made, { user: async () => ({ id: `n${asked.push('once')}` }) }))
    const { origin } = await listening(app)
    const client = modern(`${origin}/mcp`)
    expect(expectText(await client.call('self', {}))).toBe('{"id":"n1"}')
    expect(expectText(await client.call('self', {}))).toBe('{"id":"n2"}')
  })

  it('passes the Express request to `user`, `context` and `ctx.request.raw`', async () => {
    const made = router()
    made.tool('both', {
      description: 'x',
      handler: (_, ctx) =>
        [ctx.request?.raw.get('X-Tenant'), (ctx as unknown as { tenant: string }).tenant].join(),
    })
    const { origin } = await listening(
      express().use(mcp(made, { context: (req) => ({ tenant: req.get('X-Tenant') }) })),
    )
    const answer = await modern(`${origin}/mcp`, { headers: { 'X-Tenant': 'acme' } }).call('both', {})
    expect(expectText(answer)).toBe('acme,acme')
  })
}
