/** Methods of HTTP that the endpoint does not serve, and addresses that are not ours. */

import { expect, it } from 'vitest'
import { send } from '../client.js'
import { expectError } from '../expect.js'
import { type Host, serve } from '../host.js'

export function verbs(host: Host): void {
  it.each(['OPTIONS', 'PUT', 'GET', 'PATCH', 'TRACE', 'PROPFIND'])(
    'answers 405 with Allow to %s',
    async (method) => {
      const { url } = await serve(host)
      const answer = await send(url, { method })
      expectError(answer, 405, -32600)
      expect(answer.headers.allow).toMatch(/\bPOST\b/)
      expect(answer.headers.allow).toMatch(/\bDELETE\b/)
    },
  )

  it('answers 405 with Allow and no body to HEAD', async () => {
    const { url } = await serve(host)
    const answer = await send(url, { method: 'HEAD' })
    expect(answer).toMatchObject({ status: 405, text: '' })
    expect(answer.headers.allow).toMatch(/\bPOST\b/)
  })

  it('names only POST where there are no sessions', async () => {
    const { url } = await serve(host, { server: { sessions: false } })
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(url, { method, headers: { 'Mcp-Session-Id': 'stale' } })
      expectError(answer, 405, -32600)
      expect(answer.headers.allow).toBe('POST')
    }
  })

  it.each(['/mcp/', '/mcp?x=1', '/mcp/?x=1'])('serves %s too', async (path) => {
    const { origin } = await serve(host)
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await send(origin + path, { body })).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it.each(['/mcpx', '/mcp/else', '/mc', '/', '/mcp/health', '/mcp.json'])(
    'leaves %s to the app',
    async (path) => {
      const { origin } = await serve(host)
      const answer = await send(origin + path, { body: { jsonrpc: '2.0', id: 1, method: 'ping' } })
      expect(answer.status).toBe(404)
      expect(answer.text).not.toContain('jsonrpc')
    },
  )

  it('leaves the routes of the app alone', async () => {
    const { origin } = await serve(host)
    expect((await send(`${origin}/own`, { method: 'GET' })).json).toEqual({ own: true })
  })

  it('serves several paths of its own choosing, and then not the usual one', async () => {
    const { origin } = await serve(host, { options: { path: ['/ai', '/deep/er/'] } })
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (const path of ['/ai', '/deep/er']) expect((await send(origin + path, { body })).status).toBe(200)
    expect((await send(`${origin}/mcp`, { body })).status).toBe(404)
  })

  it('tells handlers the address as the client sent it', async () => {
    const { origin } = await serve(host)
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }
    const { json } = await send(`${origin}/mcp?tenant=a%20b`, { body })
    expect(JSON.parse(json.result.content[0].text).url).toBe('/mcp?tenant=a%20b')
  })
}
