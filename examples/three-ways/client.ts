/** Starts the app and checks from outside that its three endpoints behave the same. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { start } from './server.js'

const { urls, close } = await start(0)

async function connect(url: string, mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client({ name: 'shelf-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

/** Returns everything that a client can see. */
async function seenBy(client: Client) {
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } })
  return {
    tools: (await client.listTools()).tools,
    templates: (await client.listResourceTemplates()).resourceTemplates,
    prompts: (await client.listPrompts()).prompts,
    read: await call('bookRead', { id: 1 }),
    found: await call('bookList', { word: 'm' }),
    missing: await call('bookRead', { id: 9 }),
    wrong: await call('bookRead', { id: 'one' }),
    book: await client.readResource({ uri: 'books://1' }),
    prompt: await client.getPrompt({ name: 'planReading', arguments: { mood: 'dark' } }),
  }
}

try {
  for (const mode of ['auto', 'legacy'] as const) {
    const clients = await Promise.all(urls.map((url) => connect(url, mode)))
    const seen = await Promise.all(clients.map(seenBy))
    const [records, ...others] = seen
    assert.deepEqual(
      records?.tools.map(({ name }) => name),
      ['bookList', 'bookRead'],
    )
    assert.equal(records.missing.isError, true)
    assert.equal(records.wrong.isError, true)
    assert.match(JSON.stringify(records.book.contents), /Emma.*ana/)
    for (const other of others) assert.deepEqual(other, records)
    console.log(`OK ${mode}: records, classes and files say and do the same`)
    await Promise.all(clients.map((client) => client.close()))
  }
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await close()
}
