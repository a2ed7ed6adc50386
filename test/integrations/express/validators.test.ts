import { celebrate, errors, Joi, Segments } from 'celebrate'
import express, { type RequestHandler } from 'express'
import { body, check, checkSchema, header, oneOf, param, query, validationResult } from 'express-validator'
import { describe, expect, it } from 'vitest'
import { readValidators, type ValidatedRoute } from '../../../integrations/node/validators/express.js'
import type { Route } from '../../../src/routes/route.js'
import { route, toolOf } from '../../routes/request/input-support.js'
import { serve } from './validators-app.js'

const place: ValidatedRoute = { method: 'POST', parameters: ['id'] }
const tool = (handlers: readonly unknown[], at: ValidatedRoute = place, headers: string[] = []) =>
  toolOf({ ...route('/x/:id', { method: at.method }), schema: readValidators(handlers, at) } as Route, {
    headers,
  })
const properties = (...handlers: unknown[]) => tool(handlers).json.properties
const required = (...handlers: unknown[]) => tool(handlers).json.required

describe('chains of express-validator', () => {
  it('describe path, query, headers and body of the tool', () => {
    const handlers = [
      param('id').isInt({ min: 1 }),
      query('dry').optional().isBoolean(),
      header('X-Tenant').isUUID(),
      body('title').isString().isLength({ min: 1, max: 80 }),
      (() => {}) as RequestHandler,
    ]
    expect(tool(handlers, place, ['X-Tenant']).json).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer', minimum: 1 },
        dry: { type: 'boolean' },
        query: { type: 'object', description: expect.stringContaining('Further') },
        'X-Tenant': { type: 'string', format: 'uuid' },
        title: { type: 'string', minLength: 1, maxLength: 80 },
      },
      required: ['id', 'X-Tenant', 'title'],
      additionalProperties: true,
    })
  })

  it.each<[string, unknown, object]>([
    ['isInt', body('a').isInt({ min: 1, max: 5 }), { type: 'integer', minimum: 1, maximum: 5 }],
    [
      'isInt, open',
      body('a').isInt({ gt: 0, lt: 9 }),
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
    ],
    ['isFloat', body('a').isFloat({ min: 0.5 }), { type: 'number', minimum: 0.5 }],
    ['isNumeric', body('a').isNumeric(), { type: ['number', 'string'] }],
    ['isNumeric, then toInt', body('a').isNumeric().toInt(), { type: 'integer' }],
    ['isBoolean', body('a').isBoolean(), { type: 'boolean' }],
    ['isBoolean, strict', body('a').isBoolean({ strict: true }), { type: 'boolean' }],
    ['isIn', body('a').isIn(['x', 'y']), { enum: ['x', 'y'] }],
    ['isIn of numbers', body('a').isInt().isIn(['1', '2']), { type: 'integer', enum: [1, 2] }],
    ['isEmail', body('a').isEmail().normalizeEmail(), { type: 'string', format: 'email' }],
    ['isURL', body('a').isURL(), { type: 'string', format: 'uri' }],
    ['isISO8601', body('a').isISO8601().toDate(), { type: 'string', format: 'date-time' }],
    ['isDate', body('a').isDate(), { type: 'string', format: 'date' }],
    ['isMongoId', body('a').isMongoId(), { type: 'string', pattern: '^[0-9a-fA-F]{24}$' }],
    ['isIP', body('a').isIP(4), { type: 'string', format: 'ipv4' }],
    ['matches', body('a').matches(/^a+$/), { type: 'string', pattern: '^a+$' }],
    ['matches, any case', body('a').matches(/^a+$/i), { type: 'string' }],
    ['equals', body('a').equals('yes'), { enum: ['yes'] }],
    ['isString', body('a').isString(), { type: 'string' }],
    ['isArray', body('a').isArray({ min: 1 }), { type: 'array', items: {} }],
    ['isObject', body('a').isObject(), { type: 'object' }],
    ['another standard one', body('a').isJWT(), { type: 'string' }],
    ['notEmpty', body('a').notEmpty(), {}],
    ['a sanitizer', body('a').trim().notEmpty(), { type: 'string' }],
    ['a custom one', body('a').custom(() => true), {}],
    [
      'a custom one that means the same',
      body('a').custom((value) => typeof value === 'string'),
      { type: 'string' },
    ],
    ['a negated one', body('a').not().isIn(['x']), {}],
    [
      'behind a sanitizer of the app',
      body('a')
        .customSanitizer((a) => a.split(','))
        .isArray(),
      {},
    ],
    [
      'in front of one',
      body('a')
        .isString()
        .customSanitizer((a) => a.split(','))
        .isArray(),
      { type: 'string' },
    ],
    ['toArray', body('a').toArray().isArray({ min: 1 }), { type: 'array', items: {} }],
    ['with a default', body('a').default(1).isInt({ min: 1 }).toInt(), { type: 'integer', minimum: 1 }],
    ['behind a condition', body('a').isString().if(body('b').exists()).isIn(['x']), { type: 'string' }],
    ['that null passes', body('a').optional({ values: 'null' }).isInt(), { type: ['integer', 'null'] }],
    ['that null passes, listed', body('a').isIn(['x']).optional({ nullable: true }), { enum: ['x', null] }],
    ['that nothing passes', body('a').isInt().optional({ values: 'falsy' }), { type: ['integer', 'null'] }],
    ['of a query, which has no null', query('a').optional({ values: 'null' }).isInt(), { type: 'integer' }],
  ])('%s', (_, chain, expected) => {
    expect(properties(chain)).toMatchObject({ a: expected })
    expect(Object.keys((properties(chain) as { a: object }).a)).toEqual(Object.keys(expected))
  })

  it.each<[string, unknown, boolean]>([
    ['isInt', body('a').isInt(), true],
    ['exists', body('a').exists(), true],
    ['isString', body('a').isString(), true],
    ['notEmpty', body('a').notEmpty(), true],
    ['optional', body('a').optional().isInt(), false],
    ['optional for null', body('a').isInt().optional({ values: 'null' }), false],
    ['a length without a least one', body('a').isLength({ max: 4 }), false],
    ['a pattern that takes nothing', body('a').matches(/^a*$/), false],
    ['a condition', body('a').if(body('b').exists()).isInt(), false],
    ['a custom validator, which may take anything', body('a').custom(() => true), false],
    ['sanitizers alone', body('a').trim(), false],
    ['a default', body('a').default(3).isInt(), false],
    ['a default behind what needs a value', body('a').isInt().default(3), true],
    ['toArray', body('a').toArray().isArray(), false],
    [
      'a sanitizer of the app that makes one',
      body('a')
        .customSanitizer(() => 1)
        .isInt(),
      false,
    ],
  ])('%s: required is as express-validator would have it', async (_, chain, expected) => {
    expect(required(chain)).toEqual(expected ? ['id', 'a'] : ['id'])
    const result = await (chain as { run(req: object): Promise<{ isEmpty(): boolean }> }).run({ body: {} })
    expect(result.isEmpty()).toBe(!expected)
  })

  it('are merged if they have the same field', () => {
    expect(
      properties(body('a').isString(), body('a').isLength({ min: 2 }), body('a').isEmail()),
    ).toMatchObject({
      a: { type: 'string', minLength: 2, format: 'email' },
    })
  })

  it('allow additional fields that an unreadable validator next to them may require', () => {
    const either = oneOf([body('a').isInt(), body('b').isInt()])
    expect(tool([either, body('c').isInt()]).json).toMatchObject({
      properties: { c: { type: 'integer' } },
      additionalProperties: true,
    })
  })

  it('describe members of objects and lists', () => {
    const handlers = [
      body('user').isObject(),
      body('user.name').isString(),
      body('user.mail').optional().isEmail(),
      body('tags').isArray(),
      body('tags.*').isLength({ min: 1 }),
      body('items[*].n').isInt(),
      body('["a.b"]').isInt(),
    ]
    expect(properties(...handlers)).toMatchObject({
      user: {
        type: 'object',
        properties: { name: { type: 'string' }, mail: { format: 'email' } },
        required: ['name'],
      },
      tags: { type: 'array', items: { type: 'string', minLength: 1 } },
      items: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      },
      'a.b': { type: 'integer' },
    })
    expect(required(...handlers)).toEqual(['id', 'user', 'tags', 'a.b'])
  })

  it('may describe the complete body', () => {
    expect(properties(body().isArray(), body('*.n').isInt())).toMatchObject({
      body: { type: 'array', items: { properties: { n: { type: 'integer' } } } },
    })
  })

  it('that look in all parts describe the part that a client would use', () => {
    const chains = [check('id').isInt(), check('n').isInt()]
    expect(readValidators(chains, place)).toMatchObject({
      params: { properties: { id: { type: 'integer' } } },
      body: { properties: { n: { type: 'integer' } } },
    })
    expect(readValidators(chains, { ...place, method: 'GET' })).toMatchObject({
      query: { properties: { n: { type: 'integer' } } },
    })
  })

  it('may come from checkSchema, in nested arrays', () => {
    const chains = checkSchema({ limit: { in: ['query'], isInt: { options: { max: 9 } }, optional: true } })
    expect(properties([[chains]])).toMatchObject({ limit: { type: 'integer', maximum: 9 } })
  })

  it("that can't be read are reported, and don't affect others", () => {
    const { json, notes } = tool([
      oneOf([body('a').isInt(), body('b').isInt()]),
      body('x.**').isInt(),
      body('c').isInt(),
    ])
    expect(json.properties).toMatchObject({ c: { type: 'integer' } })
    expect(notes).toEqual([
      'oneOf() of express-validator cannot be read; describe the route with asTool()',
      'a validator is left out: the field "x.**" has a globstar, which no schema can say',
    ])
  })

  it('ignore cookies', () => {
    expect(readValidators([check('session').isString()].map((chain) => chain))).toMatchObject({ body: {} })
    // An undescribed POST has a free query and body.
    expect(properties(checkSchema({ session: { in: ['cookies'], isString: true } }))).toEqual({
      id: { type: 'string' },
      query: expect.objectContaining({ type: 'object' }),
      body: { description: expect.any(String) },
    })
  })
})

describe('celebrate', () => {
  const celebrated = celebrate({
    [Segments.PARAMS]: Joi.object({ id: Joi.number().integer() }),
    [Segments.QUERY]: {
      q: Joi.string().required(),
      day: Joi.date().iso(),
      all: Joi.boolean().default(false),
    },
    [Segments.BODY]: Joi.object({ title: Joi.string().max(8).required(), n: Joi.number().min(1) }),
    [Segments.HEADERS]: Joi.object({
      'x-tenant': Joi.string(),
      authorization: Joi.string().required(),
    }).unknown(),
  })

  it('has Joi schemas, as objects and plain maps', () => {
    expect(tool([celebrated], place, ['x-tenant']).json).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer' },
        q: { type: 'string', minLength: 1 },
        day: { type: 'string', format: 'date-time' },
        all: { type: 'boolean', default: false },
        'x-tenant': { type: 'string', minLength: 1 },
        title: { type: 'string', minLength: 1, maxLength: 8 },
        n: { type: 'number', minimum: 1 },
      },
      required: ['id', 'q', 'title'],
      additionalProperties: false,
    })
  })

  it('accepts other keys, any case and nested nodes if its Joi schemas do', () => {
    const jsonOf = (schema: Joi.Schema) => tool([celebrate({ [Segments.BODY]: schema })]).json
    const open = jsonOf(Joi.object({ a: Joi.number() }).unknown())
    expect(open).toMatchObject({ properties: { a: { type: 'number' } }, additionalProperties: true })
    const cases = jsonOf(Joi.object({ a: Joi.string().pattern(/^x/i), b: Joi.string().pattern(/^y/) }))
    expect(cases.properties).toMatchObject({ a: { type: 'string' }, b: { pattern: '^y' } })
    expect((cases.properties as { a: object }).a).not.toHaveProperty('pattern')
    const node = Joi.object({ name: Joi.string(), kids: Joi.array().items(Joi.link('#node')) }).id('node')
    expect(jsonOf(node).properties).toMatchObject({ name: { type: 'string' }, kids: { type: 'array' } })
  })

  it('works together with express-validator', () => {
    const { json } = tool([celebrate({ [Segments.QUERY]: { q: Joi.string() } }), body('n').isInt()])
    expect(json.properties).toMatchObject({ q: { type: 'string' }, n: { type: 'integer' } })
    const twice = celebrate({ [Segments.QUERY]: { z: Joi.string() } })
    expect(tool([celebrated, twice]).notes).toEqual(['a second celebrate() schema of query is left out'])
  })

  it('accepts the same values over HTTP as the tool does, and refuses the same', async () => {
    const app = express()
    app.use(express.json())
    app.post('/x/:id', celebrated, (req, res) => void res.json({ ...req.body, ...req.params }))
    app.use(errors())
    const { check: checked, split } = tool([celebrated])
    await using server = await serve(app)
    const send = async (args: Record<string, unknown>) => {
      const { params, query: search, headers, body: sent } = split(args)
      return fetch(`${server.url}/x/${params.id}?${search}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', authorization: 'x' },
        body: JSON.stringify(sent),
      })
    }
    const good = { id: 1, q: 'a', day: '2026-01-31', all: true, title: 't', n: 2 }
    expect(checked(good)).toEqual(good)
    const answer = await send(good)
    expect(await answer.json()).toEqual({ title: 't', n: 2, id: 1 })
    const bad = { ...good, title: 'much too long' }
    expect(checked(bad)).toContain('title')
    expect((await send(bad)).status).toBe(400)
  })
})

it('returns undefined if there are no validators', () => {
  const named = Object.assign(() => {}, { builder: { build: () => 'no chain' }, _schema: null })
  expect(readValidators([() => {}, named, undefined, 'x'])).toBeUndefined()
  const failing = Object.assign(() => {}, {
    builder: {
      build: () => {
        throw new Error('broken')
      },
    },
  })
  expect(readValidators([failing])?.notes).toEqual(['a validator is left out: broken'])
})

it('accepts over HTTP the values that chains accept', async () => {
  const chains = [
    param('id').isInt(),
    query('n').isFloat(),
    body('flag').isBoolean(),
    body('tags.*').isLength({ max: 3 }),
  ]
  const app = express()
  app.use(express.json())
  app.post('/x/:id', chains, ((req, res) => void res.json(validationResult(req).array())) as RequestHandler)
  const { check: checked, split } = tool([chains])
  await using server = await serve(app)
  const args = { id: 3, n: 1.5, flag: false, tags: ['a', 'b'] }
  expect(checked(args)).toEqual(args)
  const { params, query: search, body: sent } = split(args)
  const answer = await fetch(`${server.url}/x/${params.id}?${search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  })
  expect(await answer.json()).toEqual([])
})
