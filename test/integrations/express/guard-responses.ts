/** The response that a guard gets: it has all members of an Express response, and nothing reaches the client. */

import type { Request, RequestHandler } from 'express'
import { expect, it } from 'vitest'
import type { Json } from '../../contract/client.js'
import { expectError, expectText, expectToolError } from '../../contract/expect.js'
import { guardedBy } from './guarded.js'
import type { ExpressModule } from './host.js'

const admin = { headers: { 'X-Role': 'admin' } }

export function guardResponses(express: ExpressModule): void {
  const guarded = guardedBy(express)

  it('drops headers, status and cookies that a guard set before it called next()', async () => {
    const { clients } = await guarded((_req, res, next) => {
      res.status(201).set('X-Guard', '1').cookie('a', 'b').type('html')
      next()
    })
    for (const client of clients) {
      const answer = await client.call('ban', {})
      expectText(answer)
      expect(answer.headers).not.toHaveProperty('x-guard')
      expect(answer.headers).not.toHaveProperty('set-cookie')
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(answer.headers['x-before']).toBe('1')
    }
  })

  it('passes a guard the real request, and a response with all members of Express', async () => {
    const seen: Json[] = []
    const { clients } = await guarded((req, res, next) => {
      res.locals.more = 1
      seen.push(
        req.get('X-Role'),
        req.originalUrl,
        req.app === res.app,
        res.req === req,
        res.locals.greeting,
        res.headersSent,
      )
      seen.push(typeof res.format, typeof res.redirect, res.get('X-Nothing'), req.res === res)
      next()
    })
    expectText(await clients[1].call('ban', {}, admin))
    expect(seen.slice(0, 9)).toEqual([
      'admin',
      '/mcp',
      true,
      true,
      'hello',
      false,
      'function',
      'function',
      undefined,
    ])
  })

  it('keeps a challenge that was written with res.writeHead', async () => {
    const { clients } = await guarded(
      (_req, res) => void res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end(),
    )
    for (const client of clients) {
      const refused = await client.call('ban', {})
      expectError(refused, 401, -31001, 1)
      expect(refused.headers['www-authenticate']).toBe('Bearer')
    }
  })

  it.each<[string, RequestHandler, RegExp]>([
    ['res.send', (_req, res) => void res.status(409).send('busy'), /busy/],
    ['res.sendStatus', (_req, res) => void res.sendStatus(418), /teapot|418/i],
    ['res.json', (_req, res) => void res.status(422).json({ message: 'no' }), /no/],
    ['res.redirect', (_req, res) => res.redirect('/login'), /302|login/],
    [
      'res.write and res.end',
      (_req, res) => {
        res.write('in ')
        res.end('pieces')
      },
      /in pieces/,
    ],
    [
      'res.writeHead and res.end',
      (_req, res) => void res.writeHead(429, { 'Retry-After': '7' }).end('slow down'),
      /slow down.*7 seconds/,
    ],
    ['res.end with a callback', (_req, res) => void res.status(400).end(() => {}), /400/],
    ['a page', (_req, res) => void res.status(500).send('<html>boom</html>'), /^(?!.*html).*500/],
    ['a body that is no text', (_req, res) => void res.status(403).send(Buffer.from('bytes')), /bytes/],
  ])('reads a refusal that was written with %s', async (_, middleware, message) => {
    const { clients, ran } = await guarded(middleware)
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toMatch(message)
    expect(ran()).toBe(0)
  })

  it('leaves `req.res` and `res.locals` unchanged', async () => {
    let request: Request | undefined
    const { clients } = await guarded((req, _res, next) => {
      request = req
      next()
    })
    await clients[1].call('ban', {})
    expect(request?.res?.get('X-Before')).toBe('1')
  })
}
