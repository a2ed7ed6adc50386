/** Widely used middleware in front of the mount keeps working. */

import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import rateLimit from 'express-rate-limit'
import session from 'express-session'
import helmet from 'helmet'
import { mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { open, post, send } from '../../contract/client.js'
import { initialize, modern, rpc } from '../../contract/clients.js'
import { placed, router, stepping } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

const { body: streaming, headers } = stepping

export function neighbours(express: ExpressModule): void {
  it('keeps the headers of helmet and cors on JSON and on streams', async () => {
    const { router: made, release } = placed()
    const app = express().use(
      helmet(),
      cors({ origin: 'http://localhost:1', exposedHeaders: 'Mcp-Session-Id' }),
      mcp(made),
    )
    const { origin } = await listening(app)
    release.open()
    const from = { Origin: 'http://localhost:1' }
    const stream = await open(`${origin}/mcp`, { body: streaming, headers: { ...headers, ...from } })
    await stream.rest()
    const json = await post(`${origin}/mcp`, initialize(), from)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    for (const answer of [stream, json]) {
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': 'http://localhost:1',
        'access-control-expose-headers': 'Mcp-Session-Id',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.any(String),
      })
      expect(answer.headers['x-powered-by']).toBeUndefined()
    }
  })

  it('lets cors answer preflights itself', async () => {
    const { origin } = await listening(express().use(cors(), mcp(router())))
    const answer = await send(`${origin}/mcp`, {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:1', 'Access-Control-Request-Method': 'POST' },
    })
    expect(answer.status).toBe(204)
  })

  it('sends pieces at once behind compression, even if a filter compresses everything', async () => {
    for (const options of [{}, { threshold: 0, filter: () => true }]) {
      const { router: made, release } = placed()
      const { origin } = await listening(express().use(compression(options), mcp(made)))
      const stream = await open(`${origin}/mcp`, {
        body: streaming,
        headers: { ...headers, 'Accept-Encoding': 'gzip' },
      })
      expect((await stream.next()).params.progress).toBe(1)
      release.open()
      expect(await stream.rest()).toHaveLength(2)
    }
  })

  it('lets compression compress JSON, with the correct length', async () => {
    const { router: made, release } = placed()
    release.open()
    const { origin } = await listening(express().use(compression({ threshold: 0 }), mcp(made)))
    const response = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
      body: JSON.stringify(rpc('tools/call', { name: 'steps', arguments: {} })),
    })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(((await response.json()) as { result: unknown }).result).toMatchObject({
      content: [{ text: 'x'.repeat(5000) }],
    })
  })

  it('lets a rate limit in front send its own response', async () => {
    const limited = rateLimit({ limit: 1, windowMs: 60_000, validate: false })
    const { origin } = await listening(express().use('/mcp', limited, mcp(router())))
    expect((await post(`${origin}/mcp`, rpc('ping'))).headers).toHaveProperty('x-ratelimit-limit')
    const refused = await post(`${origin}/mcp`, rpc('ping'))
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBeDefined()
  })

  it('has properties that earlier middleware set on the request', async () => {
    const made = router()
    made.tool('cookie', { description: 'x', handler: (_, { request }) => request?.raw.cookies.theme })
    const { origin } = await listening(express().use(cookieParser(), mcp(made)))
    const { json } = await modern(`${origin}/mcp`, { headers: { Cookie: 'theme=dark' } }).call('cookie', {})
    expect(json.result.content[0].text).toBe('dark')
  })

  it('lets express-session set its cookie on JSON and on streams', async () => {
    const { router: made, release } = placed()
    release.open()
    const app = express().use(session({ secret: 'x', resave: false, saveUninitialized: true }), mcp(made))
    const { origin } = await listening(app)
    const stream = await open(`${origin}/mcp`, { body: streaming, headers })
    expect(await stream.rest()).toHaveLength(3)
    const json = await post(`${origin}/mcp`, rpc('ping'))
    for (const answer of [stream, json]) expect(answer.headers['set-cookie']).toHaveLength(1)
  })

  it('calls the hooks of middleware that wraps the end of a response, once', async () => {
    const ended: number[] = []
    const app = express()
    app.use((_req, res, next) => {
      const { end } = res
      res.end = ((...args: Parameters<typeof end>) => {
        ended.push(res.statusCode)
        return end.apply(res, args)
      }) as typeof res.end
      next()
    })
    const { router: made, release } = placed()
    release.open()
    const { origin } = await listening(app.use(mcp(made)))
    await post(`${origin}/mcp`, rpc('ping'))
    await post(`${origin}/mcp`, { jsonrpc: '2.0', method: 'notifications/initialized' })
    await (await open(`${origin}/mcp`, { body: streaming, headers })).rest()
    expect(ended).toEqual([200, 202, 200])
  })

  it('writes nothing if earlier middleware has already responded', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.status(418).json({ early: true })
      next()
    })
    const { origin, errors } = await listening(app.use(mcp(router())))
    expect(await post(`${origin}/mcp`, rpc('ping'))).toMatchObject({ status: 418, json: { early: true } })
    expect(errors).toEqual([])
  })
}
