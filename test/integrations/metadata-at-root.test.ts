/** Mounts under a prefix cannot see the root of the host; `mcpMetadata` serves their OAuth metadata there. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import fastify4 from 'fastify4'
import Koa from 'koa'
import mount from 'koa-mount'
import Koa2 from 'koa2'
import { McpRouter } from 'mcp-router'
import * as onExpress from 'mcp-router/express'
import * as onFastify from 'mcp-router/fastify'
import * as onKoa from 'mcp-router/koa'
import { expect, it, onTestFinished } from 'vitest'
import { post, send } from '../contract/client.js'
import { rpc } from '../contract/clients.js'

const wellKnown = '/.well-known/oauth-protected-resource'
const options = {
  publicUrl: 'http://127.0.0.1/api/mcp',
  auth: { authorizationServers: ['https://login.example'], verify: () => Promise.reject(new Error('none')) },
}

async function onFastifyApp(make: typeof Fastify, router: McpRouter<object>): Promise<Server> {
  const app = make()
  await app.register(onFastify.mcp, { router: router as McpRouter, prefix: '/api', ...options })
  await app.register(onFastify.mcpMetadata, { router })
  onTestFinished(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

function onKoaApp(Framework: typeof Koa, router: McpRouter<object>): Server {
  const app = new Framework()
  app.use(mount('/api', onKoa.mcp(router, options)))
  return createServer(app.use(onKoa.mcpMetadata(router)).callback()).listen(0, '127.0.0.1')
}

it.each<[string, (router: McpRouter<object>) => Server | Promise<Server>]>([
  [
    'Express',
    (router) => {
      const app = express().use('/api', onExpress.mcp(router, options)).use(onExpress.mcpMetadata(router))
      return createServer(app).listen(0, '127.0.0.1')
    },
  ],
  ['Fastify 5', (router) => onFastifyApp(Fastify, router)],
  ['Fastify 4', (router) => onFastifyApp(fastify4 as unknown as typeof Fastify, router)],
  ['Koa 3', (router) => onKoaApp(Koa, router)],
  ['Koa 2', (router) => onKoaApp(Koa2 as unknown as typeof Koa, router)],
])('serves it on %s, and leaves other addresses to the app', async (_, start) => {
  const silent = () => {}
  const logger = { debug: silent, info: silent, warn: silent, error: silent }
  const router = new McpRouter<object>({ name: 'x', version: '1', logger })
  const server = await start(router)
  if (!server.listening) await once(server, 'listening')
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect((await post(`${origin}/api/mcp`, rpc('ping'))).status).toBe(401)
  for (const path of [wellKnown, `${wellKnown}/api/mcp`]) {
    const { status, json, headers } = await send(origin + path, { method: 'GET' })
    expect({ status, resource: json?.resource }).toEqual({ status: 200, resource: options.publicUrl })
    expect(headers['access-control-allow-origin']).toBe('*')
  }
  expect((await send(`${origin}${wellKnown}/other`, { method: 'GET' })).status).toBe(404)
})
