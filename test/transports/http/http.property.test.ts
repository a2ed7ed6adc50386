/** Any HTTP request gets a meaningful status, with headers and a body that reveal no internals. */

import fc from 'fast-check'
import { HttpHandler, type HttpRequest, type HttpResponse, McpRouter } from 'mcp-router/adapter'
import { describe, expect, it } from 'vitest'
import { addOneOfEach } from '../../support/routers.js'
import { silent } from '../../support/silent.js'
import { envelope } from '../../wire/client.js'

type Given = Pick<HttpRequest, 'method' | 'url'> & { headers: Record<string, string>; text: string }

function requestOf({ method, url, headers, text }: Given): HttpRequest {
  return {
    method,
    url,
    headers,
    ip: '127.0.0.1',
    raw: {},
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    endpoint: 'main',
    host: headers.host ?? 'localhost',
    peerAddress: '127.0.0.1',
    trustsProxy: false,
    readBody: () => ({ kind: 'text', text }),
    onClose: (listener) => void setImmediate(() => listener(true)),
  }
}

const token = fc.string({ unit: fc.constantFrom(...'AZaz09-_=.+/ ') })
/** Header values as Node passes them on: Latin-1, without line breaks. */
const latin = fc.string({ unit: 'binary' }).map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'))
const headers = fc.record(
  {
    'content-type': fc.oneof(
      fc.constantFrom('application/json', 'application/json; charset=utf-16', 'text/plain'),
      latin,
    ),
    accept: fc.oneof(
      fc.constantFrom('application/json, text/event-stream', '*/*', 'text/event-stream', 'a;q=0'),
      latin,
    ),
    origin: fc.oneof(fc.constantFrom('http://localhost:1', 'null', 'https://evil.example'), latin),
    host: fc.oneof(fc.constantFrom('localhost', '127.0.0.1:80', 'evil.example'), latin),
    'mcp-session-id': fc.oneof(token, latin),
    'mcp-protocol-version': fc.oneof(
      fc.constantFrom('2026-07-28', '2025-11-25', '2025-03-26', '2099-01-01'),
      latin,
    ),
    'mcp-method': fc.oneof(fc.constantFrom('tools/call', 'ping', 'tools/list'), latin),
    'mcp-name': fc.oneof(fc.constantFrom('t', '=?base64?dA==?=', '=?base64?!?='), latin),
    'last-event-id': fc.oneof(token, latin),
    authorization: fc.oneof(
      token.map((text) => `Bearer ${text}`),
      latin,
    ),
  },
  { requiredKeys: ['content-type', 'accept'] },
)
const rpc = fc
  .record({
    jsonrpc: fc.constantFrom('2.0', '1.0'),
    id: fc.constantFrom<unknown>(1, 'a', null, undefined),
    method: fc.constantFrom('ping', 'initialize', 'tools/call', 'tools/list', 'resources/read', 'nope'),
    params: fc.constantFrom<unknown>(
      undefined,
      { name: 't' },
      { name: 't', _meta: envelope() },
      { uri: 'a://b' },
      [],
      1,
    ),
  })
  .map((message) => JSON.stringify(message))
const text = fc.oneof(
  rpc,
  fc.array(rpc, { maxLength: 3 }).map((messages) => `[${messages.join()}]`),
  fc.json(),
  fc.string(),
  fc.constantFrom('['.repeat(10_000), '{"a":'.repeat(100), '', '\u0000', `"${'x'.repeat(10_000)}"`),
)
const given = fc.record({
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant('POST') },
    fc.constantFrom('GET', 'DELETE', 'OPTIONS', 'PUT', 'HEAD'),
  ),
  url: fc.constantFrom('/mcp', '/mcp?token=x', '/mcp?%'),
  headers: headers as fc.Arbitrary<Record<string, string>>,
  text,
})

function makeServer(options = {}): (request: Given) => Promise<HttpResponse> {
  const router = addOneOfEach(
    new McpRouter<object>({ logger: silent, secret: 'long enough for a secret' }) as never,
  )
  const http = new HttpHandler(router as McpRouter<object>, options, () => undefined)
  return async (request) => http.handle(requestOf(request))
}

/** The endpoint never sends 501 and 505; 500 is a fault, and 503 means that the server is closing. */
const foreseen = [200, 202, 204, 400, 401, 403, 404, 405, 406, 409, 413, 415]

describe.each([
  ['with the options as they are', {}],
  [
    'with access tokens',
    {
      auth: {
        verify: () => {
          throw new Error('the database is away')
        },
        authorizationServers: ['https://login.example'],
      },
    },
  ],
])('a mount %s', (name, options) => {
  it('answers any request with an expected status', async () => {
    const serve = makeServer(options)
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(given, async (request) => {
        const { status, headers: said, body } = await serve(request)
        statuses.add(status)
        expect(name.includes('tokens') ? [...foreseen, 503, 500] : foreseen).toContain(status)
        for (const value of Object.values(said)) expect(String(value)).toMatch(/^[\t\x20-\x7e]*$/)
        if (typeof body !== 'string') return
        expect(body).not.toMatch(/\bat \w+ \(|node:internal|TypeError|the database/)
        if (String(said['Content-Type']).startsWith('application/json')) JSON.parse(body)
      }),
      { numRuns: 1_500 },
    )
    expect(statuses.size).toBeGreaterThan(3)
  })
})

describe('a session id', () => {
  it('that this server did not create is never accepted', async () => {
    const serve = makeServer()
    const open = await serve({
      method: 'POST',
      url: '/mcp',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      text: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    })
    const own = String(open.headers['Mcp-Session-Id'])
    expect(own).toMatch(/^[\x21-\x7e]{20,}$/)
    const ping = (id: string) =>
      serve({
        method: 'POST',
        url: '/mcp',
        headers: { 'content-type': 'application/json', accept: 'application/json', 'mcp-session-id': id },
        text: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      })
    expect((await ping(own)).status).toBe(200)
    const changed = fc
      .tuple(fc.nat({ max: own.length - 1 }), fc.constantFrom(...'AZ09-_'))
      .map(([at, character]) => own.slice(0, at) + character + own.slice(at + 1))
    const ids = fc.oneof(
      changed,
      token,
      fc.nat({ max: own.length }).map((at) => own.slice(0, at)),
      latin,
    )
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        fc.pre(id.trim() !== own)
        expect([400, 404]).toContain((await ping(id)).status)
      }),
      { numRuns: 1_000 },
    )
  })
})
