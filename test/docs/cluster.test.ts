/** What docs/cluster.md promises. */

import { readFile } from 'node:fs/promises'
import express from 'express'
import type { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import type { RedisStore } from 'mcp-router/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { listen, modern } from './client.js'
import { redis } from './preludes/cluster.js'
import { clusterPage, load } from './programs.js'

interface Exports {
  store: RedisStore
  router: McpRouter<object>
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

describe('docs/cluster.md', () => {
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
