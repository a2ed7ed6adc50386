/** Documents of OpenAPI 3.2, and common syntax that no version allows. */

import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import express from 'express'
import fastify5 from 'fastify'
import { McpRouter } from 'mcp-router'
import { addOpenApi } from 'mcp-router/openapi'
import { textOf } from 'mcp-router/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quiet } from '../../contract/host.js'
import { convert, documentOf, type Json } from './documents.js'

const text = { type: 'string' }
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } })
const responses = { 200: { description: 'ok' } }
const asked = { operationId: 'q', requestBody: json({ type: 'object', properties: { w: text } }), responses }
const modern = (paths: Json, rest: Json = {}): Json => documentOf(paths, { openapi: '3.2.0', ...rest })

describe('another server', () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify([request.method, request.url, Buffer.concat(chunks).toString()]))
    })
  })
  let baseUrl = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, resolve))
    baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  afterAll(() => void server.close())
  const call = async (document: Json, name: string, args: Json): Promise<unknown> => {
    const { router } = await convert(document, { baseUrl })
    return JSON.parse(textOf(await router.call(name, args)))
  }

  it('gets QUERY, and further methods, as the document names them', async () => {
    const copy = { operationId: 'copy', responses }
    const paths = { '/a': { query: asked, additionalOperations: { COPY: copy, OPTIONS: copy } } }
    expect(await call(modern(paths), 'q', { w: 'x' })).toEqual(['QUERY', '/a', '{"w":"x"}'])
    expect(await call(modern(paths), 'copy', {})).toEqual(['COPY', '/a', ''])
    const { tools } = await convert(modern(paths), { baseUrl })
    expect(tools.map(({ name }) => name)).toEqual(['q', 'copy'])
    const { router } = await convert(modern(paths), { baseUrl, include: ['QUERY /a'] })
    expect(router.list()).toMatchObject([{ name: 'q', route: { method: 'QUERY' } }, { name: 'COPY /a' }])
    expect(router.get('tool', 'q')).toMatchObject({ annotations: { readOnlyHint: true } })
  })

  it('gets a complete query string that is described as a form', async () => {
    const schema = { type: 'object', properties: { a: text, b: { type: 'integer' } }, required: ['a'] }
    const parameter = { in: 'querystring', name: 'all', required: true }
    const form = { ...parameter, content: { 'application/x-www-form-urlencoded': { schema } } }
    const paths = (one: Json): Json => ({ '/a': { get: { operationId: 'g', parameters: [one], responses } } })
    expect(await call(modern(paths(form)), 'g', { a: 'x y', b: 1 })).toEqual(['GET', '/a?a=x%20y&b=1', ''])
    const { report } = await convert(modern(paths({ ...parameter, ...json({}) })), { baseUrl })
    expect(report.skipped).toMatchObject([{ reason: expect.stringContaining('query string "all"') }])
  })

  it('gets lists in paths in their declared style', async () => {
    const schema = { type: 'array', items: text }
    const get = (more: Json): Json => ({
      get: {
        operationId: 'g',
        parameters: [{ in: 'path', name: 'ids', required: true, schema, ...more }],
        responses,
      },
    })
    const sent = (more: Json) => call(documentOf({ '/t/{ids}': get(more) }), 'g', { ids: ['a', 'b,c'] })
    expect(await sent({})).toEqual(['GET', '/t/a,b%2Cc', ''])
    expect(await sent({ style: 'label', explode: true })).toEqual(['GET', '/t/.a.b%2Cc', ''])
    expect(await sent({ style: 'matrix' })).toEqual(['GET', '/t/;ids=a,b%2Cc', ''])
  })
})

it('reads further methods in upper case, and reports those that have their own fields', async () => {
  const [drop, copy] = [
    { operationId: 'drop', responses },
    { operationId: 'copy', responses },
  ]
  const paths = { '/a': { additionalOperations: { delete: drop, copy } } }
  const { tools, report } = await convert(modern(paths))
  expect(tools.map(({ route }) => route?.method)).toEqual(['COPY'])
  expect(report.skipped).toEqual([
    { operation: 'DELETE /a', reason: expect.stringContaining('additionalOperations') },
  ])
})

it('reports methods of later versions as skipped in older documents', async () => {
  const more = { additionalOperations: { COPY: { responses } } }
  const { tools, report } = await convert(
    documentOf({ '/a': { get: { operationId: 'a', responses }, query: asked, ...more } }),
  )
  expect(tools.map(({ name }) => name)).toEqual(['a'])
  expect(report.skipped).toEqual([
    { operation: 'QUERY /a', reason: expect.stringContaining('OpenAPI 3.2') },
    { operation: 'COPY /a', reason: expect.stringContaining('OpenAPI 3.2') },
  ])
})

it('reads paths without a leading slash, and ignores extensions', async () => {
  const get = { operationId: 'a', responses }
  const { tools } = await convert(documentOf({ 'tasks/{id}': { get }, 'x-more': { get } }))
  expect(tools.map(({ route }) => route?.path)).toEqual(['/tasks/{id}'])
})

it('lets a reference next to `nullable` be null', async () => {
  const ref = (name: string): Json => ({
    $ref: `#/components/schemas/${name}`,
    nullable: true,
    description: 'One',
  })
  const schemas = {
    Word: { type: 'string', enum: ['a'] },
    Tree: { type: 'object', properties: { left: { $ref: '#/components/schemas/Tree' } } },
    Either: { oneOf: [text, { type: 'integer' }] },
  }
  const properties = { word: ref('Word'), tree: ref('Tree'), either: ref('Either') }
  const post = { operationId: 'p', requestBody: json({ type: 'object', properties }), responses }
  const { router } = await convert(documentOf({ '/x': { post } }, { components: { schemas } }), {
    baseUrl: 'http://127.0.0.1:9',
  })
  const { inputSchema } = router.get('tool', 'p') as unknown as { inputSchema: { properties: Json } }
  expect(inputSchema.properties).toMatchObject({
    word: { type: ['string', 'null'], enum: ['a', null], description: 'One' },
    tree: { anyOf: [{ $ref: '#/$defs/Tree' }, { type: 'null' }] },
    either: { anyOf: [{ oneOf: [text, { type: 'integer' }] }, { type: 'null' }] },
  })
})

const fastify4 = createRequire(import.meta.url)('fastify4') as typeof fastify5
it.each([
  ['Fastify 4', fastify4],
  ['Fastify 5', fastify5],
])('keeps a matrix in the path of %s', async (_, fastify) => {
  const app = fastify()
  app.get('/t/', async () => ({ reached: 'another route' }))
  app.get('/t/:p', async ({ params, query }) => ({ params, query }))
  const router = new McpRouter({ logger: quiet })
  const parameters = [{ in: 'path', name: 'p', required: true, style: 'matrix', schema: text }]
  await addOpenApi(router, documentOf({ '/t/{p}': { get: { operationId: 'g', parameters, responses } } }), {
    app,
  })
  expect(JSON.parse(textOf(await router.call('g', { p: 'a' })))).toEqual({ params: { p: ';p=a' }, query: {} })
  await app.close()
})

it('reaches QUERY routes of an Express app', async () => {
  const app = express().use(express.json())
  const route = app.route('/a') as unknown as Record<
    string,
    ((...handlers: unknown[]) => unknown) | undefined
  >
  const add = route.query
  if (add === undefined) return // this Node doesn't know the method
  add.call(route, (req: express.Request, res: express.Response) =>
    res.json({ method: req.method, body: req.body }),
  )
  const router = new McpRouter({ logger: quiet })
  await addOpenApi(router, modern({ '/a': { query: asked } }), { app })
  expect(JSON.parse(textOf(await router.call('q', { w: 'x' })))).toEqual({
    method: 'QUERY',
    body: { w: 'x' },
  })
})
