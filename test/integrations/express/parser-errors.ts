/** Errors of body parsers in front of the mount: JSON-RPC errors on the endpoint's path, unchanged on other paths. */

import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { mcp } from 'mcp-router/express'
import { expect, it } from 'vitest'
import { post, send } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { socketTo } from '../../contract/exchange.js'
import { expectError } from '../../contract/expect.js'
import { latch } from '../../contract/fixtures.js'
import { settled } from '../../support/time.js'
import { router } from '../placed.js'
import { type ExpressModule, listening } from './host.js'

const big = JSON.stringify(rpc('tools/call', { name: 'x', arguments: { text: 'x'.repeat(200_000) } }))

export function parserErrors(express: ExpressModule): void {
  const start = async (...before: RequestHandler[]) => {
    const app = express()
    for (const middleware of before) app.use(middleware)
    app.use(mcp(router()))
    app.post('/own', (req, res) => void res.json(req.body))
    app.use((error: { status?: number }, _req: Request, res: Response, _next: NextFunction) => {
      res.status(error.status ?? 500).json({ handledBy: 'the app' })
    })
    return (await listening(app)).origin
  }

  it('answers invalid JSON on its path with a JSON-RPC error, and leaves other paths to the app', async () => {
    const origin = await start(express.json())
    expectError(await post(`${origin}/mcp`, '{"jsonrpc":'), 400, -32700)
    expectError(await post(`${origin}/mcp`, '"x"'), 400, -32700)
    const own = await post(`${origin}/own`, '{"a":')
    expect(own).toMatchObject({ status: 400, json: { handledBy: 'the app' } })
  })

  it.each([false, true])(
    "answers 413 on its path to bodies over 100 kB, and names the parser's limit (chunked: %s)",
    async (chunked) => {
      const origin = await start(express.json())
      const refused = await send(`${origin}/mcp`, { body: big, chunked })
      expectError(refused, 413, -32600)
      expect(refused.json.error.message).toMatch(/102400.*app/)
      expect((await post(`${origin}/own`, big)).json).toEqual({ handledBy: 'the app' })
    },
  )

  it.each<[string, Record<string, string>, number]>([
    ['an unknown encoding', { 'Content-Encoding': 'nonsense' }, 415],
    ['an unknown charset', { 'Content-Type': 'application/json; charset=nonsense' }, 415],
  ])('answers %s on our path', async (_, headers, status) => {
    const origin = await start(express.json())
    const refused = await post(`${origin}/mcp`, rpc('ping'), headers)
    expectError(refused, status, -32600)
    expect((await post(`${origin}/own`, '{}', headers)).json).toEqual({ handledBy: 'the app' })
  })

  it("answers a body that doesn't match its Content-Encoding", async () => {
    const origin = await start(express.json())
    const refused = await post(`${origin}/mcp`, rpc('ping'), { 'Content-Encoding': 'gzip' })
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })

  it.each<[string, RequestHandler[], number]>([
    ['was read as text by earlier code', [(req, _res, next) => next(void req.setEncoding('utf8'))], 400],
    [
      'was read to its end by earlier code',
      [(req, _res, next) => void req.resume().once('end', () => setImmediate(next))],
      400,
    ],
    [
      'is shorter than earlier code says',
      [
        (req, _res, next) => {
          req.headers['content-length'] = '1000'
          next()
        },
      ],
      400,
    ],
  ])('answers a body that %s', async (_, before, status) => {
    const refused = await post(`${await start(...before, express.json())}/mcp`, rpc('ping'))
    expect(refused.status).toBe(status)
    expect(refused.json).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })

  it('reports no error when a client disconnects in the middle of its body', async () => {
    const told: unknown[] = []
    const app = express()
    const gone = latch()
    app.use((req, _res, next) => {
      req.on('close', () => gone.open())
      next()
    })
    app.use(express.json(), mcp(router()))
    app.use((error: unknown, _req: Request, _res: Response, _next: NextFunction) => void told.push(error))
    const { origin } = await listening(app)
    const socket = socketTo(origin)
    const head = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
    socket.write(`${[...head, 'Content-Length: 1000'].join('\r\n')}\r\n\r\n{`, () => socket.destroy())
    await gone.opened
    await settled()
    expect(told).toEqual([])
  })

  it('answers a body that the `verify` of a parser rejected', async () => {
    const verify = (): never => {
      throw new Error('not signed')
    }
    const refused = await post(`${await start(express.json({ verify }))}/mcp`, rpc('ping'))
    expect(refused.status).toBe(403)
    expect(refused.json).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })

  it('answers 413 to too many parameters and parts of urlencoded bodies', async () => {
    const origin = await start(express.urlencoded({ extended: true }))
    const body = Array.from({ length: 2000 }, (_, index) => `k${index}=1`).join('&')
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expectError(await post(`${origin}/mcp`, body, headers), 413, -32600)
  })

  it('keeps headers of earlier middleware, and CORS, on such a response', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.set('X-Trace', 't1')
      next()
    })
    app.use(express.json(), mcp(router(), { cors: ['https://app.example'] }))
    const { origin } = await listening(app)
    const refused = await post(`${origin}/mcp`, '{', { Origin: 'https://app.example' })
    expectError(refused, 400, -32700)
    expect(refused.headers).toMatchObject({
      'x-trace': 't1',
      'access-control-allow-origin': 'https://app.example',
    })
  })

  it('refuses a foreign origin even if a parser rejected its body', async () => {
    const origin = await start(express.json())
    expect((await post(`${origin}/mcp`, '{', { Origin: 'https://evil.example' })).status).toBe(403)
  })

  it('leaves errors of other origin to the app, on its path too', async () => {
    const origin = await start((_req, _res, next) =>
      next(Object.assign(new Error('no login'), { status: 401 })),
    )
    expect(await post(`${origin}/mcp`, rpc('ping'))).toMatchObject({
      status: 401,
      json: { handledBy: 'the app' },
    })
  })

  it('answers if the parser is mounted only on its path', async () => {
    const app = express().use('/mcp', express.json(), mcp(router()))
    const { origin, errors } = await listening(app)
    expectError(await post(`${origin}/mcp`, '{'), 400, -32700)
    expect((await post(`${origin}/mcp`, rpc('ping'))).status).toBe(200)
    expect(errors).toEqual([])
  })

  it('answers if parser and mount are one route', async () => {
    const app = express()
    app.post('/x/mcp', express.json(), mcp(router()))
    const { origin, errors } = await listening(app)
    expectError(await post(`${origin}/x/mcp`, '{'), 400, -32700)
    expect((await post(`${origin}/x/mcp`, rpc('ping'))).status).toBe(200)
    expect(errors).toEqual([])
  })

  it('answers if parser and mount are in a nested router', async () => {
    const app = express().use('/api', express.Router().use(express.json(), mcp(router())))
    const { origin, errors } = await listening(app)
    expectError(await post(`${origin}/api/mcp`, '{'), 400, -32700)
    expect(errors).toEqual([])
  })

  it('reads a gzipped body that a parser decompressed, and refuses one that is still compressed', async () => {
    const { gzipSync } = await import('node:zlib')
    const body = gzipSync(JSON.stringify(rpc('ping')))
    const headers = { 'Content-Encoding': 'gzip' }
    expect((await post(`${await start(express.json())}/mcp`, body, headers)).status).toBe(200)
    expectError(await post(`${await start()}/mcp`, body, headers), 415, -32600)
  })
}
