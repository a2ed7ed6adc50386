/** Builds the app, starts it and checks it from outside, in both eras of the protocol. Needs the built package. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { start } from './server.js'

const { url, close } = await start({ 'token-of-ana': 'ana', 'token-of-ben': 'ben' })

try {
  const denied = await fetch(`${url}/api/mcp`, { method: 'GET' })
  assert.equal(denied.status, 405)
  assert.equal((await fetch(`${url}/api/mcp`, { method: 'DELETE' })).status, 400)
  await assert.rejects(connect('auto', 'no-token'))
  ok('MCP: GET is 405, a caller without a token is refused')
  await check('auto')
  await check('legacy')
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await close()
}

async function check(mode: 'auto' | 'legacy'): Promise<void> {
  const [ana, ben] = [await connect(mode, 'token-of-ana'), await connect(mode, 'token-of-ben')]
  const steps: (string | undefined)[] = []
  const params = { name: 'note_import', arguments: { texts: [`one, ${mode}`, `two, ${mode}`] } }
  await ana.callTool(params, { onprogress: ({ message }) => void steps.push(message) })
  assert.deepEqual(steps, [`one, ${mode}`, `two, ${mode}`])
  ok(`${mode}: progress arrives`)

  const { notes } = (await list(ana)) as { notes: string[] }
  assert.ok(notes.includes('Water the plants') && notes.includes(`two, ${mode}`), String(notes))
  assert.deepEqual(await list(ben), { notes: [] })
  ok(`${mode}: each user has their own notes`)
  await Promise.all([ana.close(), ben.close()])
}

async function list(client: Client): Promise<unknown> {
  return (await client.callTool({ name: 'note_list', arguments: {} })).structuredContent
}

async function connect(mode: 'auto' | 'legacy', token: string): Promise<Client> {
  const client = new Client({ name: 'notes-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit }))
  return client
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
