/** What docs/deploying.md promises. */

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Express } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { initialize, listen, modern, portOf, post } from './client.js'
import { app } from './preludes/deploying.js'
import { deployingPage, load } from './programs.js'

interface Exports {
  server: Server
  stop: () => Promise<void>
  shortLived: Express
  worker: { fetch: (request: Request) => Promise<Response> }
}

describe('the page', () => {
  let page: Exports
  beforeAll(async () => {
    Object.assign(process.env, { PORT: '0', PUBLIC_URL: 'https://api.example.com/mcp' })
    page = await load<Exports>(deployingPage)
    process.removeListener('SIGTERM', page.stop)
  }, 60_000)

  it('serves an app that tells its health, under its public name, and stops', async () => {
    const base = `http://127.0.0.1:${await portOf(page.server)}`
    expect(await (await fetch(`${base}/mcp/health`)).json()).toMatchObject({ status: 'ok', server: 'orders' })
    expect((await modern(`${base}/mcp`, 'server/discover')).status).toBe(200)
    const closed = once(page.server, 'close')
    page.server.closeIdleConnections()
    await page.stop()
    page.server.closeAllConnections()
    await closed
    expect((await modern(`${await listen(app)}/mcp`, 'server/discover')).status).toBe(503)
  })

  it('serves both eras without sessions and streams where a process is short', async () => {
    const url = `${await listen(page.shortLived)}/mcp`
    expect((await modern(url, 'server/discover')).status).toBe(200)
    expect(await initialize(url)).toBe('')
    expect((await fetch(url, { headers: { Accept: 'text/event-stream' } })).status).toBe(405)
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200)
  })

  it('is a Worker', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
    const request = new Request('https://api.example.com/mcp', { method: 'POST', headers, body })
    expect(await (await page.worker.fetch(request)).json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })
})
