/** Starts the server as a client does, and checks it from outside, in both eras of the protocol. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'notebook-'))
const file = join(folder, 'notes.txt')

const clients: Client[] = []

async function connect(mode: 'auto' | 'legacy'): Promise<{ client: Client; said: () => string }> {
  const client = new Client(
    { name: 'notebook-check', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { sure: true } }))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', path('server.ts')],
    env: { NOTEBOOK: file, TSX_TSCONFIG_PATH: path('tsconfig.json'), PATH: process.env.PATH ?? '' },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (text) => {
    said += text
  })
  await client.connect(transport)
  return { client, said: () => said }
}

async function call(client: Client, name: string, input: object): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...input } })
  const [block] = content
  return block?.type === 'text' ? block.text : ''
}

try {
  for (const mode of ['auto', 'legacy'] as const) {
    const { client, said } = await connect(mode)
    clients.push(client)
    assert.equal(await call(client, 'note_add', { text: `by ${mode}` }), 'Noted as 1.')
    assert.equal(await readFile(file, 'utf8'), `by ${mode}\n`)
    ok(`${mode}: a note is written`)

    const { contents } = await client.readResource({ uri: 'notebook://all' })
    assert.equal(contents[0] && 'text' in contents[0] && contents[0].text, `1. by ${mode}`)
    assert.match(await call(client, 'note_forget', { number: 7 }), /There is no note 7/)
    assert.equal(await call(client, 'note_forget', { number: 1 }), 'Removed.')
    assert.equal(await readFile(file, 'utf8'), '')
    ok(`${mode}: it is removed once the user agreed`)

    await client.close()
    assert.match(said(), /1 notes/)
    ok(`${mode}: what the server prints is on stderr, and it goes with its client`)
  }
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  for (const client of clients) await client.close()
  await rm(folder, { recursive: true })
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
