/** Merging of several sources that describe one route. */

import express from 'express'
import { body, query } from 'express-validator'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { overlay } from 'mcp-router/openapi'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readValidators } from '../../../integrations/node/validators/express.js'
import type { Route } from '../../../src/routes/route.js'
import { quiet } from '../../contract/host.js'
import { type Described, route, toolOf } from './input-support.js'

type Json = Record<string, unknown>
const text = { type: 'string' }
const number = { type: 'number' }
const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more })
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } })
const asked = (name: string, more: Json = {}): Json => ({ in: 'query', name, schema: text, ...more })

/** The tool of a route that a document describes as well. */
function merged(own: Described, operation: Json, components: Json = {}) {
  const { method = 'POST' } = own
  const paths = { '/x': { [method.toLowerCase()]: { responses: {}, ...operation } } }
  const document = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, components }
  const [found] = overlay([route('/x', own)], document).routes
  return toolOf(found as Route)
}
const validated = (...chains: unknown[]) => ({ schema: { ...readValidators(chains) } })

describe('a validator that checks some fields, and a document', () => {
  it('name the arguments together; the document adds words and what is required', () => {
    const { json: published, split } = merged(
      { method: 'GET', ...validated(query('q').optional().isLength({ max: 5 })) },
      {
        parameters: [asked('q', { description: 'A word' }), asked('sort'), asked('page', { required: true })],
      },
    )
    expect(published).toEqual({
      type: 'object',
      properties: { q: { type: 'string', maxLength: 5, description: 'A word' }, sort: text, page: text },
      required: ['page'],
      additionalProperties: false,
    })
    expect(split({ q: 'a', sort: 'b', page: '2' }).query).toBe('q=a&sort=b&page=2')
  })

  it('merge nested objects and lists as well, through references', () => {
    const address = object(
      { street: { ...text, description: 'With number' }, city: text },
      { required: ['city'] },
    )
    const tags = { type: 'array', items: object({ id: number, name: text }) }
    const { json: published } = merged(
      validated(body('address.street').isString().isLength({ max: 9 }), body('tags.*.id').isInt()),
      { requestBody: json({ $ref: '#/components/schemas/Order' }) },
      {
        schemas: {
          Address: address,
          Order: object({ address: { $ref: '#/components/schemas/Address' }, tags }),
        },
      },
    )
    expect(published).toMatchObject({
      properties: {
        address: {
          properties: { street: { maxLength: 9, description: 'With number' }, city: text },
          required: ['street', 'city'],
        },
        tags: { items: { properties: { id: { type: 'integer' }, name: text } } },
      },
      additionalProperties: false,
    })
  })

  it('leave a field to the document where the validator says nothing of its value', () => {
    const { json: published } = merged(validated(body('day').custom(() => true)), {
      requestBody: json(object({ day: { type: 'integer', minimum: 1 } }, { required: ['day'] })),
    })
    expect(published).toMatchObject({
      properties: { day: { type: 'integer', minimum: 1 } },
      required: ['day'],
    })
  })

  it('send the body as the document says', () => {
    const schema = object({ file: { type: 'string', format: 'binary' } })
    const { consumes, json: published } = merged(validated(body('title').isString()), {
      requestBody: { content: { 'multipart/form-data': { schema } } },
    })
    expect(consumes).toBe('multipart/form-data')
    expect(Object.keys(published.properties as Json)).toEqual(['title', 'file'])
  })

  it('let further body fields through if no document describes the body', () => {
    const { json: published, check, split } = toolOf(route('/x', validated(body('name').isString())))
    expect(published).toMatchObject({ required: ['name'], additionalProperties: true })
    expect(check({ name: 'Pen', price: 3 })).toEqual({ name: 'Pen', price: 3 })
    expect(split({ name: 'Pen', price: 3 }).body).toEqual({ name: 'Pen', price: 3 })
  })
})

describe('the order of the sources', () => {
  const query = object({ q: { ...text, maxLength: 5 } })
  const parameters = [
    asked('q', { description: 'A word', schema: number }),
    asked('sort', { required: true }),
  ]

  it('puts the route’s own schema before the document, argument by argument', () => {
    const { json: published } = merged({ method: 'GET', schema: { query } }, { parameters })
    expect(published).toMatchObject({
      properties: { q: { type: 'string', maxLength: 5, description: 'A word' }, sort: text },
      required: ['sort'],
    })
  })

  it.each<[string, Described]>([
    ['a closed schema of the route', { schema: { query: { ...query, additionalProperties: false } } }],
    ['a marker', { marker: { query: query as object } }],
    [
      'a marker with a schema of a library',
      { marker: { query: z.object({ q: z.string().max(5).optional() }) } },
    ],
  ])('keeps the document from naming further arguments of %s', (_, own) => {
    const { json: published } = merged({ method: 'GET', ...own }, { parameters })
    expect(published.properties).toEqual({ q: { type: 'string', maxLength: 5, description: 'A word' } })
    expect(published.required).toBeUndefined()
  })

  it('lets a marker leave room for them', () => {
    const marker = { query: { ...query, additionalProperties: true } as object }
    const { json: published } = merged({ method: 'GET', marker }, { parameters })
    expect(Object.keys(published.properties as Json)).toEqual(['q', 'sort'])
  })

  it('describes path parameters from every source, whatever the marker says of others', () => {
    const own = { params: object({ id: { ...text, description: 'Of the task' }, org: { type: 'integer' } }) }
    const { json: published } = toolOf(
      route('/:org/:id', { method: 'GET', marker: { params: z.object({ id: z.uuid() }) }, schema: own }),
    )
    expect(published).toMatchObject({
      properties: { id: { format: 'uuid', description: 'Of the task' }, org: { type: 'integer' } },
      required: ['org', 'id'],
    })
  })

  it('keeps a body that is no object whole', () => {
    const list = { type: 'array', items: object({ id: number }) }
    const { json: published } = merged(
      { schema: { body: list } },
      { requestBody: json({ type: 'array', description: 'All', items: object({ id: text, name: text }) }) },
    )
    expect(published.properties).toEqual({
      body: { type: 'array', description: 'All', items: object({ id: number, name: text }) },
    })
  })
})

it('reach an Express route with all of the arguments that its document names', async () => {
  const post = { requestBody: json(object({ name: text, price: number }, { required: ['name', 'price'] })) }
  const paths = { '/items': { post: { responses: {}, ...post } } }
  const openapi = { openapi: '3.0.0', info: { title: 'x', version: '1' }, paths }
  const router = new McpRouter<object>({ logger: quiet })
  const app = express().use(express.json())
  app.use(mcp(router, { app, routes: { include: ['POST /items'], openapi } }))
  app.post('/items', body('name').isString(), (req, res) => void res.json(req.body))
  expect(await router.call('post_items', { name: 'Pen', price: 3 })).toMatchObject({
    content: [{ text: '{"name":"Pen","price":3}' }],
  })
  expect(await router.call('post_items', { name: 'Pen' })).toMatchObject({ isError: true })
})
