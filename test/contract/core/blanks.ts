/** Blanks around header values: HTTP allows spaces and tabs, and nothing that only looks like them. */

import { expect, it } from 'vitest'
import { post } from '../client.js'
import { legacy, modern, rpc } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, serve } from '../host.js'

const nbsp = '\u00a0'
const named: [header: string, value: string][] = [
  ['MCP-Protocol-Version', '2026-07-28'],
  ['Mcp-Method', 'tools/call'],
  ['Mcp-Name', 'echo'],
]

export function blanks(host: Host): void {
  it.each(named)('answers 400 to a no-break space around %s', async (header, value) => {
    const { url } = await serve(host)
    for (const sent of [nbsp + value, value + nbsp, nbsp + value + nbsp]) {
      const answer = await modern(url, { headers: { [header]: sent } }).call('echo', { text: 'hi' })
      expectError(answer, 400, -32020, 1)
    }
  })

  it.each(named)('takes spaces and tabs around %s', async (header, value) => {
    const { url } = await serve(host)
    for (const sent of [` ${value}`, `${value}\t`, `\t ${value} \t`]) {
      expectResult(await modern(url, { headers: { [header]: sent } }).call('echo', { text: 'hi' }))
    }
  })

  it('takes no session and no version of before 2026-07-28 with a no-break space around it', async () => {
    const { url } = await serve(host)
    const { sessionId } = await legacy(url)
    expectError(await post(url, rpc('ping'), { 'Mcp-Session-Id': `${nbsp}${sessionId}` }), 404, -32001, 1)
    const versioned = await post(url, rpc('ping'), { 'MCP-Protocol-Version': `${nbsp}2025-06-18` })
    expect(versioned.status).toBe(400)
    expectResult(await post(url, rpc('ping'), { 'MCP-Protocol-Version': ' \t2025-06-18 ' }))
  })
}
