/** TypeScript and CommonJS files as each runtime loads them, and loads them again. */

import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { installed } from '../../support/installed.js'

// Runtimes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const root = fileURLToPath(new URL('../../..', import.meta.url))
const bin = (name: string): string => join(root, 'node_modules/.bin', name)
let folder: string

beforeEach(async () => {
  const project = await installed(fileURLToPath(new URL('./runtimes', import.meta.url)))
  folder = project.folder
  onTestFinished(project.remove)
})

async function run(command: string, ...args: string[]): Promise<unknown> {
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const { stdout } = await promisify(execFile)(command, [...args, 'main.mjs'], {
    cwd: folder,
    env: { ...env, NODE_ENV: 'development', NO_COLOR: '1' },
  })
  return JSON.parse(stdout)
}

const loaded = {
  files: ['tools/notes/search.ts', 'tools/old.cjs', 'resources/notes/[id].mjs'],
  before: ['1: Buy milk', 'old 1', 'note 7'],
  after: ['2: Buy milk', 'old 2', 'note 7'],
}
const readsTypeScript = 'typescript' in process.features && process.features.typescript !== false

it('are loaded by Node with tsx', async () => {
  expect(await run(process.execPath, '--import', 'tsx')).toEqual(loaded)
})

it('are loaded by jiti where Node cannot', async () => {
  expect(await run(process.execPath)).toEqual(loaded)
})

it('are loaded by Bun', async () => {
  expect(await run(bin('bun'))).toEqual(loaded)
})

it('are loaded by Deno', async () => {
  expect(await run(bin('deno'), 'run', '--allow-all')).toEqual(loaded)
})

it('are loaded by Node alone since 22.18, and refused with what to do before', async () => {
  // A jiti that cannot be loaded hides the one of the repository.
  await mkdir(join(folder, 'node_modules/jiti'))
  await writeFile(join(folder, 'node_modules/jiti/package.json'), '{ "name": "jiti", "exports": {} }')
  const ran = run(process.execPath)
  if (readsTypeScript) expect(await ran).toEqual(loaded)
  else await expect(ran).rejects.toThrow(/tools\/notes\/search\.ts: could not be loaded: .*node --import tsx/)
})
