/** `serveStdio()` in a separate process: how it reserves stdout, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const server = ['--import', 'tsx', 'test/integrations/stdio/processes/server.ts']
const env = { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.json' } as Record<string, string>

function start(...args: string[]) {
  const child = spawn(process.execPath, [...server, ...args], { cwd: root, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.error += text
  })
  const ended = once(child, 'close') as Promise<[number | null, string | null]>
  return {
    child,
    said,
    ended,
    messages: () =>
      said.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  }
}

const call = (id: number, name: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })}\n`
const ping = (id: number): string => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`

/** Resolves when the process has responded, so that it's running. */
async function answered(child: ChildProcess): Promise<void> {
  child.stdin?.write(ping(0))
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
}

it('reserves stdout while it runs: everything else that is written there goes to stderr', async () => {
  const { child, said, ended, messages } = start('says')
  child.stdin.end(call(1, 'noise') + ping(2))
  expect(await ended).toEqual([0, null])
  const [last = '', ...lines] = said.out.trimEnd().split('\n').reverse()
  expect(last).toBe('after all')
  said.out = lines.join('\n')
  expect(
    messages()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([1, 2])
  for (const said_ of [
    'while it is loaded',
    'by console.log',
    'by console.info',
    'by console.table',
    'by process.stdout',
    'by fs.writeSync',
    'by an import of writeSync',
    'by fs.writeFileSync',
    'by pino',
    'by the end of a pipe',
    'closed',
  ])
    expect(said.error).toContain(said_)
})

it('writes to a file as to a pipe', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-router-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'in'), call(1, 'noise') + ping(2))
  const files = [openSync(join(folder, 'in'), 'r'), openSync(join(folder, 'out'), 'w')] as const
  const child = spawn(process.execPath, server, { cwd: root, env, stdio: [...files, 'ignore'] })
  expect(await once(child, 'close')).toEqual([0, null])
  for (const file of files) closeSync(file)
  const lines = (await readFile(join(folder, 'out'), 'utf8')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual([1, 2])
})

it('exits when its input ends, with every response written completely, even with open handles', async () => {
  const { child, ended, messages } = start('kept')
  const ids = [1, 2, 3, 4, 5]
  child.stdin.end(ids.map((id) => call(id, 'large')).join(''))
  expect(await ended).toEqual([0, null])
  expect(messages().map(({ id, result }) => [id, result.content[0].text.length])).toEqual(
    ids.map((id) => [id, 1024 * 1024]),
  )
})

it.each(['SIGTERM', 'SIGINT'] as const)('finishes running calls and exits on %s', async (signal) => {
  const { child, said, ended, messages } = start('kept')
  await answered(child)
  child.stdin.write(call(1, 'hold') + ping(2))
  await once(child.stdout, 'data')
  child.kill(signal)
  expect(await ended).toEqual([0, null])
  expect(messages().map(({ id }) => id)).toEqual([0, 2, 1])
  expect(said.error).toContain('closed')
})

it('exits at once on a second signal', async () => {
  const { child, said, ended } = start('drains')
  await answered(child)
  child.stdin.write(call(1, 'hold') + ping(2))
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  // Wait until the first one has arrived.
  for (let id = 3; !said.out.includes('closing'); id++) {
    child.stdin.write(ping(id))
    await once(child.stdout, 'data')
  }
  child.kill('SIGTERM')
  expect(await ended).toEqual([null, 'SIGTERM'])
})

it('exits when its output is closed', async () => {
  const { child, said, ended } = start('kept', 'drains')
  await answered(child)
  child.stdin.write(call(1, 'hold'))
  child.stdout.destroy()
  child.stdin.write(ping(2))
  expect(await ended).toEqual([0, null])
  expect(said.error).toContain('closed')
})

it.each(['auto', 'legacy'] as const)('serves the official client: %s', async (mode) => {
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: server,
    cwd: root,
    env,
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const { content } = await client.callTool({ name: 'noise', arguments: {} })
  expect(content).toEqual([{ type: 'text', text: 'quiet' }])
})
