// The official client of generation 2, which speaks both eras.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { allPages, assert, expectFive, expectLists } from './expect.mjs'

/** @param mode 'legacy' (handshake), 'auto' (probe, then the newest) or `{ pin }` (that revision only) */
export async function check({ url, command, args }, mode) {
  const client = new Client({ name: 'check-client-v2', version: '1.0.0' }, { versionNegotiation: { mode } })
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args, stderr: 'ignore' })
  await client.connect(transport)
  const protocol = client.getNegotiatedProtocolVersion()
  assert.equal(protocol, mode === 'legacy' ? '2025-11-25' : '2026-07-28')
  const lists = expectLists({
    tools: await allPages('tools', (params) => client.listTools(params)),
    resources: await allPages('resources', (params) => client.listResources(params)),
    prompts: await allPages('prompts', (params) => client.listPrompts(params)),
  })
  expectFive(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))
  await transport.terminateSession?.()
  await client.close()
  return { protocol, ...lists }
}
