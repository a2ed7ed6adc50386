import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import Fastify4 from 'fastify4'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readSchema } from '../../../integrations/fastify/schemas.js'
import type { Route } from '../../../src/routes/route.js'
import { publishedOutput, route, toolOf } from '../../routes/request/input-support.js'

const make = { 4: Fastify4 as unknown as typeof Fastify, 5: Fastify }
const handler = async () => ({})

/** The schema of the one route that `add` declares, as the hook reports it. */
async function discovered(
  major: 4 | 5,
  add: (app: FastifyInstance) => void,
  path = '/x/:id',
): Promise<Route> {
  const app = make[major]()
  let schema: unknown
  let shared = {}
  app.addHook('onRoute', function (options) {
    if (options.method !== 'HEAD') [schema, shared] = [options.schema, this.getSchemas()]
  })
  add(app)
  await app.ready()
  await app.close()
  return { ...route(path), schema: readSchema(schema, shared) } as Route
}

describe.each([4, 5] as const)('Fastify %i', (major) => {
  it('has JSON Schema, including shared schemas', async () => {
    const found = await discovered(major, (app) => {
      app.addSchema({
        $id: 'User',
        type: 'object',
        properties: { name: { type: 'string' }, boss: { $ref: '#' } },
        required: ['name'],
      })
      app.addSchema({
        $id: 'http://x.example/common.json',
        definitions: {
          tag: { type: 'string', maxLength: 3, enum: ['a', 'b'] },
          pair: { type: 'array', items: { $ref: '#/definitions/tag' } },
        },
      })
      app.post('/x/:id', {
        handler,
        schema: {
          summary: 'S',
          tags: ['t'],
          params: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
          querystring: {
            type: 'object',
            properties: { tag: { $ref: 'http://x.example/common.json#/definitions/tag' } },
          },
          headers: {
            type: 'object',
            properties: { 'x-tenant': { type: 'string' }, authorization: { type: 'string' } },
          },
          body: {
            type: 'object',
            properties: {
              user: { $ref: 'User#' },
              first: { $ref: 'User#/properties/name' },
              pair: { $ref: 'http://x.example/common.json#/definitions/pair' },
            },
          },
          response: { '2xx': { type: 'array', items: { $ref: 'User#' } }, 400: { type: 'string' } },
        },
      })
    })
    const { json, notes } = toolOf(found, { headers: ['X-Tenant'] })
    expect(notes).toEqual([])
    expect(json).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer' },
        tag: { type: 'string', maxLength: 3, enum: ['a', 'b'] },
        'x-tenant': { type: 'string' },
        user: { $ref: '#/$defs/User' },
        first: { type: 'string' },
        pair: { type: 'array', items: { type: 'string', maxLength: 3, enum: ['a', 'b'] } },
      },
      required: ['id'],
      additionalProperties: false,
      $defs: {
        User: {
          type: 'object',
          properties: { name: { type: 'string' }, boss: { $ref: '#/$defs/User' } },
          required: ['name'],
        },
      },
    })
    expect(publishedOutput(found)).toMatchObject({ type: 'array', items: { $ref: '#/$defs/User' } })
    expect(found.schema).toMatchObject({ source: 'fastify', summary: 'S' })
  })

  it('has content maps of bodies and responses, and prefers JSON', async () => {
    const media = (name: string) => ({
      schema: { type: 'object', properties: { [name]: { type: 'string' } } },
    })
    const found = await discovered(major, (app) => {
      app.post('/x/:id', {
        handler,
        schema: {
          body: {
            content: {
              'application/x-www-form-urlencoded': media('form'),
              'application/vnd.x+json': media('json'),
            },
          },
          response: { 201: { content: { 'application/json': media('made') } } },
        },
      })
    })
    expect(toolOf(found)).toMatchObject({
      json: { properties: { json: { type: 'string' } } },
      consumes: 'application/vnd.x+json',
    })
    expect(publishedOutput(found)).toMatchObject({ properties: { made: { type: 'string' } } })
  })
})

it('accepts TypeBox, including recursive types', async () => {
  const Node = Type.Cyclic(
    { Node: Type.Object({ id: Type.String(), nodes: Type.Array(Type.Ref('Node')) }) },
    'Node',
  )
  const found = await discovered(5, (app) => {
    app.setValidatorCompiler(TypeBoxValidatorCompiler)
    app.post('/x/:id', {
      handler,
      schema: {
        body: Type.Object({
          kind: Type.Union([Type.Literal('a'), Type.Literal('b')]),
          n: Type.Optional(Type.Integer()),
          tree: Node,
        }),
      },
    })
  })
  const { json, check } = toolOf(found)
  expect(json).toMatchObject({
    properties: {
      kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
      n: { type: 'integer' },
      tree: { $ref: '#/$defs/Node' },
    },
    required: ['id', 'kind', 'tree'],
    $defs: { Node: { properties: { nodes: { items: { $ref: '#/$defs/Node' } } } } },
  })
  expect(check({ id: '1', kind: 'a', tree: { id: 'r', nodes: [{ id: 1, nodes: [] }] } })).toContain(
    'tree.nodes[0].id',
  )
})

it('accepts the Zod objects of a type provider, and uses their input types', async () => {
  const found = await discovered(5, (app) => {
    app.setValidatorCompiler(validatorCompiler)
    app.setSerializerCompiler(serializerCompiler)
    app.post('/x/:id', {
      handler,
      schema: {
        params: z.object({ id: z.coerce.number() }),
        querystring: z.object({
          at: z.iso
            .datetime()
            .transform((at) => new Date(at))
            .optional(),
        }),
        body: z.object({ n: z.number().default(1) }),
        response: { 200: z.object({ ok: z.boolean() }) },
      },
    })
  })
  expect(toolOf(found).json).toMatchObject({
    properties: { id: { type: 'number' }, at: { type: 'string' }, n: { type: 'number', default: 1 } },
    required: ['id'],
  })
  expect(publishedOutput(found)).toEqual({ type: 'object', properties: { ok: { type: 'boolean' } } })
})

describe('readSchema', () => {
  it('accepts properties without an object schema, as Fastify 4 does, and fluent schemas', () => {
    const fluent = {
      isFluentSchema: true,
      valueOf: () => ({ type: 'object', properties: { f: { type: 'string' } } }),
    }
    const schema = readSchema({
      query: { name: { type: 'string' }, type: { type: 'integer' } },
      body: fluent,
    })
    const { json } = toolOf({ ...route('/x'), schema } as Route)
    expect(json.properties).toEqual({ f: { type: 'string' } })
    const plain = readSchema({ querystring: { name: { type: 'string' } } })
    // An undescribed POST has a free body.
    expect(toolOf({ ...route('/x'), schema: plain } as Route).json.properties).toEqual({
      name: { type: 'string' },
      body: { description: expect.any(String) },
    })
  })

  it('reads `consumes`, `hide` and `deprecated`', () => {
    expect(readSchema({ consumes: ['multipart/form-data'], hide: true, deprecated: true })).toMatchObject({
      consumes: 'multipart/form-data',
      hidden: true,
      deprecated: true,
    })
  })

  it("doesn't advertise responses that aren't JSON", () => {
    const response = { 200: { content: { 'text/csv': { schema: { type: 'string' } } } } }
    expect(readSchema({ response })?.response).toBeUndefined()
  })

  it('advertises nothing for a response without content', () => {
    const gone = { type: 'null', description: 'It is gone.' }
    expect(readSchema({ response: { 204: gone } })?.response).toBeUndefined()
    expect(readSchema({ response: { 204: gone, 206: { type: 'string' } } })?.response).toEqual({
      type: 'string',
    })
  })

  it('returns undefined without a schema, and never throws', () => {
    expect(readSchema(undefined)).toBeUndefined()
    expect(readSchema('x')).toBeUndefined()
    expect(readSchema({ params: 1, body: null, response: 3, consumes: {} })).toMatchObject({
      source: 'fastify',
    })
  })
})
