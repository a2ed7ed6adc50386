/** The app for `../route-tools.ts`: two routes that are also tools, on each framework. */

import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { McpRouter } from 'mcp-router'
import { asTool as asExpressTool, mcp as expressMcp } from 'mcp-router/express'
import fastifyMcp from 'mcp-router/fastify'
import { asTool as asKoaTool, mcp as koaMcp } from 'mcp-router/koa'
import { report } from './report.js'

const one = { name: 'task_get', description: 'One task.' }
const create = {
  name: 'task_create',
  description: 'Creates a task.',
  body: {
    type: 'object',
    properties: { title: { type: 'string' }, done: { type: 'boolean' } },
    required: ['title'],
  },
}
const task = (id: string): object => ({ id, title: 'Water the plants', done: false })
const created = (body: unknown): object => ({ id: '8', ...(body as object) })
const router = (): McpRouter<object> => new McpRouter({ name: 'bench', version: '1.0.0' })

/** Starts an app on a free port, by framework. Each resolves to the port. */
const apps: Readonly<Record<string, () => Promise<number>>> = {
  async Express() {
    const app = express()
    app.use(expressMcp(router()))
    app.use(express.json())
    app.get('/tasks/:id', asExpressTool(one), (req, res) => void res.json(task(req.params.id as string)))
    app.post('/tasks', asExpressTool(create), (req, res) => void res.status(201).json(created(req.body)))
    return portOf(app.listen(0, '127.0.0.1'))
  },
  async Koa() {
    const app = new Koa()
    const routes = new Router()
    app.use(koaMcp(router()))
    app.use(bodyParser())
    routes.get('/tasks/:id', asKoaTool(one), (ctx) => {
      ctx.body = task(ctx.params.id as string)
    })
    routes.post('/tasks', asKoaTool(create), (ctx) => {
      ctx.status = 201
      ctx.body = created(ctx.request.body)
    })
    app.use(routes.routes())
    return portOf(app.listen(0, '127.0.0.1'))
  },
  async Fastify() {
    const app = fastify()
    await app.register(fastifyMcp, { router: router() })
    app.get('/tasks/:id', { config: { mcp: one } }, async (request) =>
      task((request.params as { id: string }).id),
    )
    app.post('/tasks', { config: { mcp: create } }, async (request, reply) => {
      reply.code(201)
      return created(request.body)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return (app.server.address() as AddressInfo).port
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

const listen = apps[process.argv[2] ?? '']
if (listen === undefined) throw new Error(`expected one of ${Object.keys(apps).join(', ')}`)
report(await listen())
