/** The explorer below a prefix, behind a proxy that adds another one. */

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { mcp } from 'mcp-router/express'
import { describe, expect, it } from 'vitest'
import type { Host, Started } from '../contract/host.js'
import { listen } from '../integrations/express/host.js'
import { demo } from './explorer/fixtures.js'
import { choose, explorerOn, hasChromium } from './explorer/page.js'

/** `/outer/…` of the proxy is `/…` of the app, where the endpoint is `/api/mcp`. */
const proxied: Host = {
  parsers: [],
  compresses: false,
  trustsProxies: true,
  async start({ router, options }) {
    const app = express()
    app.set('trust proxy', 'loopback')
    app.use('/api', mcp(router, options as object))
    return behind(await listen(app))
  },
}

async function behind(app: Started): Promise<Started> {
  const proxy = createServer((req, res) => {
    const url = new URL((req.url ?? '').replace(/^\/outer/, ''), app.origin)
    const headers = {
      ...req.headers,
      host: url.host,
      'x-forwarded-host': req.headers.host,
      'x-forwarded-for': '127.0.0.1',
    }
    const passed = request(url, { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    proxy.close()
    proxy.closeAllConnections()
    await app.close()
  }
  const { port } = proxy.address() as AddressInfo // what a server on a port has
  return { origin: `http://127.0.0.1:${port}`, errors: app.errors, close }
}

describe.skipIf(!hasChromium)('behind a proxy that takes a prefix away', { timeout: 60_000 }, () => {
  const open = explorerOn(proxied)

  it('finds its files, its endpoint and the recent calls', async () => {
    const { page, complaints } = await open({ ...demo(), path: '/outer/api/mcp' })
    await choose(page, 'task_list')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText(/^Done/).waitFor()
    await page.getByRole('button', { name: 'Activity', exact: true }).click()
    await page.getByText('Your own calls, the latest first.').waitFor()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText(/\/outer\/api\/mcp$/).waitFor()
    expect(complaints).toEqual([])
  })
})
