/** Checks the notes API from outside, over REST and over MCP, in both eras of the protocol. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { start } from './start.js'

const { url, close } = await start(0)

try {
  const [ana, ben] = [await login('ana', 'ana-likes-lists'), await login('ben', 'ben-likes-tea')]
  assert.equal((await fetch(`${url}/mcp`, { method: 'POST', body: '{}' })).status, 401)
  ok('MCP: no token is 401, from the login of the app')
  await check('auto', ana, ben)
  await check('legacy', ana, ben)
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await close()
}

async function check(mode: 'auto' | 'legacy', ana: string, ben: string): Promise<void> {
  const [asAna, asBen] = [await connect(mode, ana), await connect(mode, ben)]
  await asAna.callTool({ name: 'note_add', arguments: { text: `Made over MCP, ${mode}` } })
  const mine = await asAna.callTool({ name: 'note_list', arguments: {} })
  assert.deepEqual(mine.structuredContent, { notes: await rest('/notes', ana) })
  assert.notDeepEqual((await asBen.callTool({ name: 'note_list', arguments: {} })).structuredContent, mine)
  ok(`${mode}: each user has their own notes, the same as over REST`)

  const steps: (string | undefined)[] = []
  const params = { name: 'note_import', arguments: { texts: ['a', 'b'] } }
  await asAna.callTool(params, { onprogress: ({ message }) => void steps.push(message) })
  assert.deepEqual(steps, ['a', 'b'])
  ok(`${mode}: progress arrives`)
  await Promise.all([asAna.close(), asBen.close()])
}

async function login(name: string, password: string): Promise<string> {
  const body = JSON.stringify({ name, password })
  const answer = await fetch(`${url}/login`, { method: 'POST', body })
  return ((await answer.json()) as { token: string }).token
}

async function rest(path: string, token: string): Promise<unknown> {
  return (await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } })).json()
}

async function connect(mode: 'auto' | 'legacy', token: string): Promise<Client> {
  const client = new Client({ name: 'notes-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
