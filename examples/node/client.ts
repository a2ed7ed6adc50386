/** Starts the server and checks it from outside, as both users and in both eras of the protocol. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { keys, start } from './server.js'

const { url, close } = await start(0)

async function connect(mode: 'auto' | 'legacy', key: string): Promise<Client> {
  const client = new Client({ name: 'greeter-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

async function greet(client: Client, input = {}): Promise<string> {
  const { content, isError = false } = await client.callTool({ name: 'greet', arguments: input })
  const [block] = content
  return `${isError ? 'refused: ' : ''}${block?.type === 'text' ? block.text : ''}`
}

try {
  assert.match(await (await fetch(`${url}/health`)).text(), /"server":"greeter"/)
  assert.equal((await fetch(new URL('/other', url))).status, 404)
  ok('health is told, and what is not ours is a 404')

  const stranger = await connect('auto', 'guessed')
  await assert.rejects(greet(stranger))
  await stranger.close()
  ok('a wrong key is refused')

  for (const mode of ['auto', 'legacy'] as const) {
    const [asAna, asBen] = [await connect(mode, keys.ana), await connect(mode, keys.ben)]
    assert.deepEqual([await greet(asAna), await greet(asBen)], ['Hello, Ana!', 'Hello, Ben!'])
    assert.equal(await greet(asAna, { words: 'Good morning' }), 'Good morning, Ana!')
    assert.match(await greet(asAna, { words: 7 }), /^refused: .*words/)
    ok(`${mode}: each user is greeted by name, and a bad argument is an error that names it`)
    await Promise.all([asAna.close(), asBen.close()])
  }
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await close()
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
