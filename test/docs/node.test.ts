/** What docs/node.md promises. */

import type { Server } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { McpRouter } from 'mcp-router'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Json, listen, modern, portOf, post } from './client.js'
import { app, clock } from './preludes/node.js'
import { load, nodePage } from './programs.js'

interface Page {
  router: McpRouter
  server: Server
  beside: Server
  secure: https.Server
  modern: http2.Http2SecureServer
  stop(): Promise<void>
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const asAna = { headers: { Authorization: 'Bearer of-ana' } }
let page: Page
let base: string

beforeAll(async () => {
  page = await load<Page>(nodePage)
  base = await listen(page.server)
})

const whoami = async (url: string, headers: Record<string, string>): Promise<Json> =>
  (await modern(url, 'tools/call', { name: 'whoami' }, { headers })).messages[0]

it('knows the caller by what `user` finds, and tells its health', async () => {
  expect((await whoami(`${base}/mcp`, asAna.headers)).result.content[0].text).toBe('ana')
  expect((await whoami(`${base}/mcp`, {})).error.code).toBe(-31001)
  expect(await (await fetch(`${base}/mcp/health`)).json()).toMatchObject({ status: 'ok', server: 'clock' })
})

it.each(['/', '/other', '/MCP', '/%6dcp', '//mcp', '/mcp/else'])('answers 404 to %s', async (path) => {
  expect((await post(base + path, ping)).status).toBe(404)
})

it('leaves the rest to the app that it is in', async () => {
  const url = await listen(page.beside)
  expect(await (await fetch(`${url}/tasks`)).text()).toBe('the rest of the app')
  expect((await post(`${url}/mcp`, ping)).messages[0].result).toEqual({})
})

it('is middleware of a connect-style app, with its login', async () => {
  const server = (await import('node:http')).createServer(app)
  const url = await listen(server)
  expect((await whoami(`${url}/api/mcp`, { 'X-User': 'ben' })).result.content[0].text).toBe('login:ben')
  expect((await post(`${url}/mcp`, ping)).status).toBe(404)
})

it.each(['secure', 'modern'] as const)('serves HTTPS to clients of HTTP/1.1: %s', async (name) => {
  const port = await portOf(page[name].listen(0))
  const body = JSON.stringify(ping)
  const status = await new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', Connection: 'close' }
    https
      .request({ port, path: '/mcp', method: 'POST', headers, rejectUnauthorized: false }, (answer) => {
        answer.resume()
        resolve([answer.statusCode, answer.httpVersion])
      })
      .on('error', reject)
      .end(body)
  })
  expect(status).toEqual([200, '1.1'])
})

it('serves HTTP/2, and lets streams in flight end when their session is closed', async () => {
  const { port } = page.modern.address() as AddressInfo
  const accepted = new Promise<http2.ServerHttp2Session>((resolve) => page.modern.once('session', resolve))
  const session = http2.connect(`https://localhost:${port}`, { rejectUnauthorized: false })
  onTestFinished(() => session.destroy())
  const held = hold()
  const stream = session.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' })
  stream.end(JSON.stringify({ ...ping, method: 'tools/call', params: { name: 'held' } }))
  await held.running
  ;(await accepted).close()
  held.release()
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  expect(JSON.parse(text).result.content[0].text).toBe('released')
})

it('asks a guard around a call', async () => {
  const call = async () =>
    (await modern(`${base}/mcp`, 'tools/call', { name: 'night_shift' }, asAna)).messages[0].result
  expect(await call()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Come back at night') }],
  })
  clock.hour = 3
  expect(await call()).toMatchObject({ content: [{ text: 'good night' }] })
})

it('stops: new calls get 503, running ones end, and the server closes', async () => {
  const closed = new Promise((resolve) => page.server.once('close', resolve))
  const held = hold()
  const answer = modern(`${base}/mcp`, 'tools/call', { name: 'held' })
  await held.running
  const stopped = page.stop()
  expect((await post(`${base}/mcp`, ping)).status).toBe(503)
  held.release()
  expect((await answer).messages[0].result.content[0].text).toBe('released')
  await stopped
  await closed
})

/** A tool `held` that runs until it is released; the test takes it with it. */
function hold() {
  let release = (): void => {}
  const running = new Promise<void>((resolve) => {
    const { remove } = page.router.tool('held', {
      description: 'd',
      async handler() {
        resolve()
        await new Promise<void>((done) => {
          release = done
        })
        return 'released'
      },
    })
    onTestFinished(() => void remove())
  })
  return { running, release: () => release() }
}
