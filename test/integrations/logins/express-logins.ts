/** The logins of Express apps: passport, sessions, express-jwt, express-oauth2-jwt-bearer, API keys. */

import type { Request, RequestHandler } from 'express'
import { expressjwt } from 'express-jwt'
import { auth as bearer } from 'express-oauth2-jwt-bearer'
import session from 'express-session'
import jwt from 'jsonwebtoken'
import { mcp } from 'mcp-router/express'
import passport from 'passport'
import { expect, it } from 'vitest'
import { post } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { type ExpressModule, listening } from '../express/host.js'
import {
  apiKeys,
  byApiKey,
  byPassword,
  type Credentials,
  knowing,
  passwords,
  proveNobody,
  proveRefused,
  proveUsers,
  secret,
} from './proof.js'
import { passwordStrategy, tokenStrategy } from './strategies.js'

const issuer = 'https://login.example.com/'
const audience = 'https://api.example.com/mcp'
const byToken: Credentials = (sub) => ({
  Authorization: `Bearer ${jwt.sign({ sub }, secret, { issuer, audience, expiresIn: 60 })}`,
})
const sessions = (): RequestHandler => session({ secret, resave: false, saveUninitialized: false })

type WithAuth = Request & { auth?: { payload?: object } }

export function expressLogins(express: ExpressModule): void {
  it('passport with tokens', async () => {
    const logins = new passport.Passport()
    logins.use(tokenStrategy())
    const app = express().use('/mcp', logins.authenticate('jwt', { session: false }), mcp(knowing()))
    const { origin } = await listening(app)
    await proveUsers(`${origin}/mcp`, byToken)
    await proveRefused(`${origin}/mcp`)
  })

  it('passport with sessions', async () => {
    const logins = new passport.Passport()
    logins.use(passwordStrategy())
    logins.serializeUser<string>((user, done) => done(null, (user as { id: string }).id))
    logins.deserializeUser<string>((id, done) => done(null, { id }))
    const app = express().use(sessions(), logins.session())
    app.post('/login', express.json(), logins.authenticate('local'), (_req, res) => void res.end())
    const { origin } = await listening(app.use(mcp(knowing())))
    await proveUsers(`${origin}/mcp`, byPassword(origin))
    await proveNobody(`${origin}/mcp`)
  })

  it('express-session alone, by the option `user`', async () => {
    const app = express().use(sessions())
    app.post('/login', express.json(), (req, res) => {
      const { username = '', password } = req.body as Record<string, string>
      if (passwords[username] !== password) return void res.sendStatus(401)
      Object.assign(req.session, { user: { name: username } })
      res.end()
    })
    const user = ({ session }: Request) => (session as { user?: unknown }).user
    const { origin } = await listening(app.use(mcp(knowing(), { user })))
    await proveUsers(`${origin}/mcp`, byPassword(origin))
    await proveNobody(`${origin}/mcp`)
  })

  it('express-jwt, by the option `user`', async () => {
    const app = express().use(expressjwt({ secret, algorithms: ['HS256'] }))
    const { origin, errors } = await listening(app.use(mcp(knowing(), { user: (req: WithAuth) => req.auth })))
    await proveUsers(`${origin}/mcp`, byToken)
    await proveThrown(origin, errors)
  })

  it('express-oauth2-jwt-bearer, by the option `user`', async () => {
    const app = express().use(
      bearer({ issuer, audience, secret, tokenSigningAlg: 'HS256' }) as unknown as RequestHandler,
    )
    const user = (req: Request) => (req as WithAuth).auth?.payload
    const { origin, errors } = await listening(app.use(mcp(knowing(), { user })))
    await proveUsers(`${origin}/mcp`, byToken)
    await proveThrown(origin, errors)
  })

  it('never guesses what `req.auth` of another package means', async () => {
    for (const auth of [
      expressjwt({ secret, algorithms: ['HS256'] }),
      bearer({ issuer, audience, secret, tokenSigningAlg: 'HS256' }) as unknown as RequestHandler,
      ((req, _res, next) => {
        Object.assign(req, { auth: { token: 't', clientId: 'c', scopes: ['all'], subject: 'ann' } })
        next()
      }) as RequestHandler,
    ]) {
      const { origin } = await listening(express().use(auth, mcp(knowing())))
      await proveNobody(`${origin}/mcp`, await byToken('ann'))
    }
  })

  it('API keys', async () => {
    const app = express().use('/mcp', (req, res, next) => {
      const user = apiKeys.get(req.get('X-Api-Key'))
      if (user === undefined) return void res.status(401).json({ error: 'Unknown API key' })
      Object.assign(req, { user })
      next()
    })
    const { origin } = await listening(app.use(mcp(knowing())))
    await proveUsers(`${origin}/mcp`, byApiKey)
    await proveRefused(`${origin}/mcp`, { 'X-Api-Key': 'key-of-eve' })
  })
}

/** The packages throw; the error handler of the app answers. */
async function proveThrown(origin: string, errors: unknown[]): Promise<void> {
  const { text } = await post(`${origin}/mcp`, rpc('tools/list'))
  expect(text).toBe('<html>the page of the app</html>')
  expect(errors).toMatchObject([{ status: 401 }])
}
