/** Connect-style middleware around a call, on every Node server. */

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import { McpRouter } from 'mcp-router'
import { guard, mcp } from 'mcp-router/node'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../contract/client.js'
import { legacy, modern } from '../../contract/clients.js'
import { expectError, expectText, expectToolError } from '../../contract/expect.js'
import { quiet } from '../../contract/host.js'
import { httpRefusals } from '../guarded.js'
import { listening, selfSigned } from './host.js'

type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => unknown

const servers = [
  ['http', (router: McpRouter<object>) => http.createServer(mcp(router))],
  ['http2', (router: McpRouter<object>) => http2.createSecureServer(selfSigned, mcp(router))],
] as const

const requireRole: Middleware = (req, res, next) => {
  if (req.headers['x-role'] === 'admin') return next()
  res.setHeader('Content-Type', 'application/json')
  res.statusCode = 403
  res.end(JSON.stringify({ error: 'You need the role admin' }))
}
const admin = { headers: { 'X-Role': 'admin' } }

describe.each(servers)('guard() over %s', (_, create) => {
  async function guarded(middleware: Middleware, options?: { without: 'skip' }) {
    const router = new McpRouter<object>({ logger: quiet, exposeErrors: false })
    let ran = 0
    router.tool('ban', {
      description: 'x',
      use: [guard(middleware, options)],
      handler: () => `ran ${++ran}`,
    })
    const { origin } = await listening(create(router))
    const clients = [await legacy(`${origin}/mcp`), modern(`${origin}/mcp`)] as const
    return { router, clients, ran: () => ran }
  }

  it('refuses as the middleware does, and runs the tool for authorized callers', async () => {
    const { clients, ran } = await guarded(requireRole)
    for (const client of clients)
      expect(expectToolError(await client.call('ban', {}))).toBe('403 Forbidden: You need the role admin')
    expect(ran()).toBe(0)
    for (const client of clients) expectText(await client.call('ban', {}, admin))
  })

  it.each(httpRefusals)('reads %s', async (_name, { status, headers, body }, says) => {
    const { clients } = await guarded((_req, res) => {
      res.writeHead(status, headers).end(body)
    })
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toMatch(says)
  })

  it('keeps a challenge, and drops headers that middleware set before it called next()', async () => {
    const { clients } = await guarded((req, res, next) => {
      res.setHeader('X-Guard', '1')
      if (req.headers['x-role'] === 'admin') return next()
      res.writeHead(401, 'Unauthorized', ['WWW-Authenticate', 'Bearer realm="x"']).end()
    })
    for (const client of clients) {
      const refused = await client.call('ban', {})
      expectError(refused, 401, -31001, 1)
      expect(refused.headers['www-authenticate']).toBe('Bearer realm="x"')
      expect((await client.call('ban', {}, admin)).headers).not.toHaveProperty('x-guard')
    }
  })

  it('gives the middleware a response that reflects what was done with it', async () => {
    const seen: Json[] = []
    const state = (res: ServerResponse) => [res.headersSent, res.writableEnded, res.writableFinished]
    const { clients } = await guarded((_req, res) => {
      const done: string[] = []
      res.on('finish', () => done.push('finish')).on('close', () => done.push('close'))
      seen.push(state(res))
      res.write(Buffer.from('no ').toString('base64'), 'base64', () => seen.push('written'))
      seen.push(state(res))
      res.end('more', () => seen.push('ended'))
      res.end('again')
      seen.push(state(res), done)
    })
    expect(expectToolError(await clients[1].call('ban', {}))).toBe('no more')
    expect(seen.slice(0, 4)).toEqual([
      [false, false, false],
      [true, false, false],
      [true, true, true],
      ['finish', 'close'],
    ])
    expect(seen.slice(4)).toEqual(['written', 'ended'])
  })

  it('refuses a guarded call without a request, unless configured to skip', async () => {
    const { router } = await guarded((_req, _res, next) => next())
    expect(await router.call('ban')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('a Node server') }],
    })
    const skipping = await guarded(requireRole, { without: 'skip' })
    expect(await skipping.router.call('ban')).toMatchObject({ content: [{ text: 'ran 1' }] })
  })
})

it("throws at once for a value that isn't middleware", () => {
  expect(() => guard('x' as never)).toThrow(TypeError)
  expect(() => guard(((_a: 1, _b: 2, _c: 3, _d: 4) => {}) as never)).toThrow(TypeError)
  expect(() => guard(() => {}, { with: 1 } as never)).toThrow(/with/)
})
