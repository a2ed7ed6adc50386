/** What docs/cluster.md promises. */

import { readFile } from 'node:fs/promises'
import express from 'express'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import type { RedisStore } from 'mcp-router/redis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { type Json, listen, modern } from './client.js'
import { mails, redis, written } from './preludes/cluster.js'
import { clusterPage, load } from './programs.js'

interface Exports {
  store: RedisStore
  router: McpRouter<object>
  working: McpRouter<object>
  connection: { close(): Promise<unknown> }
  stop(): Promise<void>
}

let page: Exports
let base: string

beforeAll(async () => {
  page = await load<Exports>(clusterPage)
  const app = express()
  app.use(mcp(page.router, { health: true }))
  base = await listen(app)
})
afterAll(() => redis.stop())

const health = async (): Promise<unknown> => (await fetch(`${base}/mcp/health`)).json()

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
}

describe('docs/cluster.md', () => {
  it('runs the report as a task of its own', async () => {
    await page.working.ready()
    const ask = (method: string, params: object): Promise<Json> =>
      page.working.handle(
        { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
        { user: { id: 7 } },
      )
    const { taskId } = (await ask('tools/call', { name: 'report', arguments: {} })).result
    await vi.waitFor(
      async () => expect((await ask('tasks/get', { taskId })).result.status).toBe('completed'),
      { interval: 10, timeout: 10_000 },
    )
    expect(written).toHaveLength(12)
    expect(mails).toEqual(['The report is there'])
    await page.working.close()
    await page.connection.close()
  })

  it('tells in its health how Redis is, and serves calls without it', async () => {
    expect(await health()).toMatchObject({ status: 'ok', store: { status: 'ok', gaps: 0 } })
    expect(await page.store.status()).toEqual({ lagMs: expect.any(Number), gaps: 0 })
    await redis.kill()
    expect(await health()).toMatchObject({ status: 'degraded', store: { status: 'away' } })
    expect((await modern(`${base}/mcp`, 'server/discover')).status).toBe(200)
  })

  it('closes what it made', async () => {
    await page.stop()
    await expect(page.store.get('key')).rejects.toThrow('closed')
  })

  it('has a manifest whose probes ask for what is served', async () => {
    const text = await readFile(new URL('../../examples/cluster/kubernetes.yaml', import.meta.url), 'utf8')
    const documents = parseAllDocuments(text).map((document) => document.toJS())
    expect(documents.map(({ kind }) => kind)).toEqual(['Secret', 'Deployment', 'Service', 'Ingress'])
    const [container] = documents[1].spec.template.spec.containers
    expect(container.readinessProbe.httpGet.path).toBe('/mcp/health')
    expect(container.env.map(({ name }: { name: string }) => name)).toContain('MCP_ROUTER_SECRET')
  })
})
