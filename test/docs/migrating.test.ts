/** What the pages about migrating promise: a client gets the same before and after. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portOf } from './client.js'
import { load, loadShown, migratingPages } from './programs.js'

const before = process.env.PORT
const ends: (() => unknown)[] = []

beforeAll(async () => {
  for (const page of migratingPages) await load(page)
}, 60_000)
afterAll(async () => {
  if (before === undefined) delete process.env.PORT
  else process.env.PORT = before
  for (const end of ends) await end()
})

/** The address of a server that a page shows. */
async function start(name: string): Promise<string> {
  const port = await freePort()
  process.env.PORT = String(port)
  const { server } = await loadShown<{ server: Server & { stop?: () => unknown } }>(`migrating/${name}.ts`)
  if (server.stop === undefined) await portOf(server)
  else ends.push(() => server.stop?.())
  return `http://127.0.0.1:${port}/mcp`
}

/** Libraries that own their server do not tell which port 0 became. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function connect(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  ends.push(() => client.close())
  return client
}

describe('cities', () => {
  it.each(['sdk-v1', 'sdk-v2', 'sdk-after'])('%s answers the same', async (name) => {
    const client = await connect(await start(name))
    const { tools } = await client.listTools()
    expect(tools).toMatchObject([
      {
        name: 'temperature',
        description: 'How warm it is in a city.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        outputSchema: { properties: { celsius: { type: 'number' } } },
        annotations: { readOnlyHint: true },
      },
    ])
    expect(await client.callTool({ name: 'temperature', arguments: { city: 'Bonn' } })).toMatchObject({
      content: [{ type: 'text', text: '{"celsius":4}' }],
      structuredContent: { celsius: 4 },
    })
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { name: 'city', uriTemplate: 'city://{name}', description: 'A city.' },
    ])
    expect((await client.readResource({ uri: 'city://Bonn' })).contents).toMatchObject([
      { uri: 'city://Bonn', text: 'All about Bonn' },
    ])
    expect((await client.getPrompt({ name: 'pack', arguments: { city: 'Bonn' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'What do I pack for Bonn?' } },
    ])
  })
})

describe('notes', () => {
  it.each(['fastmcp-before', 'fastmcp-after'])('%s answers the same', async (name) => {
    const url = await start(name)
    await expect(connect(url)).rejects.toMatchObject({ code: 401 })
    const client = await connect(url, { 'x-api-key': 'key-of-ana' })
    expect((await client.listTools()).tools).toMatchObject([
      {
        name: 'note_get',
        inputSchema: { properties: { title: { type: 'string' } }, required: ['title'] },
        annotations: { readOnlyHint: true },
      },
    ])
    const call = (title: string) => client.callTool({ name: 'note_get', arguments: { title } })
    expect(await call('milk')).toMatchObject({ content: [{ type: 'text', text: 'ana: milk' }] })
    expect(await call('nothing')).toMatchObject({
      isError: true,
      content: [{ text: 'There is no such note' }],
    })
    expect((await client.readResource({ uri: 'notes://rules' })).contents).toMatchObject([
      { uri: 'notes://rules', mimeType: 'text/plain', text: 'Be brief.' },
    ])
    expect((await client.listPrompts()).prompts).toMatchObject([
      { name: 'tidy', arguments: [{ name: 'tag', description: 'Which notes', required: true }] },
    ])
    expect((await client.getPrompt({ name: 'tidy', arguments: { tag: 'home' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Tidy my notes about home up.' } },
    ])
  })
})

describe('sums', () => {
  it.each(['handler-before', 'handler-after'])('%s answers the same', async (name) => {
    const client = await connect(await start(name))
    expect((await client.listTools()).tools).toMatchObject([
      { name: 'add', inputSchema: { properties: { a: { type: 'number' } }, required: ['a', 'b'] } },
    ])
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ type: 'text', text: '3' }],
    })
  })
})

it('items: the routes are tools, behind the login', async () => {
  const url = await start('fastapi-after')
  await expect(connect(url)).rejects.toMatchObject({ code: 401 })
  const client = await connect(url, { Authorization: 'Bearer ana' })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['item_get', 'item_add'])
  const call = async (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args })
  expect(await call('item_get', { id: 1 })).toMatchObject({ content: [{ text: '{"id":1,"name":"Lamp"}' }] })
  expect(await call('item_get', { id: 9 })).toMatchObject({
    isError: true,
    content: [{ text: '404 Not Found: There is no such item' }],
  })
  expect(await call('item_add', { name: 'Chair' })).toMatchObject({
    content: [{ text: '{"id":2,"name":"Chair"}' }],
  })
})
