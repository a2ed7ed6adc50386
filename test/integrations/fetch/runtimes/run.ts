/** Runs test files inside another runtime, and reports each outcome as a test of this run. */

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { it } from 'vitest'
import type { Outcome } from './outcomes.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const vitest = 'node_modules/vitest/vitest.mjs'
const config = 'test/integrations/fetch/runtimes/vitest.config.ts'

const runtimes = {
  bun: ['node_modules/.bin/bun', '--bun'],
  deno: ['node_modules/.bin/deno', 'run', '--allow-all'],
} as const

/** `file`: a test file of this folder. */
export async function reportOf(runtime: keyof typeof runtimes, file: string): Promise<void> {
  for (const { name, state, note, errors } of await outcomesOf(runtime, file)) {
    it(name, ({ skip }) => {
      if (state === 'skipped') skip(note ?? 'this host has no such thing')
      if (state !== 'passed') throw new Error(errors.join('\n'))
    })
  }
}

async function outcomesOf(runtime: keyof typeof runtimes, file: string): Promise<Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-router-'))
  const OUTCOMES_FILE = join(folder, 'outcomes.json')
  const [command, ...args] = runtimes[runtime]
  let said = ''
  try {
    await promisify(execFile)(command, [...args, vitest, 'run', '--root', root, '--config', config, file], {
      cwd: root,
      env: { ...process.env, OUTCOMES_FILE },
    }).catch((error) => {
      said = String(error.stderr || error) // it fails when a test does; which one stands in the file
    })
    return JSON.parse(await readFile(OUTCOMES_FILE, 'utf8'))
  } catch (error) {
    throw new Error(`${runtime} ran no tests: ${said}`, { cause: error })
  } finally {
    await rm(folder, { recursive: true })
  }
}
