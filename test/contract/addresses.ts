/** Spellings of the address: none of them leads to the endpoint past what guards the plain one. */

import { expect, it } from 'vitest'
import { raw, send } from './client.js'
import { rpc } from './clients.js'
import { type Host, serve } from './host.js'

const body = JSON.stringify(rpc('ping'))

/** The first line of what is answered to this request target. */
async function ask(origin: string, target: string, method = 'POST'): Promise<string> {
  const head = [`${method} ${target} HTTP/1.1`, `Host: ${new URL(origin).host}`, 'Connection: close']
  const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return raw(origin, `${[...head, ...type].join('\r\n')}\r\n\r\n${body}`)
}

export function addresses(host: Host): void {
  it.each(['/mcp', '/mcp/', '/mcp?x=1', '/mcp/?x=/else'])('serves %s, and as a whole URL', async (path) => {
    const { origin } = await serve(host)
    for (const target of [path, origin + path, origin.toUpperCase() + path])
      expect(await ask(origin, target), target).toMatch(/^HTTP\/1\.1 200 [\s\S]*"result":\{\}/)
  })

  it.each([
    '/MCP',
    '/Mcp/',
    '//mcp',
    '/mcp//',
    '/./mcp',
    '/x/../mcp',
    '/mcp/..',
    '/mcp/mcp',
    '/mcp;x=1',
    '/mcp%2f',
    '/%2fmcp',
    '/mcp%00',
    '/mcp%20',
    '/?/mcp',
    '/x?/mcp',
    '/api/mcp',
  ])('leaves %s to the app, and as a whole URL', async (path) => {
    const { origin } = await serve(host)
    for (const target of [path, origin + path]) {
      const answer = await ask(origin, target)
      expect(answer, target).toMatch(/^HTTP\/1\.1 4/)
      expect(answer, target).not.toContain('jsonrpc')
    }
  })

  it('takes an encoded letter for the letter where the app does', async () => {
    const { origin } = await serve(host)
    const answer = await ask(origin, '/%6dcp')
    expect(answer.includes('"result":{}')).toBe(host.decodesPaths === true)
  })

  it.each(['HEAD', 'PUT', 'PATCH', 'GET', 'OPTIONS'])(
    'answers %s at none of the other addresses',
    async (method) => {
      const { origin } = await serve(host)
      for (const path of ['/MCP', '/mcp/else', '/mcpx', '/']) {
        const answer = await send(origin + path, { method })
        expect(answer.headers.allow ?? '', path).not.toContain('DELETE')
        expect(answer.text, path).not.toContain('jsonrpc')
      }
    },
  )
}
