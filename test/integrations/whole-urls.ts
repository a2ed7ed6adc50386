import { expect } from 'vitest'
import { raw } from '../contract/client.js'
import { rpc } from '../contract/clients.js'

/**
 * Asks with the whole URL as the request target, which checks of `req.url` in front don't see as `/mcp`: it is another
 * address, and 401 below `/guarded`.
 */
export async function proveWholeUrls(origin: string): Promise<void> {
  const body = JSON.stringify(rpc('ping'))
  const ask = (target: string): Promise<string> => {
    const head = [`POST ${target} HTTP/1.1`, `Host: ${new URL(origin).host}`, 'Connection: close']
    const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    return raw(origin, `${[...head, ...type].join('\r\n')}\r\n\r\n${body}`)
  }
  expect(await ask('/mcp')).toMatch(/^HTTP\/1\.1 200 [\s\S]*"result":\{\}/)
  for (const path of [
    '',
    '/',
    '/mcp',
    '/mcp/',
    '/mcp?a=1',
    '/api/mcp',
    '/x/mcp',
    '/y/mcp',
    '//mcp',
    '/?/mcp',
  ]) {
    expect(await ask(origin + path), path).toMatch(/^HTTP\/1\.1 404/)
  }
  expect(await ask(`${origin}/guarded/mcp`)).toMatch(/^HTTP\/1\.1 401/)
}
