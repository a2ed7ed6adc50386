/** Checks the API from outside: the routes, then MCP as two users and in both eras of the protocol. */

import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createApp } from './app.js'

const app = await createApp('a secret of the self-check')
const url = await app.listen({ port: 0, host: '127.0.0.1' })

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  body: any
}

async function rest(method: string, path: string, token?: string, body?: object): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

async function connect(mode: 'auto' | 'legacy', token: string): Promise<Client> {
  const client = new Client({ name: 'self-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

async function checkMcp(mode: 'auto' | 'legacy', version: string, token: string): Promise<void> {
  const client = await connect(mode, token)
  assert.equal(client.getNegotiatedProtocolVersion(), version)
  const names = (await client.listTools()).tools.map(({ name }) => name)
  assert.deepEqual(names.sort(), ['note_add', 'note_import', 'note_list'])
  const added = await client.callTool({ name: 'note_add', arguments: { text: `from ${mode}` } })
  assert.equal((added.structuredContent as { owner: string }).owner, 'ana')
  const steps: number[] = []
  const imported = await client.callTool(
    { name: 'note_import', arguments: { texts: ['one', 'two'] } },
    { onprogress: ({ progress }) => steps.push(progress) },
  )
  assert.deepEqual(steps, [1, 2])
  assert.deepEqual(imported.content, [{ type: 'text', text: '2 notes kept' }])
  const { contents } = await client.readResource({ uri: 'notes://mine' })
  assert.match(JSON.stringify(contents), new RegExp(`from ${mode}`))
  await client.close()
  ok(`${mode}: tools, progress and a resource in ${version}`)
}

function ok(what: string): void {
  console.log(`ok ${what}`)
}

try {
  assert.equal((await rest('GET', '/notes')).status, 401)
  assert.equal((await rest('POST', '/login', undefined, { name: 'ana', password: 'guess' })).status, 401)
  assert.equal((await rest('POST', '/mcp', undefined, { jsonrpc: '2.0', id: 1, method: 'ping' })).status, 401)
  ok('nobody gets in without a token')
  const login = async (name: string, password: string): Promise<string> =>
    (await rest('POST', '/login', undefined, { name, password })).body.token
  const [ana, ben] = [await login('ana', 'correct horse'), await login('ben', 'battery staple')]
  assert.equal((await rest('POST', '/notes', ana, { text: '' })).status, 400)
  assert.equal((await rest('POST', '/notes', ana, { text: 'over REST' })).status, 201)
  await checkMcp('auto', '2026-07-28', ana)
  await checkMcp('legacy', '2025-11-25', ana)
  assert.equal((await rest('GET', '/notes', ana)).body.length, 7)
  assert.deepEqual((await rest('GET', '/notes', ben)).body, [])
  ok('REST and MCP share the notes, and users do not')
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await app.close()
}
