import { type AnyMountOptions, HttpHandler, type HttpRequest, McpRouter } from 'mcp-router/adapter'
import { describe, expect, it, vi } from 'vitest'

// For mounts whose framework reads the body before it calls the endpoint.

const quiet = { info() {}, warn() {}, error() {} }

function mount() {
  const verify = vi.fn((token: string) => {
    if (token !== 'good') throw Object.assign(new Error('wrong'), { status: 401 })
    return { subject: 'ann', scopes: [], claims: {} }
  })
  const router = new McpRouter<object>({ logger: quiet })
  const auth = { authorizationServers: ['https://login.example'], verify, cacheMs: 0 }
  const options: AnyMountOptions = { auth, health: true }
  return { verify, http: new HttpHandler(router, options, () => undefined) }
}

function request(token: string | undefined, more: Partial<HttpRequest> = {}): HttpRequest {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  return {
    method: 'POST',
    url: '/mcp',
    endpoint: 'main',
    headers,
    header: (name) => headers[name],
    ip: '127.0.0.1',
    raw: {},
    host: 'localhost',
    peerAddress: '127.0.0.1',
    trustsProxy: false,
    readBody: () => ({ kind: 'text', text: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }),
    onClose: () => {},
    ...more,
  }
}

describe('refuseEarly()', () => {
  it('refuses by the headers alone, without reading the body', async () => {
    const { http } = mount()
    const readBody = vi.fn()
    for (const token of [undefined, 'bad'])
      expect(await http.refuseEarly(request(token, { readBody }))).toMatchObject({
        status: 401,
        headers: { 'WWW-Authenticate': expect.stringContaining('Bearer ') },
      })
    const header = (name: string) => (name === 'origin' ? 'https://evil.example' : undefined)
    expect(await http.refuseEarly(request('good', { header, readBody }))).toMatchObject({ status: 403 })
    expect(readBody).not.toHaveBeenCalled()
  })

  it('lets a valid request pass to `handle`, and verifies its token once', async () => {
    const { http, verify } = mount()
    const first = request('good')
    expect(await http.refuseEarly(first)).toBeUndefined()
    const second = { ...request('good'), raw: first.raw }
    expect(await http.handle(second)).toMatchObject({ status: 200 })
    expect(verify).toHaveBeenCalledTimes(1)
    expect(await http.handle(request('bad'))).toMatchObject({ status: 401 })
  })

  it.each([
    ['OPTIONS', 'main'],
    ['GET', 'health'],
    ['GET', 'metadata'],
  ] as const)('lets %s of %s pass without a token', async (method, endpoint) => {
    const { http } = mount()
    expect(await http.refuseEarly(request(undefined, { method, endpoint }))).toBeUndefined()
  })
})
