/** What docs/routes.md promises. */

import type { Express } from 'express'
import type { McpRouter } from 'mcp-router'
import type { OpenApiReport } from 'mcp-router/openapi'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, listen, modern, type portOf } from './client.js'
import { app, fastifyApp, koaApp } from './preludes/routes.js'
import { load, routesPage } from './programs.js'

let router: McpRouter<object>
let other: Express
let shop: Express
let report: OpenApiReport
let base: string
let limited: Express
const ana = { headers: { Authorization: 'Bearer ana-key' } }

async function tools(url: string): Promise<Record<string, Json>> {
  const { messages } = await modern(`${url}/mcp`, 'tools/list')
  return Object.fromEntries(messages[0].result.tools.map((one: Json) => [one.name, one]))
}

async function call(url: string, name: string, args: object = {}, extra = {}): Promise<Json> {
  return (await modern(`${url}/mcp`, 'tools/call', { name, arguments: args }, extra)).messages[0].result
}
const said = ({ content }: Json): Json => JSON.parse(content[0].text)

beforeAll(async () => {
  const page = await load<{
    router: McpRouter<object>
    other: Express
    limited: Express
    shop: Express
    report: OpenApiReport
  }>(routesPage)
  router = page.router
  limited = page.limited
  other = page.other
  shop = page.shop
  report = page.report
  base = await listen(app)
})

describe('which routes are tools', () => {
  it('those that are marked, included, in the document or made by hand', async () => {
    const listed = await tools(base)
    expect(Object.keys(listed).sort()).toEqual(
      ['attach', 'get_tasks', 'get_tasks_by_id', 'invoice_get', 'post_tasks', 'user_get'].sort(),
    )
    expect(listed.get_tasks_by_id).toMatchObject({
      description: 'One task.',
      annotations: { readOnlyHint: true },
    })
    expect(listed.post_tasks.inputSchema).toMatchObject({
      properties: { body: { description: expect.any(String) } },
    })
  })

  it('and the report says of the others why not', () => {
    const routes = Object.fromEntries(router.list({ app }).map(({ name, route }) => [name, route])) as Json
    expect(routes['GET /tasks/internal/keys'].reason).toBe('excluded by "/tasks/internal/**"')
    expect(routes.get_tasks_by_id).toMatchObject({
      method: 'GET',
      path: '/tasks/{id}',
      guards: expect.arrayContaining(['requireLogin']),
      checksCaller: 'yes',
      schemaSource: 'marker',
    })
  })

  it('and that of the document', () => {
    expect(report.tools).toEqual(['invoice_get'])
    expect(report.skipped).toEqual([
      { operation: 'DELETE /invoices/{id}', reason: 'excluded by "DELETE /**"' },
    ])
  })

  it('and a document over the routes of a mount names and describes them', async () => {
    expect(await tools(await listen(shop))).toMatchObject({
      task_get: {
        description: 'One task of the shop.',
        inputSchema: { properties: { id: { type: 'integer' } }, required: ['id'] },
      },
    })
  })

  it('in Fastify', async () => {
    await fastifyApp.listen({ port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${await addressOf(fastifyApp.server)}`
    expect(said(await call(url, 'get_notes_by_id', { id: '1' }))).toEqual({ text: 'Buy milk' })
  })

  it('in Koa', async () => {
    const url = await listen(koaApp)
    expect(said(await call(url, 'get_books_by_id', { id: '1' }))).toEqual({ id: '1' })
  })
})

describe('a call', () => {
  it('is made by its caller, through the guards of the route', async () => {
    expect(said(await call(base, 'get_tasks_by_id', { id: 7 }, ana))).toEqual({ id: 7, by: 'ana' })
    expect(await call(base, 'get_tasks_by_id', { id: 7 })).toMatchObject({
      isError: true,
      content: [{ text: '401 Unauthorized: Log in first' }],
    })
    expect(await call(base, 'get_tasks_by_id', { id: 404 }, ana)).toMatchObject({
      isError: true,
      content: [{ text: '404 Not Found: No such task' }],
    })
  })

  it('of bare handlers runs these alone', async () => {
    expect(said(await call(base, 'user_get', { id: '3' }, ana))).toEqual({ id: 3, by: 'ana' })
  })

  it('carries files', async () => {
    const file = `data:text/plain;name=a.txt;base64,${Buffer.from('hello').toString('base64')}`
    expect(said(await call(base, 'attach', { id: '1', file }, ana))).toEqual({ name: 'a.txt', size: 5 })
  })

  it('has the user that `prepare` set, and is known to come from a model', async () => {
    const url = await listen(other)
    const asAna = { headers: { 'x-gateway-key': 'ana-key' } }
    expect(said(await call(url, 'get_who', {}, asAna))).toEqual({ user: { id: 'ana' }, model: true })
    expect((await fetch(`${url}/who`, asAna)).status).toBe(401)
  })
})

/** Fastify listens already. */
async function addressOf(server: Parameters<typeof portOf>[0]): Promise<number> {
  return (server.address() as { port: number }).port
}

it('a rate limit counts each user by themselves, whatever address they share, and no request of the endpoint', async () => {
  const url = await listen(limited)
  const remaining = async (user: string, path = '/tasks') => {
    const { headers } = await fetch(url + path, { headers: { Authorization: `Bearer ${user}-key` } })
    return headers.get('x-ratelimit-remaining')
  }
  expect([await remaining('ana'), await remaining('eva'), await remaining('ana')]).toEqual(['99', '99', '98'])
  expect(await remaining('ana', '/mcp')).toBeNull()
})
