/**
 * An app with `POST /add`, a plain JSON route, and an MCP server at `/mcp` whose tool `add` does the same. The arguments
 * select the framework and the MCP server: ours, or version 1 or 2 of the official SDK, mounted as its documentation says.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { McpRouter } from 'mcp-router'
import { mcp as expressMcp } from 'mcp-router/express'
import fastifyMcp from 'mcp-router/fastify'
import { mcp as koaMcp } from 'mcp-router/koa'
import { mcp as nodeMcp } from 'mcp-router/node'
import { z } from 'zod'
import { report } from './report.js'

const input = { a: z.number(), b: z.number() }
const serverInfo = { name: 'bench', version: '1.0.0' }
const add = ({ a, b }: { a: number; b: number }) => ({
  content: [{ type: 'text' as const, text: String(a + b) }],
})

const router = new McpRouter(serverInfo)
router.tool('add', {
  description: 'Adds two numbers.',
  input: z.object(input),
  handler: ({ a, b }) => String(a + b),
})
router.tool('echo', {
  description: 'Returns the text.',
  input: z.object({ text: z.string() }),
  handler: ({ text }) => text,
})
router.tool('checked', {
  description: 'Returns the text as structured content.',
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  handler: ({ text }) => ({ text }),
})

/** Returns the response of `add` in the era of the request, with the same bytes as ours. */
function addResponse(body: unknown): object {
  const { id, params } = body as {
    id: unknown
    params: { arguments: { a: unknown; b: unknown }; _meta?: object }
  }
  const { a, b } = params.arguments
  if (typeof a !== 'number' || typeof b !== 'number') throw new Error('expected two numbers')
  const content = [{ type: 'text', text: String(a + b) }]
  if (params._meta === undefined) return { jsonrpc: '2.0', id, result: { content } }
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
  return { jsonrpc: '2.0', id, result: { content, resultType: 'complete', _meta } }
}

/** Returns the response of the tool `echo`. */
function echoResponse(body: unknown): object {
  const { id, params } = body as { id: unknown; params: { arguments: { text: unknown } } }
  const { text } = params.arguments
  if (typeof text !== 'string') throw new Error('expected a text')
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }
}

/** Returns the response of the tool `checked`, with structured content. */
function checkedResponse(body: unknown): object {
  const { id, params } = body as { id: unknown; params: { arguments: { text: unknown } } }
  const { text } = params.arguments
  if (typeof text !== 'string') throw new Error('expected a text')
  const structuredContent = { text }
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }]
  return { jsonrpc: '2.0', id, result: { content, structuredContent } }
}

const routes: Readonly<Record<string, (body: unknown) => object>> = {
  '/add': addResponse,
  '/echo': echoResponse,
  '/checked': checkedResponse,
}

type Handle = (req: IncomingMessage & { body?: unknown }, res: ServerResponse) => Promise<void>

/** SDK 1: creates a server and a transport for each request, as its documentation says for stateless servers. */
const sdk1: Handle = async (req, res) => {
  const server = new McpServer1(serverInfo)
  server.registerTool('add', { description: 'Adds two numbers.', inputSchema: input }, async (args) =>
    add(args),
  )
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.on('close', () => {
    void transport.close()
    void server.close()
  })
  await server.connect(transport as never)
  await transport.handleRequest(req, res, req.body)
}

const handler2 = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer2(serverInfo)
    server.registerTool(
      'add',
      { description: 'Adds two numbers.', inputSchema: z.object(input) },
      async (args) => add(args),
    )
    return server
  }),
)
const sdk2: Handle = async (req, res) => void (await handler2(req as never, res as never, req.body))

const sdks: Readonly<Record<string, Handle>> = { sdk1, sdk2 }

const apps: Readonly<Record<string, (sdk: Handle | undefined) => Promise<number>>> = {
  async Express(sdk) {
    const app = express()
    if (sdk === undefined) app.use(expressMcp(router))
    app.use(express.json({ limit: '1mb' }))
    if (sdk !== undefined) app.post('/mcp', (req, res) => sdk(req, res))
    app.post('/add', (req, res) => void res.json(addResponse(req.body)))
    return portOf(app.listen(0, '127.0.0.1'))
  },
  async Koa(sdk) {
    const app = new Koa()
    const routes = new Router()
    if (sdk === undefined) app.use(koaMcp(router))
    app.use(bodyParser({ jsonLimit: '1mb' }))
    if (sdk !== undefined) {
      routes.post('/mcp', async (ctx) => {
        ctx.respond = false
        await sdk(Object.assign(ctx.req, { body: ctx.request.body }) as never, ctx.res)
      })
    }
    routes.post('/add', (ctx) => {
      ctx.body = addResponse(ctx.request.body)
    })
    app.use(routes.routes())
    return portOf(app.listen(0, '127.0.0.1'))
  },
  async Fastify(sdk) {
    const app = fastify()
    if (sdk === undefined) await app.register(fastifyMcp, { router })
    else
      app.post('/mcp', async (request, reply) => {
        reply.hijack()
        await sdk(Object.assign(request.raw, { body: request.body }) as never, reply.raw)
      })
    app.post('/add', async (request) => addResponse(request.body))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return (app.server.address() as AddressInfo).port
  },
  async 'node:http'(sdk) {
    const mount = nodeMcp(router)
    return portOf(
      createServer((req, res) => {
        if (req.url === '/mcp' && sdk === undefined) return void mount(req, res)
        let text = ''
        req.setEncoding('utf8')
        req.on('data', (chunk) => {
          text += chunk
        })
        req.on('end', () => {
          const body = JSON.parse(text)
          if (req.url === '/mcp') return void sdk?.(Object.assign(req, { body }), res)
          const json = JSON.stringify(routes[req.url ?? '']?.(body))
          res.writeHead(200, {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(json),
          })
          res.end(json)
        })
      }).listen(0, '127.0.0.1'),
    )
  },
}

interface Listening {
  once(event: 'listening', listener: () => void): unknown
  address(): string | AddressInfo | null
}

function portOf(server: Listening): Promise<number> {
  return new Promise((resolve) => {
    server.once('listening', () => resolve((server.address() as AddressInfo).port))
  })
}

const [name = '', variant = 'ours'] = process.argv.slice(2)
const start = apps[name]
if (start === undefined) throw new Error(`expected one of ${Object.keys(apps).join(', ')}`)
report(await start(sdks[variant]))
