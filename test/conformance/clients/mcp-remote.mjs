// mcp-remote, the bridge that desktop hosts use: the official client talks to it over stdio, it talks HTTP to us.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { commandFile } from './command.mjs'
import { expectFive, expectLists } from './expect.mjs'

export async function check({ url }) {
  const settings = await mkdtemp(join(tmpdir(), 'mcp-remote-'))
  const file = await commandFile('mcp-remote', 'mcp-remote')
  const client = new Client({ name: 'check-mcp-remote', version: '1.0.0' })
  try {
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [file, url, '--allow-http', '--transport', 'http-only'],
        env: { ...process.env, MCP_REMOTE_CONFIG_DIR: settings },
        stderr: 'ignore',
      }),
    )
    const { tools } = await client.listTools()
    const { resources } = await client.listResources()
    const { prompts } = await client.listPrompts()
    const lists = expectLists({ tools, resources, prompts })
    expectFive(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))
    return lists
  } finally {
    await client.close()
    await rm(settings, { recursive: true, force: true })
  }
}
