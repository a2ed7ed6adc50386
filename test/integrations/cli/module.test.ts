/** The command and modules in its own process. */

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { bundled, bundledModule, execute, root, run, start, temporaryFolder } from './binary.js'

const desk = 'test/integrations/cli/apps/desk.ts'

test('a module says who calls, and the port that it wants may be taken', async () => {
  const { code, out } = await run('call', desk, 'who', '--token', 'T')
  expect(JSON.parse(out)).toEqual({ user: { id: 'ana' }, desk: 'exported', token: 'Bearer T' })
  expect(code).toBe(0)
})

test('what was typed says it instead', async () => {
  const { out } = await run('call', desk, 'who', '--user', '{"id":"ben"}')
  expect(JSON.parse(out)).toEqual({ user: { id: 'ben' }, desk: 'exported' })
})

test('a route of the app runs with the headers', async () => {
  const { out } = await run('call', desk, 'get_orders_by_id', 'id=7', '-H', 'authorization: Basic x')
  expect(JSON.parse(out)).toEqual({ id: '7', token: 'Basic x' })
})

test('a fault of a module is shown to who called it', async () => {
  const { code, error } = await run('call', desk, 'fail')
  expect(error).toContain('at handler')
  expect(error).toMatch(/the printer is on fire\n$/)
  expect(code).toBe(1)
})

test('who calls is JSON, or nobody is called', async () => {
  const { code, error } = await run('call', desk, 'who', '--user', '{id}')
  expect({ code, error }).toEqual({
    code: 2,
    error: expect.stringContaining('--user: expected JSON such as'),
  })
})

test('a module that fails beside a call ends it with its error, and no answer', async () => {
  const { code, out, error } = await run('call', 'test/integrations/cli/apps/crashing.js', 'crash')
  expect({ code, out }).toEqual({ code: 3, out: '' })
  expect(error).toContain('Error: the pool is empty')
})

test('resources are read, questions declined', async () => {
  expect((await run('read', desk, 'note://7')).out).toBe('note 7\n')
  expect((await run('call', desk, 'ask')).out).toBe('decline\n')
})

test('a CommonJS module may export a router', async () => {
  expect(await run('call', 'test/integrations/cli/apps/router.cjs', 'hello')).toMatchObject({
    code: 0,
    out: 'hello\n',
  })
})

test('Ctrl-C cancels', async () => {
  const { process, said, ended } = start([await bundled(), 'call', await bundledModule(desk), 'hang'], root)
  await said('hanging')
  process.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 130, out: '' })
})

it('reads TypeScript with the jiti of the app', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(root, 'node_modules/jiti'), join(folder, 'node_modules/jiti'))
  await writeFile(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }')
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'src/names.ts'), "export enum Name { First = 'first' }\n")
  await writeFile(
    join(folder, 'app.ts'),
    `import { Name } from '@/names.js'
     const tool: object = { name: Name.First }
     export const router = {
       list: (): object[] => [{ kind: 'tool', ...tool }], call() {}, tool() {}, handle() {}, async ready() {},
     }\n`,
  )
  const { code, out, error } = await execute([await bundled(), 'list', 'app.ts'], folder)
  expect({ code, error }).toEqual({ code: 0, error: '' })
  expect(out).toContain('tool  first')
})
