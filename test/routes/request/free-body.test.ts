/** Routes with an undescribed query or body: a model can send them, and reports show that they are undescribed. */

import express from 'express'
import { body, query } from 'express-validator'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readValidators } from '../../../integrations/node/validators/express.js'
import { quiet } from '../../contract/host.js'
import { type Described, route, toolOf } from './input-support.js'

const get = (described: Described = {}) => toolOf(route('/x', { method: 'GET', ...described }))
const names = ({ json }: { json: { properties?: unknown } }) => Object.keys(json.properties as object)
const text = { type: 'string' } as const
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more }) as const

describe('an undescribed query', () => {
  it('is the optional argument `query`, written as the app’s parser reads it', () => {
    const { json, check, split } = get({ queryParser: 'extended' })
    expect(json).toEqual({
      type: 'object',
      properties: { query: { type: 'object', description: expect.stringContaining('by name') } },
      additionalProperties: false,
    })
    expect(check({})).toEqual({})
    expect(check({ query: 'a=1' })).toContain('query')
    expect(split({}).query).toBe('')
    expect(
      decodeURIComponent(split({ query: { key: 'b c', filter: { tag: ['x', 'y'] }, no: null } }).query),
    ).toBe('key=b c&filter[tag]=x&filter[tag]=y')
  })

  it.each<[string, Described]>([
    ['the marker describes another part', { marker: { params: z.object({}) } }],
    ['the marker says that there is none', { marker: { query: z.object({}) } }],
    ['the route describes another part', { schema: { params: object({}) } }],
    ['the route says what there is', { schema: { query: object({ q: text }) } }],
    ['a document has none', { schema: { takesBody: false } }],
  ])('does not exist if %s', (_, described) => {
    expect(names(get(described))).not.toContain('query')
  })

  it.each<[string, Described]>([
    ['the route describes its answer alone', { schema: { response: object({}) } }],
    ['a validator checks other fields', { schema: { ...readValidators([body('a').isString()]) } }],
    ['its schema cannot be read', { schema: { query: 7 } }],
  ])('exists if %s', (_, described) => {
    expect(names(get(described))).toContain('query')
  })

  it('contains further parameters besides the declared ones', () => {
    const { split } = get({
      schema: { ...readValidators([query('q').isString(), query('query').isString()]) },
    })
    expect(split({ q: 'a', query: 'b', query_: { sort: 'c' } }).query).toBe('q=a&query=b&sort=c')
    for (const key of ['q', 'q[]', '[q]', 'q[x]'])
      expect(() => split({ query_: { [key]: 'x' } })).toThrow('"q"')
    const nested = get({
      queryParser: 'extended',
      schema: { ...readValidators([query('q').isString()]) },
    })
    for (const key of ['', '[]', '.'])
      expect(() => nested.split({ q: 'a', query: { [key]: { q: 'x' } } })).toThrow('"q"')
  })

  it('follows the schema for further parameters', () => {
    const open = get({
      schema: { query: object({ q: text }, { additionalProperties: { type: 'integer' } }) },
    })
    expect(open.check({ query: { a: 1 } })).toEqual({ query: { a: 1 } })
    expect(open.check({ query: { a: 'x' } })).toContain('query.a')
    const map = get({ marker: { query: z.record(z.string(), z.string()) } })
    expect(map.check({ query: { a: 'x' } })).toEqual({ query: { a: 'x' } })
    expect(map.check({ query: { a: 1 } })).toContain('query.a')
    expect(map.check({})).toEqual({})
    expect(map.split({ query: { a: 'x' } }).query).toBe('a=x')
  })

  it.each(['_method', '_method[]', '[_method]', '_METHOD', '_method[x]'])('never contains %s', (key) => {
    expect(() => get().split({ query: { [key]: 'DELETE' } })).toThrow('"_method"')
  })

  it('never contains a credential parameter', () => {
    const secrets = [{ part: 'query', name: 'api_key' }]
    const { split } = get({ schema: { secrets } })
    for (const key of ['api_key', 'api_key[]', '[api_key]'])
      expect(() => split({ query: { [key]: 'K' } })).toThrow('is a credential')
  })
})

it('never carries a parameter with a dot in its name that says who calls, but its neighbours that are arguments', () => {
  const secrets = [{ part: 'query', name: 'api.key' }] as const
  const filter = { type: 'object', additionalProperties: true }
  const styles = { query: new Map([['filter', { style: 'form', explode: true } as const]]) }
  const { split } = get({
    queryParser: 'extended',
    schema: { secrets, styles, query: object({ 'api.version': text, filter }) },
  })
  for (const key of ['api.key', 'api[key]', '[api][key]', 'api.key[]'])
    expect(() => split({ filter: { [key]: 'K' } })).toThrow('"api.key" is a credential')
  expect(split({ 'api.version': '2', filter: { a: '1' } }).query).toBe('api.version=2&a=1')
})

it('reach an Express route, and are reported as undescribed', async () => {
  const router = new McpRouter<object>({ logger: quiet })
  const app = express().use(express.json({ strict: false }))
  app.use(mcp(router, { app, routes: { include: ['/**', 'POST /**', 'PUT /**'] } }))
  const show: express.RequestHandler = (req, res) =>
    void res.json({ query: req.query, body: req.body ?? null })
  app.get('/stars', show)
  app.post('/tags/:tag', show)
  app.put('/known', asTool({ body: z.object({ a: z.string() }) }), show)
  const answered = async (name: string, args: object) =>
    JSON.parse(((await router.call(name, args)).content[0] as { text: string }).text)
  expect(await answered('get_stars', { query: { key: 'ana' } })).toEqual({
    query: { key: 'ana' },
    body: null,
  })
  for (const value of ['1.0.0', [1], 7, null, { a: 1 }]) {
    expect(await answered('post_tags_by_tag', { tag: 'x', body: value })).toEqual({ query: {}, body: value })
  }
  expect(router.list({ app }).map(({ name, route }) => [name, route?.undescribed])).toEqual([
    ['get_stars', ['query']],
    ['post_tags_by_tag', ['query', 'body']],
    ['put_known', undefined],
  ])
})
