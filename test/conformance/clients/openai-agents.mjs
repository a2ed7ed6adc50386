// @openai/agents-core: its MCP server wrapper, which has no prompts.
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents-core'
import { expectFive, expectLists } from './expect.mjs'

export async function check({ url, command, args }) {
  const name = 'checked'
  const server = url
    ? new MCPServerStreamableHttp({ name, url })
    : new MCPServerStdio({ name, command, args })
  await server.connect()
  const { resources } = await server.listResources()
  const lists = expectLists({ tools: await server.listTools(), resources })
  expectFive(await server.callTool('add', { a: 2, b: 3 }))
  await server.close()
  return lists
}
