/** The code of README and docs compiles, and does what the pages say. */

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Express } from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { router as notes } from './preludes/definitions.js'
import { router as accounts } from './preludes/errors.js'
import { app as reports } from './preludes/mounting.js'
import { app as tasks } from './preludes/readme.js'
import { load } from './programs.js'

const servers: Server[] = []

async function listen(app: Express): Promise<string> {
  const server = app.listen(0)
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  await load(
    'README.md',
    [
      `import { app, billingRouter, passport, requireRole, TaskService, tasks, timings, type User } from '../preludes/readme.js'`,
      `import { NotFoundError, tool } from 'mcp-router'`,
      `import { guard } from 'mcp-router/express'`,
    ],
    ([mount = '', router = '', ...blocks]) => [router, mount, ...blocks],
  )
  await load('docs/definitions.md', [
    `import { notes, router } from '../preludes/definitions.js'`,
    `import { link, text } from 'mcp-router'`,
    `import { z } from 'zod'`,
  ])
  await load('docs/errors.md', [
    `import { router, tracker } from '../preludes/errors.js'`,
    `import { McpRouter, NotFoundError } from 'mcp-router'`,
    `import { pino } from 'pino'`,
    `import { z } from 'zod'`,
  ])
  await load('docs/mounting.md', [
    `import { app, router } from '../preludes/mounting.js'`,
    `import { guard, mcp } from 'mcp-router/express'`,
    `import { rateLimit } from 'express-rate-limit'`,
  ])
})
afterAll(() => {
  for (const server of servers) server.close()
})

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function ask(
  url: string,
  user: string,
  method: string,
  params: Record<string, unknown> = {},
  // biome-ignore lint/suspicious/noExplicitAny: results of every kind
): Promise<any> {
  const name = (params.name ?? params.uri) as string | undefined
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'X-User': user,
      ...(name !== undefined && { 'Mcp-Name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
  return ((await response.json()) as { result: unknown }).result
}

it('compiles', async () => {
  const cwd = new URL('../..', import.meta.url)
  const compiled = promisify(execFile)(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'test/docs'],
    { cwd },
  )
  const outcome = compiled.then(
    () => 'compiles',
    (error) => error.stdout,
  )
  await expect(outcome).resolves.toBe('compiles')
}, 60_000)

it('README: lists everything it defines, and shows each user their own tasks', async () => {
  const url = `${await listen(tasks)}/mcp`
  const { tools } = await ask(url, 'ana', 'tools/list')
  const names = tools.map((tool: { name: string }) => tool.name)
  expect(names).toEqual(['task_list', 'task_count', 'billing_invoice_list', 'task_rename', 'user_ban'])
  const texts = await Promise.all(
    ['ana', 'ben'].map(
      async (user) => (await ask(url, user, 'tools/call', { name: 'task_list' })).content[0].text,
    ),
  )
  expect(texts[0]).toContain('Water the plants')
  expect(texts[0]).not.toContain('Call the bank')
  expect(texts[1]).toContain('Call the bank')
  expect((await ask(url, 'ana', 'resources/read', { uri: 'task://1' })).contents[0].text).toBe(
    '# Water the plants',
  )
  expect(await ask(url, 'ben', 'resources/read', { uri: 'task://1' })).toBeUndefined()
})

it('README: refuses through the middleware of the app', async () => {
  const url = `${await listen(tasks)}/mcp`
  const refused = await ask(url, 'ben', 'tools/call', { name: 'user_ban', arguments: { id: '1' } })
  expect(refused).toMatchObject({ isError: true, content: [{ text: 'You need the role admin' }] })
  const allowed = await ask(url, 'ana', 'tools/call', { name: 'user_ban', arguments: { id: '1' } })
  expect(allowed).toMatchObject({ content: [{ text: 'banned 1' }] })
})

it('definitions: adds, finds, reads and prompts', async () => {
  expect((await notes.call('note_find', { word: 'milk' })).content[0]).toMatchObject({
    text: expect.stringContaining('Buy milk'),
  })
  expect((await notes.read('note://0?format=json')).contents[0]).toMatchObject({
    mimeType: 'application/json',
  })
  expect((await notes.getPrompt('note_review', { tag: 'home', count: '2' })).messages).toHaveLength(2)
  expect((await notes.call('note_card', { index: 0 })).content.map((block) => block.type)).toEqual([
    'text',
    'resource_link',
  ])
})

it('errors: shows what was meant for the caller and masks the rest', async () => {
  const texts = await Promise.all(
    ['unknown', 'locked', 'other'].map(
      async (id) => (await accounts.call('account_close', { id })).content[0],
    ),
  )
  expect(texts).toMatchObject([
    { text: 'There is no such account' },
    { text: 'The account is locked' },
    { text: expect.stringMatching(/^Internal error\. Reference: [\w-]+$/) },
  ])
})

it('mounting: serves below the prefix, with health and a guard', async () => {
  const base = await listen(reports)
  await expect(fetch(`${base}/api/mcp/health`).then((response) => response.json())).resolves.toMatchObject({
    status: 'ok',
  })
  const call = () => ask(`${base}/api/mcp`, 'ana', 'tools/call', { name: 'report' })
  expect(await call()).toMatchObject({ content: [{ text: 'report' }] })
  expect(await call()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/Try again in \d+ seconds/) }],
  })
})
