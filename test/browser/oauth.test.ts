/** The OAuth example in a real browser: login and consent pages, on the way to a token that the API takes. */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

it('logs in with Chromium, for both official clients', { timeout: 60_000 }, async ({ skip }) => {
  if (process.env.CI !== 'true') skip(!existsSync(chromium), `there is no Chromium at ${chromium}`)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'examples/oauth/browser.ts'],
    {
      cwd: root,
      env: { ...process.env, TSX_TSCONFIG_PATH: 'examples/oauth/tsconfig.json' },
      timeout: 50_000,
    },
  )
  expect(stdout).toBe('ok v1: logged in with Chromium\nok v2: logged in with Chromium\n')
})
