/** Starts the book API and checks it from outside: over REST, then over MCP as both users and in both eras. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ana, ben } from './users.js'

process.env.LOG_LEVEL ??= 'silent'
const { start } = await import('./server.js')
const { url, close } = await start(0)

async function rest(route: string, token = '', body?: unknown) {
  const [method = 'GET', path = '/'] = route.split(' ')
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (token) headers.Authorization = `Bearer ${token}`
  const answer = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
  const text = await answer.text()
  return {
    status: answer.status,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  }
}

async function connect(mode: 'auto' | 'legacy', token: string): Promise<Client> {
  const client = new Client({ name: 'book-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

async function call(client: Client, name: string, input = {}): Promise<string> {
  const { content, isError = false } = await client.callTool({ name, arguments: input })
  const [block] = content
  return `${isError ? 'refused: ' : ''}${block?.type === 'text' ? block.text : ''}`
}

try {
  assert.equal((await rest('GET /books')).status, 401)
  assert.equal((await rest('POST /login', '', { ...ana, password: 'guess' })).status, 401)
  assert.equal((await rest('POST /mcp', '', { jsonrpc: '2.0', id: 1, method: 'ping' })).status, 401)
  ok('nobody gets in without a token')

  const tokens = {
    ana: (await rest('POST /login', '', ana)).body.token,
    ben: (await rest('POST /login', '', ben)).body.token,
  }
  assert.equal((await rest('POST /books', tokens.ana, { title: 'Emma' })).status, 201)
  assert.equal((await rest('POST /books', tokens.ben, { title: 'Emma' })).status, 403)
  ok('REST: ana has a book, and ben is a guest')

  for (const mode of ['auto', 'legacy'] as const) {
    const [asAna, asBen] = [await connect(mode, tokens.ana), await connect(mode, tokens.ben)]
    const title = `Read over ${mode}`
    const { id } = JSON.parse(await call(asAna, 'book_add', { title }))
    const { body } = await rest('GET /books', tokens.ana)
    assert.deepEqual(JSON.parse(await call(asAna, 'book_list')), body)
    assert.ok(body.some((book: { title: string }) => book.title === title))
    assert.equal(await call(asBen, 'book_list'), '[]')
    ok(`${mode}: what MCP adds shows over REST, and nobody sees the books of others`)

    assert.equal(await call(asBen, 'book_add', { title: 'Mine' }), 'refused: Guests may only look')
    assert.match(await call(asAna, 'book_add', { title: 7 }), /^refused: .*title/)
    await call(asAna, 'book_lend', { id, lentTo: 'ben' })
    assert.equal(await call(asAna, 'book_lend', { id, lentTo: 'eva' }), `refused: ${title} is lent to ben`)
    ok(`${mode}: the app's own guard and errors refuse, in words that the model reads`)
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
