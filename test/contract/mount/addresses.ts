/** Spellings of the address: none of them leads to the endpoint past what guards the plain one. */

import { expect, it } from 'vitest'
import { raw, send } from '../client.js'
import { rpc } from '../clients.js'
import { type Host, serve } from '../host.js'

const body = JSON.stringify(rpc('ping'))

/** The first line of what is answered to this request target. */
async function ask(origin: string, target: string, method = 'POST'): Promise<string> {
  const head = [`${method} ${target} HTTP/1.1`, `Host: ${new URL(origin).host}`, 'Connection: close']
  const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return raw(origin, `${[...head, ...type].join('\r\n')}\r\n\r\n${body}`)
}

export function addresses(host: Host): void {
  const served = /^HTTP\/1\.1 200 [\s\S]*"result":\{\}/

  it.each(['/mcp', '/mcp/', '/mcp?x=1', '/mcp/?x=/else'])(
    'serves %s, and leaves the whole URL to the app, which checks in front may not know for it',
    async (path) => {
      const { origin } = await serve(host)
      expect(await ask(origin, path)).toMatch(served)
      for (const target of [origin + path, origin.toUpperCase() + path]) {
        if (host.readsWholeUrls !== true)
          expect(await ask(origin, target), target).toMatch(/^HTTP\/1\.1 4(?![\s\S]*jsonrpc)/)
      }
    },
  )

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

  it('leaves encoded letters to the app, even where its routes decode them', async () => {
    const { origin } = await serve(host)
    expect(await ask(origin, '/%6dcp')).toMatch(/^HTTP\/1\.1 4(?![\s\S]*jsonrpc)/)
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
