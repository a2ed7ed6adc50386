/** docs/command-line.md: every command that it shows prints what it shows. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { bundled, bundledModule, root } from '../integrations/cli/binary.js'
import { commandLinePage, load } from './programs.js'

const page = await readFile(new URL(`../../${commandLinePage.path}`, import.meta.url), 'utf8')
const shown = [...page.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.split('\n')
      return [command, lines.join('\n')] as const
    }),
)

const server = createServer()
let origin: string
beforeAll(async () => {
  // The port of the page is not ours to take.
  vi.spyOn(server.constructor.prototype, 'listen').mockReturnValueOnce(server)
  const { app } = await load<{ app: () => void }>(commandLinePage)
  vi.restoreAllMocks()
  server.on('request', app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 60_000)
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

it('shows commands', () => {
  expect(shown.length).toBeGreaterThan(8)
})

it.each(shown)('%s', async (command, output) => {
  const app = await bundledModule('test/docs/generated/docs-command-line-md.ts')
  const script = command
    .replace('npx mcp-router', `${process.execPath} ${await bundled()}`)
    .replace('./app.js', app)
    .replace('http://localhost:3000', origin)
    .replace(/> \S+$/, '> /dev/null')
  expect(await shell(script)).toBe(output)
})

/** What a person sees of it. */
async function shell(script: string): Promise<string> {
  const { NODE_ENV: _, ...env } = process.env
  const child = spawn('sh', ['-c', script], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let seen = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      seen += text
    })
  }
  await once(child, 'close')
  return seen
}
