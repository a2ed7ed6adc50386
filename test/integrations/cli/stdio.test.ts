/** `mcp-router stdio`, and what a loud app does to the other commands. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, it, test } from 'vitest'
import { bundled, bundledModule, execute, root, run } from './binary.js'

const loud = 'test/integrations/cli/apps/loud.js'

test('a client that starts the process gets nothing but the protocol', async () => {
  const errors: string[] = []
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await bundled(), 'stdio', await bundledModule(loud), '--user', '{"id":"ana"}'],
    cwd: root,
    stderr: 'pipe',
  })
  transport.stderr?.on('data', (data) => errors.push(`${data}`))
  const client = new Client({ name: 'test', version: '1.0.0' })
  client.onerror = (error) => errors.push(`protocol: ${error}`)
  await client.connect(transport as Parameters<Client['connect']>[0])
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['say', 'get_orders_by_id'])
  expect(await client.callTool({ name: 'say' })).toEqual({
    content: [{ type: 'text', text: '{"user":{"id":"ana"}}' }],
  })
  expect(await client.callTool({ name: 'get_orders_by_id', arguments: { id: '7' } })).toEqual({
    content: [{ type: 'text', text: '{"id":"7"}' }],
  })
  await client.close()
  const said = errors.join('')
  for (const what of ['console', 'stdout', 'descriptor', 'pino', 'call', 'listening']) {
    expect(said).toContain(`loud: ${what}`)
  }
  expect(said).not.toContain('protocol:')
})

it('ends when its client leaves, with everything answered', async () => {
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'say',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }
  const command = [await bundled(), 'stdio', await bundledModule(loud)]
  const { code, out } = await execute(command, root, `${JSON.stringify(request)}\n`)
  expect(code).toBe(0)
  expect(out.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(out)).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: '{}' }] } })
})

it.each([
  [['list', loud, '--json'], (out: string) => JSON.parse(out)[0].name, 'say'],
  [['call', loud, 'say'], (out: string) => out, '{}\n'],
] as const)('what an app prints is no part of the answer of %j', async (args, read, answer) => {
  const { code, out, error } = await run(...args)
  expect(read(out)).toBe(answer)
  expect(error).toContain('loud: pino')
  expect(code).toBe(0)
})

it('serves modules alone', async () => {
  const { code, error } = await run('stdio', 'http://127.0.0.1:9/mcp')
  expect(error).toContain('a client connects to http://127.0.0.1:9/mcp directly')
  expect(code).toBe(2)
})

it('refuses a caller that is none', async () => {
  const { code, error } = await run('stdio', 'test/integrations/cli/apps/stranger.js')
  expect(error).toMatch(/mcpCaller: there is no option `usr`; .*`user`/)
  expect(code).toBe(3)
})
