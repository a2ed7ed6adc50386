/** `mcp-router list` in a process of its own. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

function run(...args: readonly string[]): Promise<Ran> {
  const tsx = ['node_modules/tsx/dist/cli.mjs', '--tsconfig', 'tsconfig.json']
  return execute([...tsx, 'integrations/cli/bin.ts', ...args], root)
}

function execute(command: readonly string[], cwd: string): Promise<Ran> {
  const env = { ...process.env, NO_COLOR: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd, env }, (failed, out, error) =>
      resolve({
        code: typeof failed?.code === 'number' ? failed.code : failed === null ? 0 : -1,
        out,
        error,
      }),
    )
  })
}

const apps = 'test/integrations/cli/apps'

test('shows tools and routes of an Express app, and why the others are no tools', async () => {
  const { code, out, error } = await run('list', `${apps}/express.ts`)
  expect(error).toContain('listening')
  expect(code).toBe(0)
  expect(out).toBe(
    [
      'KIND  NAME                 ROUTE                GUARDS        CHECKS CALLER  SCHEMA',
      'tool  greet',
      'tool  get_orders           GET /orders                        no             path',
      'tool  delete_orders_by_id  DELETE /orders/{id}  requireLogin  yes            path',
      'tool  order_add            POST /orders         loadShop      unknown        path',
      '',
      'NO TOOL      REASON',
      'GET /secret  neither marked nor included',
      '',
    ].join('\n'),
  )
})

test('fails on tools that write where nothing is known to check the caller', async () => {
  const { code, out, error } = await run(
    'list',
    `${apps}/express.ts`,
    '--json',
    '--fail-on',
    'unguarded-write',
  )
  expect(code).toBe(1)
  expect(error).toContain('order_add: POST /orders, checks the caller: unknown, behind loadShop')
  expect(error).not.toContain('delete_orders_by_id')
  expect(JSON.parse(out)).toContainEqual({
    kind: 'tool',
    name: 'delete_orders_by_id',
    description: 'DELETE /orders/{id}',
    method: 'DELETE',
    path: '/orders/{id}',
    guards: ['requireLogin'],
    checksCaller: 'yes',
    schemaSource: 'path',
  })
})

test('waits for the plugins of a Fastify app, finds the mount in a scope, and passes where all is guarded', async () => {
  const { code, out } = await run('list', `${apps}/fastify.ts`, '--fail-on', 'unguarded-write')
  expect(out).toContain('post_orders')
  expect(out).toMatch(/POST \/orders +verifyJWT +yes/)
  expect(code).toBe(0)
})

test('reads a Koa app in JavaScript, whose only tools are its marked routes', async () => {
  const { code, out } = await run('list', `${apps}/koa.js`, '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject([
    {
      name: 'get_books_by_id',
      description: 'One book.',
      method: 'GET',
      path: '/books/{id}',
      checksCaller: 'no',
    },
    { name: 'book_put', method: 'PUT', guards: ['requireOwner'], checksCaller: 'yes' },
  ])
})

test('waits for documents, and says where nobody can tell what guards a tool', async () => {
  const { code, out, error } = await run('list', `${apps}/documented.ts`, '--fail-on', 'unguarded-write')
  expect(out).toMatch(/^tool +order_list +GET \/orders +no +openapi$/m)
  const reason = 'it runs at https://billing.example.com, and what that checks nobody here can tell'
  expect(out).toMatch(new RegExp(`^tool +bill_put +PUT /bills/{id} +${reason} +unknown +openapi$`, 'm'))
  expect(error).toContain(`bill_put: PUT /bills/{id}, checks the caller: unknown, ${reason}`)
  expect(code).toBe(1)
})

test('explains itself', async () => {
  const { code, out } = await run('--help')
  expect(out).toContain('mcp-router list <module> [--json] [--fail-on unguarded-write]')
  expect(code).toBe(0)
})

test('fails with what the module throws', async () => {
  const { code, error } = await run('list', `${apps}/failing.js`)
  expect(error).toContain('no database')
  expect(code).toBe(2)
})

describe('TypeScript, in a Node that nobody prepared for it', () => {
  let folder: string
  let bin: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcp-router-'))
    bin = join(folder, 'bin.mjs')
    await build({
      absWorkingDir: root,
      entryPoints: ['integrations/cli/bin.ts'],
      outfile: bin,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: { '#runtime': `${root}integrations/node/runtime.ts` },
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('is read with the tsx of the app', async () => {
    const { code, out } = await execute([bin, 'list', `${apps}/express.ts`], root)
    expect(out).toContain('delete_orders_by_id')
    expect(code).toBe(0)
  })

  test('is refused with a hint where neither Node nor the app can read it', async () => {
    await writeFile(join(folder, 'app.ts'), 'export const app: number = 1\n')
    const { typescript } = process.features as { typescript?: unknown }
    const flags = typescript === 'strip' ? ['--no-experimental-strip-types'] : []
    const { code, error } = await execute([...flags, bin, 'list', 'app.ts'], folder)
    expect(error).toContain('npm install --save-dev tsx')
    expect(code).toBe(2)
  })
})

test.each([
  [['list', `${apps}/nothing.ts`], 'add one to them'],
  [['list'], 'Usage'],
  [['lisst', `${apps}/express.ts`], 'Usage'],
  [['list', `${apps}/express.ts`, '--fail-on', 'anything'], 'expected unguarded-write, got anything'],
  [['list', `${apps}/express.ts`, '--jsn'], '--jsn'],
  [['list', 'nowhere.ts'], 'nowhere.ts'],
])('says what is wrong with %j', async (args, message) => {
  const { code, error } = await run(...args)
  expect(error).toContain(message)
  expect(code).toBe(2)
})
