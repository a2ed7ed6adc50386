/** What docs/services.md promises. */

import type { McpRouter } from 'mcp-router'
import { testClient, textOf } from 'mcp-router/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { initialize, legacy, listen, modern } from './client.js'
import { app, steps } from './preludes/services.js'
import { load, servicesPage } from './programs.js'

describe('the page', () => {
  let router: McpRouter<object>
  let url: string
  const ana = { 'x-user': 'ana' }

  beforeAll(async () => {
    router = (await load<{ router: McpRouter<object> }>(servicesPage)).router
    url = `${await listen(app)}/mcp`
  })

  it('builds a class from singletons', async () => {
    expect(textOf(await testClient(router).callTool('note_count'))).toBe('0')
  })

  it('gives a call services, and takes them back', async () => {
    const { messages } = await modern(
      url,
      'tools/call',
      { name: 'note_add', arguments: { text: 'x' } },
      { headers: ana },
    )
    expect(messages[0].result.content).toEqual([{ type: 'text', text: 'Added.' }])
    expect(steps).toEqual(['ana begins', 'ana commits', 'ana releases'])
    expect(textOf(await testClient(router).callTool('note_count'))).toBe('1')
  })

  it('rebuilds what a session knows, and nothing of others', async () => {
    const folder = async (session: string | undefined, name?: string) => {
      const headers = { ...ana, ...(session !== undefined && { 'Mcp-Session-Id': session }) }
      const { messages } = await legacy(
        url,
        'tools/call',
        { name: 'folder', arguments: { name } },
        { headers },
      )
      return messages[0].result.content[0].text
    }
    const [first, second] = [await initialize(url, ana), await initialize(url, ana)]
    expect(await folder(first, 'work')).toBe('work')
    expect(await folder(first)).toBe('work')
    expect(await folder(second)).toBe('inbox')
    expect(await folder(undefined, 'work')).toBe('inbox')
  })
})
