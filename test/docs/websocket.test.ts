/** What docs/websocket.md promises. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpRouter } from 'mcp-router'
import { attachWebSocket } from 'mcp-router/websocket'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { portOf } from './client.js'
import { fastifyApp } from './preludes/websocket.js'
import { load, websocketPage } from './programs.js'

let page: { start(port: number): Server }

beforeAll(async () => {
  page = await load(websocketPage)
})

async function whoami(url: string, headers: Record<string, string>): Promise<unknown> {
  const socket = new WebSocket(url, 'mcp', { headers })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }))
  const [data] = await once(socket, 'message')
  const { result, error } = JSON.parse(String(data))
  return error?.code ?? result.content[0].text
}

it('serves connections beside the app, as whoever `user` finds', async () => {
  const port = await portOf(page.start(0))
  expect(await whoami(`ws://127.0.0.1:${port}/mcp`, { 'X-User': 'ana' })).toBe('ana')
  expect(await whoami(`ws://127.0.0.1:${port}/mcp`, {})).toBe(-31001)
})

it('is a route of Fastify, behind the login of the app', async () => {
  await fastifyApp.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => fastifyApp.close())
  const { port } = fastifyApp.server.address() as AddressInfo
  expect(await whoami(`ws://127.0.0.1:${port}/mcp/ws`, { 'X-User': 'ana' })).toBe('ana')
  await expect(whoami(`ws://127.0.0.1:${port}/mcp/ws`, {})).rejects.toThrow('401')
})

it('has a place in the page for every option', async () => {
  let message = ''
  try {
    attachWebSocket(new McpRouter<object>(), createServer(), { zzzzzzzzzz: true } as object)
  } catch (error) {
    message = (error as Error).message
  }
  const known = /known are (.*)$/.exec(message)?.[1]?.match(/\w+/g) ?? []
  expect(known.length).toBeGreaterThan(10)
  const text = await readFile(new URL('../../docs/websocket.md', import.meta.url), 'utf8')
  expect(known.filter((name) => !text.includes(`\`${name}`))).toEqual([])
})
