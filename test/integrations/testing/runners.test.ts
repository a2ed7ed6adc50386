/** The test client belongs to no runner: the same test under each of them, with the package as it is installed. */

import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { installed } from '../../support/installed.js'

const { resolve } = createRequire(import.meta.url)
// A runner starts slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let project: Awaited<ReturnType<typeof installed>>

beforeAll(async () => {
  project = await installed(fileURLToPath(new URL('./runners', import.meta.url)))
})
afterAll(() => project.remove())

/** What it printed. Rejects where a test failed. */
async function run(...args: string[]): Promise<string> {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, VITEST: ___, ...env } = process.env
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: project.folder,
    env: { ...env, NODE_ENV: 'test', NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  return stdout + stderr
}

it('runs under jest, in CommonJS', async () => {
  const config = JSON.stringify({ testMatch: ['**/with-jest.test.cjs'], transform: {} })
  const printed = await run(resolve('jest/bin/jest'), '--config', config, '--rootDir', project.folder)
  expect(printed).toMatch(/^Tests: +4 passed, 4 total$/m)
})

it('runs under node:test', async () => {
  const printed = await run('--test', '--test-reporter=tap', 'with-node.test.mjs')
  expect(printed).toMatch(/^# pass 4$/m)
  expect(printed).toMatch(/^# fail 0$/m)
})

it('runs under vitest', async () => {
  const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
  const printed = await run(vitest, 'run', '--root', project.folder)
  expect(printed).toMatch(/Tests +4 passed \(4\)/)
})
