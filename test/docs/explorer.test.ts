/** docs/explorer.md does what it says. */

import { beforeAll, expect, it } from 'vitest'
import { buildExplorer } from '../../scripts/explorer.mjs'
import { listen } from './client.js'
import { app } from './preludes/explorer.js'
import { explorerPage, load } from './programs.js'

beforeAll(buildExplorer, 60_000)

it('shows the page where it says so', async () => {
  await load(explorerPage)
  const origin = await listen(app)
  const statusOf = async (path: string) =>
    (await fetch(origin + path, { headers: { Accept: 'text/html,*/*;q=0.8' } })).status
  expect(await statusOf('/mcp')).toBe(200)
  expect(await statusOf('/mcp/activity')).toBe(200)
  expect(await statusOf('/internal/mcp')).toBe(401)
  expect(await statusOf('/public/mcp')).toBe(405)
})
