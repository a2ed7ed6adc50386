import { createRequire } from 'node:module'
import type { Root } from 'joi'
import { describe, expect, it } from 'vitest'
import {
  type JoiRouteSpec,
  readValidators,
  schemaOfSpec,
} from '../../../integrations/node/validators/koa-joi-router.js'
import type { Route } from '../../../src/routes/route.js'
import { publishedOutput, route, toolOf } from '../../routes/request/input-support.js'

/** The package has no types, and its own version of Joi. */
interface JoiRouter {
  route(spec: object): void
  readonly routes: readonly JoiRouteSpec[]
  readonly router: { readonly stack: readonly { readonly stack: readonly unknown[] }[] }
}
interface JoiRouterPackage {
  (): JoiRouter
  readonly Joi: Root
}
const joiRouter: JoiRouterPackage = createRequire(import.meta.url)('koa-joi-router')
const { Joi } = joiRouter

const router = joiRouter()
router.route({
  method: ['post', 'put'],
  path: '/x/:id',
  validate: {
    type: 'json',
    params: { id: Joi.number().integer() },
    query: { q: Joi.string().valid('a', 'b'), from: Joi.date() },
    header: Joi.object({ 'x-tenant': Joi.string() }).unknown(),
    body: Joi.object({
      title: Joi.string().min(1).max(9).required().description('What to do'),
      kind: Joi.any().valid('x', null),
      list: Joi.array().items(Joi.string()).min(1).unique(),
      nested: { n: Joi.number().positive() },
      either: Joi.alternatives().try(Joi.string().email(), Joi.number().multiple(2)),
      code: Joi.string()
        .pattern(/^[a-z]+$/)
        .allow(null),
      anyCase: Joi.string().pattern(/^[a-z]+$/i),
      never: Joi.any().forbidden(),
      open: Joi.object().unknown(),
      map: Joi.object().pattern(/^a/, Joi.number()),
      count: Joi.number().default(3),
    }),
    output: { 200: { body: { ok: Joi.boolean() } }, '400-499': { body: Joi.any() } },
  },
  meta: { swagger: { summary: 'Make it', operationId: 'makeX' } },
  handler: async () => {},
})

const layer = router.router.stack[0]
const schema = readValidators(layer?.stack ?? [])

describe('koa-joi-router', () => {
  it('has Joi 17 schemas, which are read from the handlers of a route', () => {
    const { json, check } = toolOf({ ...route('/x/:id'), schema } as Route, { headers: ['x-tenant'] })
    expect(json).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer' },
        q: { type: 'string', enum: ['a', 'b'] },
        from: { type: 'string', format: 'date-time' },
        'x-tenant': { type: 'string', minLength: 1 },
        title: { type: 'string', minLength: 1, maxLength: 9, description: 'What to do' },
        kind: { enum: ['x', null] },
        list: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, uniqueItems: true },
        nested: {
          type: 'object',
          properties: { n: { type: 'number', exclusiveMinimum: 0 } },
          additionalProperties: false,
        },
        either: {
          anyOf: [
            { type: 'string', minLength: 1, format: 'email' },
            { type: 'number', multipleOf: 2 },
          ],
        },
        code: { type: ['string', 'null'], minLength: 1, pattern: '^[a-z]+$' },
        anyCase: { type: 'string', minLength: 1 },
        open: { type: 'object' },
        map: { type: 'object', patternProperties: { '^a': { type: 'number' } } },
        count: { type: 'number', default: 3 },
      },
      required: ['id', 'title'],
      additionalProperties: false,
    })
    expect(check({ id: 1, title: 't', nested: { n: 1 } })).toEqual({ id: 1, title: 't', nested: { n: 1 } })
    expect(check({ id: 1, title: 't', nested: { m: 1 } })).toContain('nested.m: unknown key')
  })

  it('has names, inputs and outputs of routes', () => {
    expect(schema).toMatchObject({
      source: 'koa-joi-router',
      summary: 'Make it',
      operationId: 'makeX',
      consumes: 'application/json',
    })
    expect(publishedOutput({ ...route('/x/:id'), schema } as Route)).toEqual({
      type: 'object',
      properties: { ok: { type: 'boolean' } },
    })
  })

  it('gives the same schemas in `router.routes`', () => {
    const { json } = toolOf({ ...route('/x/:id'), schema: schemaOfSpec(router.routes[0] ?? {}) } as Route)
    expect(json).toEqual(toolOf({ ...route('/x/:id'), schema } as Route).json)
  })

  it('accepts any fields if only the type of a body is known', () => {
    const open = schemaOfSpec({ validate: { type: 'multipart' } })
    expect(open).toMatchObject({ body: { type: 'object' }, consumes: 'multipart/form-data' })
    expect(schemaOfSpec({})).toMatchObject({ body: undefined, consumes: undefined })
  })
})

it('returns undefined for other handlers, even with the same name', () => {
  function specExposer() {
    throw new Error('mine')
  }
  expect(readValidators([async () => {}, specExposer])).toBeUndefined()
  expect(readValidators([])).toBeUndefined()
})
