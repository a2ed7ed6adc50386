/** Servers for the command to talk to: ours in every revision, and those of the official SDK. */

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { McpRouter, PROTOCOL_VERSIONS } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../contract/client.js'
import { latch } from '../../contract/fixtures.js'
import { quiet } from '../../contract/host.js'

/** Listens until the test is over. Its origin. */
export async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export type Answer = (message: Json, res: ServerResponse, req: IncomingMessage) => unknown

export const json = (res: ServerResponse, value: object): void =>
  void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
export const stream = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'content-type': 'text/event-stream' })
export const answer = ({ id }: Json, result: object): object => ({ jsonrpc: '2.0', id, result })

/** A server that answers each message by its method; what has no row with a list without tools. */
export async function serving(rows: Record<string, Answer>): Promise<string> {
  const origin = await listening(async (req, res) => {
    let body = ''
    for await (const part of req.setEncoding('utf8')) body += part
    const message = body === '' ? { method: req.method } : JSON.parse(body)
    const row = rows[message.method] ?? ((_, response) => json(response, answer(message, { tools: [] })))
    row(message, res, req)
  })
  return `${origin}/mcp`
}

export const modern: Answer = (message, res) =>
  json(res, answer(message, { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }))
export const noDiscovery: Answer = (message, res) =>
  json(res, { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } })
export const agrees =
  (protocolVersion: unknown): Answer =>
  (message, res) =>
    json(res, answer(message, { protocolVersion, capabilities: { tools: {} } }))
export const old = { 'server/discover': noDiscovery, initialize: agrees('2025-06-18') }

/** Everything that a person may want to try. */
export async function ours(protocolVersions: readonly string[] = PROTOCOL_VERSIONS) {
  const router = new McpRouter<object>({ logger: quiet, protocolVersions, pageSize: 3, exposeErrors: false })
  const running = latch()
  const aborted = latch()
  router.tool('add', {
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    handler: ({ a, b }, ctx) => {
      ctx.progress(1, 2, 'half')
      ctx.log.info('adding', { a, b })
      return { sum: a + b }
    },
  })
  router.tool('who', {
    description: 'Says who calls.',
    handler: (_, { request, protocolVersion }) => ({
      token: request?.headers.authorization,
      key: request?.headers['x-key'],
      protocolVersion,
    }),
  })
  router.tool('where', {
    description: 'Has an argument that is repeated in a header.',
    input: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } },
    handler: ({ city }, { request }) => ({ city, header: request?.headers['mcp-param-city'] }),
  })
  router.tool('fail', { description: 'Fails.', handler: () => Promise.reject(new Error('secret')) })
  router.tool('ask', {
    description: 'Asks.',
    handler: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', schema: z.object({}) })).action,
  })
  router.tool('later', {
    description: 'Lets its client come back.',
    async handler(_, ctx) {
      const closed = ctx.closeStream({ retryMs: 1 })
      return `closed: ${closed}`
    },
  })
  router.tool('hang', {
    description: 'Never ends.',
    handler: (_, { signal }) => {
      running.open()
      return new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.open()
          resolve('aborted')
        })
      })
    },
  })
  router.resource('note://{+id}', { description: 'A note.', handler: ({ id }) => `note ${id}` })
  router.resource('logo://app', { mimeType: 'image/png', handler: () => new Uint8Array([137, 0, 255]) })
  router.prompt('sum', {
    description: 'Sums up.',
    input: z.object({ id: z.string() }),
    handler: ({ id }) => `Sum up ${id}`,
  })
  const origin = await listening(mcp(router, { legacySse: true }))
  return { url: `${origin}/mcp`, sse: `${origin}/mcp/sse`, running: running.opened, aborted: aborted.opened }
}

function sdkServer(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' })
  server.registerTool(
    'hello',
    { description: 'Says hello.', inputSchema: { name: z.string() } },
    ({ name }) => ({
      content: [{ type: 'text', text: `Hello ${name}` }],
    }),
  )
  return server
}

/** The SDK's Streamable HTTP, with sessions; answers in JSON or as a stream. */
export async function sdkStreamable(enableJsonResponse: boolean): Promise<string> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse })
  // Its own types disagree under exactOptionalPropertyTypes.
  await sdkServer().connect(transport as Parameters<McpServer['connect']>[0])
  return `${await listening((req, res) => void transport.handleRequest(req, res))}/mcp`
}

/** The SDK's HTTP+SSE, the transport of 2024-11-05. */
export async function sdkSse(): Promise<string> {
  let transport: SSEServerTransport | undefined
  const origin = await listening((req, res) => {
    const { pathname } = new URL(req.url ?? '', 'http://a')
    if (req.method === 'GET') {
      transport = new SSEServerTransport('/messages', res)
      void sdkServer().connect(transport)
    } else if (pathname === '/messages') void transport?.handlePostMessage(req, res)
    else res.writeHead(405).end()
  })
  return `${origin}/sse`
}
