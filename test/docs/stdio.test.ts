/** What docs/stdio.md promises. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { McpRouter } from 'mcp-router'
import { serveStdio } from 'mcp-router/stdio'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { portOf } from './client.js'
import { load, stdioPage } from './programs.js'

let page: { socketServer: Server }

beforeAll(async () => {
  page = await load(stdioPage)
})

const call = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'note_list' } })}\n`

it('serves whoever started the process, and closes the database', async () => {
  const program = new URL('generated/docs-stdio-md.ts', import.meta.url)
  const run = [
    '--import',
    'tsx',
    '--eval',
    `import(${JSON.stringify(program.href)}).then(({ main }) => main())`,
  ]
  const child = spawn(process.execPath, run, {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.json' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [out, error] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    error += text
  })
  child.stdin.end(call)
  await once(child, 'close')
  expect(JSON.parse(out).result.content[0].text).toContain('a note of whoever started this')
  expect(error).toContain('the database is closed')
})

it('serves streams of your own', async () => {
  const port = await portOf(page.socketServer.listen(0))
  onTestFinished(() => void page.socketServer.close())
  const socket = connect(port)
  socket.end(call)
  let text = ''
  for await (const part of socket.setEncoding('utf8')) text += part
  expect(JSON.parse(text).result.content[0].text).toContain('a note of local')
})

it('has a place in the page for every option', async () => {
  const refused = serveStdio(new McpRouter<object>(), { zzzzzzzzzz: true } as object)
  const message = await refused.catch((error) => (error as Error).message)
  const known = /known are (.*)$/.exec(message ?? '')?.[1]?.match(/\w+/g) ?? []
  expect(known.length).toBeGreaterThan(10)
  const text = await readFile(new URL('../../docs/stdio.md', import.meta.url), 'utf8')
  expect(known.filter((name) => !text.includes(`\`${name}`))).toEqual([])
})
