/** Starts the app on both platforms and checks it from outside, as both users and in both eras of the protocol. */
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as onExpress from './express.js'
import * as onFastify from './fastify.js'
import { keys } from './notes.js'

type Mode = 'auto' | 'legacy'

async function connect(url: string, mode: Mode, key: string): Promise<Client> {
  const client = new Client({ name: 'nest-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

async function call(client: Client, name: string, input = {}): Promise<unknown> {
  const { content, isError = false } = await client.callTool({ name, arguments: input })
  const [block] = content
  const text = block?.type === 'text' ? block.text : ''
  return isError ? `refused: ${text}` : JSON.parse(text)
}

async function check(platform: string, origin: string): Promise<void> {
  const url = `${origin}/mcp`
  for (const mode of ['auto', 'legacy'] as const) {
    const [asAna, asBen] = [await connect(url, mode, keys.ana), await connect(url, mode, keys.ben)]
    const text = `${mode} on ${platform}`
    await call(asBen, 'note_write', { text })
    const [ofAna, ofBen] = [await call(asAna, 'note_list'), await call(asBen, 'note_list')]
    assert.match(JSON.stringify(ofBen), new RegExp(text))
    assert.match(JSON.stringify(ofAna), /Water the plants/)
    assert.doesNotMatch(JSON.stringify(ofAna), new RegExp(text))
    assert.match(String(await call(asAna, 'note_write', { text: '' })), /^refused: .*text/)
    ok(`${platform}, ${mode}: each user has their own notes`)
    await Promise.all([asAna.close(), asBen.close()])
  }
  const headers = { Authorization: `Bearer ${keys.ben}` }
  const overHttp = await (await fetch(`${origin}/notes`, { headers })).text()
  assert.match(overHttp, new RegExp(`auto on ${platform}`))
  ok(`${platform}: the controller shows what the tools wrote`)
}

for (const [platform, { start }] of Object.entries({ Express: onExpress, Fastify: onFastify })) {
  const { origin, close } = await start(0)
  try {
    await check(platform, origin)
  } catch (error) {
    console.error('FAILED', error)
    process.exitCode = 1
  } finally {
    await close()
  }
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
