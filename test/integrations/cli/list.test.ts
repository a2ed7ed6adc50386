/** `mcp-router list` in a process of its own. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

function run(...args: readonly string[]): Promise<Ran> {
  const command = [
    'node_modules/tsx/dist/cli.mjs',
    '--tsconfig',
    'tsconfig.json',
    'integrations/cli/bin.ts',
    ...args,
  ]
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      command,
      { cwd: root, env: { ...process.env, NO_COLOR: '1' } },
      (failed, out, error) =>
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

test('waits for the plugins of a Fastify app, and passes where all is guarded', async () => {
  const { code, out } = await run('list', `${apps}/fastify.ts`, '--fail-on', 'unguarded-write')
  expect(out).toContain('post_orders')
  expect(code).toBe(0)
})

test.each([
  [['list', `${apps}/nothing.ts`], 'exports no router'],
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
