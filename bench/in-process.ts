/** Measures `tools/call` in process against parsing, validating and stringifying the same call. */

import { McpRouter } from 'mcp-router'
import { z } from 'zod'
import { compare } from './measure.js'
import { costRow, type Row } from './row.js'

const input = z.object({ a: z.number(), b: z.number() })
const router = new McpRouter({ name: 'bench', version: '1.0.0' })
router.tool('add', { description: 'Adds two numbers.', input, handler: ({ a, b }) => String(a + b) })

const legacy = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add', arguments: { a: 2, b: 3 } },
})
const modern = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'add',
    arguments: { a: 2, b: 3 },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    },
  },
})

/** Does the minimum work for a call. The response has the same bytes. */
function bare(text: string): string {
  const { id, params } = JSON.parse(text)
  const checked = input['~standard'].validate(params.arguments)
  if (checked instanceof Promise || checked.issues !== undefined) throw new Error('unexpected')
  const { a, b } = checked.value
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: String(a + b) }] } })
}

async function ours(text: string): Promise<string> {
  return JSON.stringify(await router.handle(JSON.parse(text), caller))
}
const caller = { protocolVersion: '2025-11-25' }

const calls = 8_000

export async function measureInProcess(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [era, text] of [
    ['2025-11-25', legacy],
    ['2026-07-28', modern],
  ] as const) {
    const costs = await compare(calls, { ours: () => ours(text), bare: () => bare(text) })
    const against = 'parse, validate, stringify'
    rows.push(costRow(`tools/call in process, ${era}`, against, 0.5, costs, 'µs'))
  }
  return rows
}
