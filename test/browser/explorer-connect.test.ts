/** What the page gives people to paste: it is what each client documents, and what is a command is run. */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type Handler, mcp } from 'mcp-router/node'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { z } from 'zod'
import { installOnce } from '../../scripts/cached-install.mjs'
import type { Host } from '../contract/host.js'
import { nodeHost, overHttp } from '../integrations/node/host.js'
import { demo } from './explorer/fixtures.js'
import { choose, explorerOn, hasChromium, press } from './explorer/page.js'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../../.cache/connect/', import.meta.url))
/** As published; a newer one is a decision. */
const versions = { 'mcp-remote': '0.15.1', '@anthropic-ai/claude-code': '2.1.332' } as const

describe.skipIf(!hasChromium)('settings for clients', { timeout: 300_000 }, () => {
  const open = explorerOn(nodeHost(overHttp))

  it.each(Object.entries(shapes))('for %s are as it documents them', async (client, shape) => {
    const { page, origin } = await open(demo())
    const settings: unknown = JSON.parse(await settingsFor(page, client))
    expect(shape(`${origin}/mcp`).parse(settings)).toEqual(settings)
  })

  it('for ChatGPT are the URL', async () => {
    const { page, origin } = await open(demo())
    expect(await settingsFor(page, 'ChatGPT')).toBe(`${origin}/mcp`)
  })

  it('for Claude Desktop start what reaches the server', async (test) => {
    const { page } = await open(demo())
    await startsWhatReaches(await settingsFor(page, 'Claude Desktop'), test)
  })

  it.runIf(process.platform === 'linux')('do so without TLS on a network too', async (test) => {
    const { page, origin } = await open({ ...demo(), host: onAnotherAddress })
    expect(origin).not.toContain('127.0.0.1')
    await startsWhatReaches(await settingsFor(page, 'Claude Desktop'), test)
  })

  it('for Claude Code connect it', async (test) => {
    const program = '@anthropic-ai/claude-code'
    test.skip(process.env.CI !== 'true', `400 MB to fetch: CI=true does it, and runs ${program}`)
    const folder = await install(program, test)
    const { page, origin } = await open(demo())
    const home = await temporary()
    await mkdir(join(home, 'bin'))
    // Install scripts are not run, which would put it in its place.
    const binary = join(folder, `node_modules/${program}-${process.platform}-${process.arch}/claude`)
    await symlink(binary, join(home, 'bin/claude'))
    const shell = (command: string) =>
      run('/bin/sh', ['-c', command], {
        cwd: home,
        env: {
          HOME: home,
          PATH: `${home}/bin:/usr/bin:/bin`,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_TELEMETRY: '1',
        },
      })
    await shell(await settingsFor(page, 'Claude Code'))
    expect((await shell('claude mcp list')).stdout).toContain(`demo: ${origin}/mcp (HTTP) - ✔ Connected`)
  })

  it('go for recent calls too: as a command for curl', async (test) => {
    const has = await run('curl', ['--version']).then(
      () => true,
      () => false,
    )
    test.skip(!has, 'there is no curl')
    const { page } = await open(demo())
    await choose(page, 'task_add')
    await page.getByLabel('title').fill(`Don't "ask" $HOME`)
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    await press(page, 'Activity')
    await page.getByRole('button', { name: 'task_add as curl' }).click()
    const command = (await page.locator('.copyable pre').textContent()) ?? ''
    const { stdout } = await run('/bin/sh', ['-c', command])
    const [{ text: answer }] = JSON.parse(stdout).result.content
    expect(JSON.parse(answer).title).toBe(`Don't "ask" $HOME`)
  })
})

/** What each says of its file, for a server that is reached by its URL. */
const shapes: Readonly<Record<string, (url: string) => z.ZodType>> = {
  // https://modelcontextprotocol.io/docs/develop/connect-local-servers
  'Claude Desktop': (url) =>
    z.strictObject({
      mcpServers: z.strictObject({
        demo: z.strictObject({
          command: z.literal('npx'),
          args: z.tuple([z.literal('-y'), z.literal('mcp-remote'), z.literal(url)]),
        }),
      }),
    }),
  // https://cursor.com/docs/mcp
  Cursor: (url) =>
    z.strictObject({ mcpServers: z.strictObject({ demo: z.strictObject({ url: z.literal(url) }) }) }),
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
  'VS Code': (url) =>
    z.strictObject({
      servers: z.strictObject({ demo: z.strictObject({ type: z.literal('http'), url: z.literal(url) }) }),
    }),
  // https://docs.windsurf.com/windsurf/cascade/mcp
  Windsurf: (url) =>
    z.strictObject({ mcpServers: z.strictObject({ demo: z.strictObject({ serverUrl: z.literal(url) }) }) }),
  // https://zed.dev/docs/ai/mcp
  Zed: (url) =>
    z.strictObject({ context_servers: z.strictObject({ demo: z.strictObject({ url: z.literal(url) }) }) }),
}

/** The text as it stands there. */
async function settingsFor(page: Page, client: string): Promise<string> {
  await press(page, 'Connect')
  await press(page, client)
  await page.getByRole('heading', { name: client, level: 3 }).waitFor()
  return (await page.getByRole('region', { name: 'Connect a client' }).locator('pre').textContent()) ?? ''
}

/** Does what the client does with them: starts the command, and speaks with it. */
async function startsWhatReaches(settings: string, test: TestContext): Promise<void> {
  const { command, args } = JSON.parse(settings).mcpServers.demo
  const folder = await install('mcp-remote', test)
  const home = await temporary()
  const transport = new StdioClientTransport({
    command,
    args,
    // There npx finds it, in the version that is meant.
    cwd: folder,
    env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, MCP_REMOTE_CONFIG_DIR: home },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'desktop', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(transport as never) // its `sessionId` is typed without exactness
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('task_list')
  const { structuredContent } = await client.callTool({ name: 'task_list', arguments: {} })
  expect(structuredContent).toMatchObject({ tasks: [{ id: 1, title: 'First' }, { id: 2 }] })
}

/** Once; skips the test where no registry can be reached. */
async function install(name: keyof typeof versions, test: TestContext): Promise<string> {
  const folder = join(cache, name.replace(/\W+/g, '-'))
  const files = {
    'package.json': JSON.stringify({ private: true, dependencies: { [name]: versions[name] } }),
  }
  try {
    await installOnce(folder, files)
  } catch (error) {
    if (process.env.CI === 'true') throw error
    test.skip(`${name} cannot be installed: ${(error as Error).message}`)
  }
  return folder
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'explorer-connect-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Where clients take nobody to be at home. */
const onAnotherAddress: Host = {
  ...nodeHost(overHttp),
  async start({ router, options }) {
    const server = createServer(mcp(router, options as object) as Handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
    const { address, port } = server.address() as AddressInfo // what a server on a port has
    const close = async (): Promise<void> => {
      server.close()
      server.closeAllConnections()
    }
    return { origin: `http://${address}:${port}`, errors: [], close }
  },
}
