// @ai-sdk/mcp: an implementation of its own. By default it asks `server/discover` first.
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio'
import { allPages, assert, expectFive, expectLists } from './expect.mjs'

export async function check({ url, command, args }, protocolVersionDiscovery) {
  const transport = url
    ? { type: 'http', url }
    : new Experimental_StdioMCPTransport({ command, args, stderr: 'ignore' })
  const client = await createMCPClient({ transport, protocolVersionDiscovery })
  const protocol = client.initializeResult?.protocolVersion
  // Over stdio it asks for a second, which is not enough for a process on a busy machine to start.
  if (url || !protocolVersionDiscovery)
    assert.equal(protocol, protocolVersionDiscovery ? '2026-07-28' : '2025-11-25')
  const lists = expectLists({
    tools: await allPages('tools', (params) => client.listTools({ params })),
    resources: await allPages('resources', (params) => client.listResources({ params })),
    prompts: await allPages('prompts', (params) => client.listPrompts({ params })),
  })
  const { add } = await client.tools()
  expectFive(await add.execute({ a: 2, b: 3 }, { toolCallId: 'check', messages: [] }))
  await client.close()
  return { protocol, ...lists }
}
