// @langchain/mcp-adapters: the server's tools as LangChain tools.
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { assert, expectFive, expectLists } from './expect.mjs'

export async function check({ url, command, args }) {
  const checked = url
    ? { transport: 'http', url, automaticSSEFallback: false }
    : { transport: 'stdio', command, args, stderr: 'ignore' }
  const client = new MultiServerMCPClient({ mcpServers: { checked } })
  const tools = await client.getTools()
  const connection = await client.getClient('checked')
  assert(connection, 'not connected')
  const { resources } = await connection.listResources()
  const { prompts } = await connection.listPrompts()
  const lists = expectLists({ tools, resources, prompts })
  expectFive(await tools.find(({ name }) => name === 'add').invoke({ a: 2, b: 3 }))
  await client.close()
  return lists
}
