// The official SDK's client of generation 1: the handshake; over HTTP with a session.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { allPages, assert, expectFive, expectLists } from './expect.mjs'

export async function check({ url, command, args }) {
  const client = new Client({ name: 'check-sdk-v1', version: '1.0.0' })
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args, stderr: 'ignore' })
  let protocol
  // Over stdio it tells its transport alone what was agreed.
  if (!url)
    transport.setProtocolVersion = (version) => {
      protocol = version
    }
  await client.connect(transport)
  protocol ??= transport.protocolVersion
  assert.equal(protocol, '2025-11-25')
  const lists = expectLists({
    tools: await allPages('tools', (params) => client.listTools(params)),
    resources: await allPages('resources', (params) => client.listResources(params)),
    prompts: await allPages('prompts', (params) => client.listPrompts(params)),
  })
  expectFive(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))
  const read = await client.readResource({ uri: 'test://static-text' })
  assert(read.contents[0]?.text, 'the resource has no text')
  await client.ping()
  const session = transport.sessionId ? 'yes' : 'no'
  await transport.terminateSession?.()
  await client.close()
  return { protocol, session, ...lists }
}
