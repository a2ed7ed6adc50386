/** `mcp-router list` in a process of its own. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundled, execute, root, run, temporaryFolder } from './binary.js'

const apps = 'test/integrations/cli/apps'

test('shows tools and routes of an Express app, and why the others are no tools', async () => {
  const { code, out, error } = await run('list', `${apps}/express.ts`)
  expect(error).toContain('listening')
  expect(code).toBe(0)
  expect(out).toBe(
    [
      'KIND  NAME                 ROUTE                GUARDS        CHECKS CALLER  SCHEMA                        DESCRIPTION',
      'tool  greet                                                                                                Greets',
      'tool  get_orders           GET /orders                        no             path; query unknown           GET /orders',
      'tool  delete_orders_by_id  DELETE /orders/{id}  requireLogin  yes            path; query unknown           DELETE /orders/{id}',
      'tool  order_add            POST /orders         loadShop      unknown        path; query and body unknown  Adds an order',
      '',
      'NOT A TOOL   REASON',
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
    undescribed: ['query'],
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
  expect(out).toMatch(/^tool +order_list +GET \/orders +no +openapi +.*$/m)
  const reason = 'it runs at https://billing.example.com, whose checks are unknown'
  expect(out).toMatch(new RegExp(`^tool +bill_put +PUT /bills/{id} +${reason} +unknown +openapi +.*$`, 'm'))
  expect(error).toContain(`bill_put: PUT /bills/{id}, checks the caller: unknown, ${reason}`)
  expect(code).toBe(1)
})

test('fails with what the module throws', async () => {
  const { code, error } = await run('list', `${apps}/failing.js`)
  expect(error).toContain('no database')
  expect(code).toBe(3)
})

describe('TypeScript, in a Node that nobody prepared for it', () => {
  test('is read with the tsx of the app', async () => {
    const { code, out } = await execute([await bundled(), 'list', `${apps}/express.ts`], root)
    expect(out).toContain('delete_orders_by_id')
    expect(code).toBe(0)
  })

  test('is refused with a hint where neither Node nor the app can read it', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'app.ts'), 'export const app: number = 1\n')
    const { typescript } = process.features as { typescript?: unknown }
    const flags = typescript === 'strip' ? ['--no-experimental-strip-types'] : []
    const { code, error } = await execute([...flags, await bundled(), 'list', 'app.ts'], folder)
    expect(error).toContain('npm install --save-dev tsx')
    expect(code).toBe(3)
  })
})

test.each([
  [['list', `${apps}/nothing.ts`], 'Add it to them', 3],
  [['list', 'nowhere.ts'], 'nowhere.ts', 3],
  [['list', `${apps}/express.ts`, '--fail-on', 'anything'], 'expected unguarded-write, got anything', 2],
])('says what is wrong with %j', async (args, message, expected) => {
  const { code, error } = await run(...args)
  expect(error).toContain(message)
  expect(code).toBe(expected)
})
