/** What docs/start.md promises: each of its apps answers, beside what it served before. */

import type { Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialize, legacy, modern, portOf } from './client.js'
import { load, loadShown, startPage } from './programs.js'

const args = { name: 'note_search', arguments: { word: 'milk' } }

describe.each(['express', 'fastify', 'koa', 'node', 'hono'])('the app on %s', (host) => {
  let base: string
  const port = process.env.PORT

  beforeAll(async () => {
    process.env.PORT = '0'
    await load(startPage)
    const { server } = await loadShown<{ server: Server }>(`start/${host}.ts`)
    base = `http://127.0.0.1:${await portOf(server)}`
  }, 60_000)
  afterAll(() => {
    process.env.PORT = port
  })

  it('calls its tool, in both eras', async () => {
    const { messages } = await modern(`${base}/mcp`, 'tools/call', args)
    expect(messages[0].result.content).toEqual([{ type: 'text', text: '["Buy milk"]' }])
    const headers = { 'Mcp-Session-Id': await initialize(`${base}/mcp`) }
    const answer = await legacy(`${base}/mcp`, 'tools/call', args, { headers })
    expect(answer.messages[0].result.content).toEqual([{ type: 'text', text: '["Buy milk"]' }])
  })

  it('serves the app as before', async () => {
    expect(await (await fetch(base)).text()).toBe('my app')
  })
})
