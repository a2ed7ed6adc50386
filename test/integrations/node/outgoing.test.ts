/** Requests that a route sends while it runs as a tool, on systems that don't list the machine's addresses. */

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import express, { type RequestHandler } from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { post } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'

vi.mock('node:os', async (original) => ({
  ...(await original<object>()),
  networkInterfaces: vi.fn(() => {
    throw new Error('uv_interface_addresses returned Unknown system error 13')
  }),
}))

const send: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  fetch: (url) => fetch(url),
  'node:http': (url) =>
    new Promise((resolve, reject) => {
      request(url, resolve).on('error', reject).end()
    }),
}

it.each(Object.entries(send))('are sent unchanged: %s', async (_, go) => {
  const router = new McpRouter({ logger: quiet })
  const app = express()
  let port = 0
  app.use(mcp(router, { app, routes: { include: ['/calls'] } }) as unknown as RequestHandler)
  app.get('/calls', async (_req, res) => {
    // An address of this machine that is not a name of the server.
    const outcome = await go(`http://[::ffff:127.0.0.1]:${port}/`).catch((error) => error)
    res.json({ sent: outcome !== undefined })
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((listening) => server.once('listening', listening))
  port = (server.address() as AddressInfo).port
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  process.on('uncaughtExceptionMonitor', onError)
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', onError))
  const call = rpc('tools/call', { name: 'get_calls', arguments: {} })
  const { json } = await post(`http://127.0.0.1:${port}/mcp`, call)
  expect(json).toMatchObject({ result: { content: [{ text: expect.stringContaining('true') }] } })
  expect(networkInterfaces).toHaveBeenCalledTimes(1)
  expect(errors).toEqual([])
})
