/** What docs/fetch.md promises. */

import { readFile } from 'node:fs/promises'
import type { McpRouter } from 'mcp-router'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Db, started } from './preludes/fetch.js'
import type { User } from './preludes/user.js'
import { complaintsAboutPage, fetchPage, load } from './programs.js'

type Fetch = (request: Request, second?: object) => Promise<Response>
interface Page {
  router: McpRouter<{ user: User | undefined; db: Db }>
  handler: Fetch
  answer: Fetch
  app: { fetch: Fetch }
  POST: Fetch
  default: { fetch: Fetch }
}

let page: Page

beforeAll(async () => {
  page = await load<Page>(fetchPage)
  page.router.tool('look', {
    description: 'Shows its caller.',
    handler: (_, { user, db, request }) => ({ user: user?.id, region: db.region, ip: request?.ip }),
  })
})

async function look(fetch: Fetch, path = '/mcp', second?: object): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', 'X-User': 'ben', 'CF-Connecting-IP': '203.0.113.9' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look' } })
  const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body })
  const response = await fetch(request, second)
  if (response.status !== 200) return response.status
  const { result } = (await response.json()) as { result: { content: { text: string }[] } }
  return JSON.parse(result.content[0]?.text ?? '')
}

it('compiles', async () => {
  expect(await complaintsAboutPage(fetchPage)).toBe('')
}, 60_000)

it('names every member of the second argument', async () => {
  const text = await readFile(new URL('../../docs/fetch.md', import.meta.url), 'utf8')
  for (const name of ['user', 'context', 'body', 'peerAddress', 'ip'])
    expect(text).toContain(`| \`${name}\` |`)
})

describe('the handlers of the page', () => {
  it('ask the options of the mount, and serve /mcp alone', async () => {
    expect(await look(page.handler)).toEqual({ user: 'ben', region: 'eu' })
    expect(await look(page.handler, '/api/mcp')).toBe(404)
  })

  it('take what comes beside the request', async () => {
    expect(await look(page.answer)).toEqual({ user: 'ana', region: 'eu', ip: '192.0.2.1' })
  })

  it('serve Hono, Next.js and Workers', async () => {
    expect(await look(page.app.fetch)).toEqual({ user: 'ben', region: 'eu' })
    expect(await look(page.POST, '/api/mcp', { params: {} })).toEqual({ user: 'ben', region: 'eu' })
    expect(await look(page.default.fetch)).toEqual({ user: 'ben', region: 'eu', ip: '203.0.113.9' })
  })

  it('serve Bun and Deno, who tell the address of the peer', async () => {
    const server = { requestIP: () => ({ address: '192.0.2.3' }) }
    expect(await look(started.bun as Fetch, '/mcp', server)).toMatchObject({ ip: '192.0.2.3' })
    const info = { remoteAddr: { transport: 'tcp', hostname: '192.0.2.2', port: 1 } }
    expect(await look(started.deno as Fetch, '/mcp', info)).toMatchObject({ ip: '192.0.2.2' })
  })
})
