import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkMarker } from '../../../src/routes/discovery/marker.js'
import { route, toolOf } from './input-support.js'

type Json = Record<string, unknown>
const object = (properties: object, required: string[] = []): Json => ({
  type: 'object',
  properties,
  required,
})
const text = { type: 'string' }
const whole = { type: 'integer' }

describe('the arguments of a route', () => {
  it('are one flat object of path, query and body', () => {
    const { json, split, consumes } = toolOf(
      route('/orgs/:org/tasks/:id', {
        schema: {
          params: object({ id: whole }),
          query: object({ dry: { type: 'boolean' } }),
          body: object({ title: text, tags: { type: 'array', items: text } }, ['title']),
        },
      }),
    )
    expect(json).toEqual({
      type: 'object',
      properties: {
        org: text,
        id: whole,
        dry: { type: 'boolean' },
        title: text,
        tags: { type: 'array', items: text },
      },
      required: ['org', 'id', 'title'],
      additionalProperties: false,
    })
    expect(split({ org: 'a/b', id: 7, dry: true, title: 't', tags: ['x'] })).toEqual({
      params: { org: 'a/b', id: '7' },
      query: 'dry=true',
      headers: {},
      body: { title: 't', tags: ['x'] },
    })
    expect(consumes).toBe('application/json')
  })

  it('are path parameters as strings, where nothing else is known', () => {
    const { json, split, consumes } = toolOf(route('/a/:id/:more?', { method: 'GET' }))
    expect(json).toEqual({
      type: 'object',
      properties: { id: text, more: text, query: { type: 'object', description: expect.any(String) } },
      required: ['id'],
      additionalProperties: false,
    })
    expect(split({ id: 'x' })).toEqual({ params: { id: 'x' }, query: '', headers: {}, body: undefined })
    expect(consumes).toBeUndefined()
  })

  it('keep the bare name for the body where names clash', () => {
    const { json, split } = toolOf(
      route('/u/:id', {
        schema: { query: object({ id: text, q: text }), body: object({ id: whole, id__path: whole }) },
      }),
    )
    expect(Object.keys(json.properties as object)).toEqual(['id__path_', 'id__query', 'q', 'id', 'id__path'])
    expect(split({ id: 1, id__path: 2, id__path_: 'p', id__query: 'q' })).toMatchObject({
      params: { id: 'p' },
      query: 'id=q',
      body: { id: 1, id__path: 2 },
    })
  })

  it.each<[string, Json]>([
    ['a list', { type: 'array', items: text }],
    ['a text', text],
    ['any object', { type: 'object' }],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }],
    ['alternatives', { oneOf: [object({ cat: text }, ['cat']), object({ dog: text }, ['dog'])] }],
  ])('have one called `body` where it is %s', (_, body) => {
    const { json, split } = toolOf(route('/x/:id', { schema: { body } }))
    expect(Object.keys(json.properties as object)).toEqual(['id', 'body'])
    expect(json.required).toEqual(['id', 'body'])
    expect(split({ id: '1', body: [1, null] }).body).toEqual([1, null])
  })

  it('call it `body_` where something else is called body', () => {
    const { json, split } = toolOf(
      route('/x', { schema: { query: object({ body: text }), body: { type: 'array' } } }),
    )
    expect(Object.keys(json.properties as object)).toEqual(['body', 'body_'])
    expect(split({ body: 'q', body_: [1] })).toMatchObject({ query: 'body=q', body: [1] })
  })

  it('have names that model providers take', () => {
    const query = object({ 'filter[status]': text, $top: whole, 'ids[]': { type: 'array', items: text } })
    const { json, split } = toolOf(
      route('/x', { method: 'GET', schema: { query: { ...query, required: ['$top'] } } }),
    )
    expect(Object.keys(json.properties as object)).toEqual(['filter_status', 'top', 'ids'])
    expect(json.required).toEqual(['top'])
    expect(split({ filter_status: 'open', top: 1, ids: ['a', 'b'] }).query).toBe(
      'filter%5Bstatus%5D=open&%24top=1&ids%5B%5D=a&ids%5B%5D=b',
    )
    const long = 'n'.repeat(100)
    const clash = toolOf(route(`/x/:${long}`, { schema: { body: object({ [long]: text }) } }))
    for (const name of Object.keys(clash.json.properties as object)) expect(name).toMatch(/^[\w.-]{1,64}$/)
    expect(Object.keys(clash.json.properties as object)).toHaveLength(2)
  })

  it('join what `allOf` says of a body', () => {
    const base = object({ id: whole, name: text }, ['id'])
    const { json } = toolOf(
      route('/x', { schema: { body: { allOf: [base, object({ name: { minLength: 2 } }, ['name'])] } } }),
    )
    expect(json).toMatchObject({
      properties: { id: whole, name: { allOf: [text, { minLength: 2 }] } },
      required: ['id', 'name'],
    })
  })

  it('are wanted only as much as the body is', () => {
    const body = object({ note: text }, ['note'])
    const optional = toolOf(route('/x', { schema: { body, bodyRequired: false } }))
    expect(optional.json).not.toHaveProperty('required')
    expect(optional.split({}).body).toBeUndefined()
    expect(optional.split({ note: 'n' }).body).toEqual({ note: 'n' })
    expect(toolOf(route('/x', { schema: { body: object({ note: text }) } })).split({}).body).toEqual({})
  })

  it('take other keys where the body says so', () => {
    const body = { ...object({ a: text }), additionalProperties: { type: 'number' } }
    const { json, check, split } = toolOf(route('/x/:id', { schema: { body } }))
    expect(json.additionalProperties).toEqual({ type: 'number' })
    expect(check({ id: '1', other: 'no' })).toContain('other: expected number')
    expect(split({ id: '1', a: 'a', other: 2 }).body).toEqual({ a: 'a', other: 2 })
  })

  it('are none for a body that lists no property, or none that may be written', () => {
    const readOnly = object({ id: { ...whole, readOnly: true } }, ['id'])
    for (const body of [object({}), readOnly]) {
      const { json, split } = toolOf(route('/x', { schema: { body } }))
      expect(json).toEqual({ type: 'object', properties: {}, additionalProperties: false })
      expect(split({}).body).toEqual({})
    }
  })

  describe.each(['POST', 'PUT', 'PATCH'])('of a %s whose body nobody describes', (method) => {
    it('have a free one, which may be left out', () => {
      const { json, check, split, consumes } = toolOf(route('/x/:id', { method, schema: { query: {} } }))
      expect(json).toEqual({
        type: 'object',
        properties: { id: text, body: { description: expect.stringContaining('JSON') } },
        required: ['id'],
        additionalProperties: false,
      })
      expect(consumes).toBe('application/json')
      for (const body of [{ a: [1] }, [1, 'a'], 'text', 7, false, null]) {
        expect(check({ id: '1', body })).toEqual({ id: '1', body })
        expect(split({ id: '1', body }).body).toEqual(body)
      }
      expect(split({ id: '1' }).body).toBeUndefined()
    })

    it('have none where its document has none', () => {
      const { json, consumes } = toolOf(route('/x', { method, schema: { takesBody: false } }))
      expect(json.properties).toEqual({})
      expect(consumes).toBeUndefined()
    })
  })

  it.each<[string, Json]>([
    ['multipart/form-data', { type: 'object' }],
    ['application/x-www-form-urlencoded', { type: 'object' }],
    ['application/merge-patch+json', { description: expect.stringContaining('JSON') }],
    ['text/csv', text],
    ['application/octet-stream', { type: 'string', format: 'binary' }],
  ])('have a free body in the way it travels, as %s', (consumes, body) => {
    const tool = toolOf(route('/x', { schema: { consumes } }))
    expect(tool.json.properties).toMatchObject({ body })
    expect(tool.consumes).toBe(consumes)
  })

  it('have none where the marker says that it is empty', () => {
    const { json, check } = toolOf(route('/x', { marker: { body: z.object({}) } }))
    expect(json.properties).toEqual({})
    expect(check({ body: {} })).toContain('body')
  })

  it('have a free body where its schema cannot be read', () => {
    const { json, notes } = toolOf(route('/x', { schema: { body: 7 } }))
    expect(json.properties).toMatchObject({ body: { description: expect.any(String) } })
    expect(notes.join()).toContain('the schema of its body is left out')
  })

  it.each(['GET', 'DELETE'])('are none of a body for a %s that says nothing of one', (method) => {
    expect(Object.keys(toolOf(route('/x', { method })).json.properties as Json)).toEqual(['query'])
  })

  it('are all those that alternatives of a query name, none of them required', () => {
    const query = {
      ...object({ always: text }, ['always']),
      oneOf: [object({ a: text }, ['a']), { allOf: [object({ b: text }, ['b'])] }],
    }
    const { json } = toolOf(route('/x', { method: 'GET', schema: { query } }))
    expect(json).toMatchObject({ properties: { always: text, a: text, b: text }, required: ['always'] })
  })

  it('are none where a GET has a body', () => {
    const { json, notes, consumes } = toolOf(
      route('/x', { method: 'GET', schema: { body: object({ a: text }) } }),
    )
    expect(json.properties).toEqual({})
    expect(notes).toEqual(['a GET request has no body; its schema is left out'])
    expect(consumes).toBeUndefined()
  })
})

describe('a header', () => {
  it('is an argument only where the marker or an option names it', () => {
    const properties = { 'X-Tenant': whole, 'X-Auth-Request-Email': text, 'If-Match': text }
    const headers = object(properties, ['X-Tenant', 'If-Match'])
    const given = (marker: object) => route('/x', { method: 'GET', schema: { headers }, marker })
    expect(toolOf(given({})).json).toEqual({ type: 'object', properties: {}, additionalProperties: false })
    const { json, split } = toolOf(given({ headers: ['x-tenant', 'If-None-Match'] }), {
      headers: ['IF-MATCH'],
    })
    expect(json).toMatchObject({
      properties: { 'X-Tenant': whole, 'If-Match': text, 'If-None-Match': text },
      required: ['If-Match', 'X-Tenant'],
    })
    expect(Object.keys(json.properties as object)).toHaveLength(3)
    expect(split({ 'X-Tenant': 7, 'If-Match': '"a"', 'X-Auth-Request-Email': 'admin' }).headers).toEqual({
      'x-tenant': '7',
      'if-match': '"a"',
    })
  })

  it.each([
    ...['Authorization', 'cookie', 'Host', 'Content-Type', 'content-length', 'Transfer-Encoding', 'TE'],
    ...['connection', 'Proxy-Authorization', 'X-Forwarded-For', 'x-forwarded-user', 'Forwarded', 'x-real-ip'],
    ...[
      'X-HTTP-Method-Override',
      'X-Rewrite-URL',
      'traceparent',
      'Mcp-Session-Id',
      'Sec-Fetch-Site',
      'bad name',
    ],
  ])('is never an argument: %s', (name) => {
    expect(() => checkMarker('asTool()', { headers: ['if-match', name] })).toThrow(
      /asTool\(\): expected `headers` to/,
    )
  })

  it.each([
    ['a constant', { const: 'v1' }, 'v1'],
    ['a default', { type: 'integer', default: 2 }, '2'],
    ['the only member of an enum', { enum: ['gzip'] }, 'gzip'],
  ])('that is required is sent as %s', (_, schema, sent) => {
    const headers = object({ 'X-Version': schema, 'X-Optional': { const: 'a' }, Host: { const: 'b' } }, [
      'X-Version',
      'Host',
    ])
    const { json, split, notes } = toolOf(route('/x', { method: 'GET', schema: { headers } }))
    expect([json.properties, notes, split({}).headers]).toEqual([{}, [], { 'x-version': sent }])
  })

  it('that is required and sent by nobody is a warning with both ways out', () => {
    const headers = object({ 'X-Tenant': text, Authorization: text, 'X-Line': { const: 'a\nb' } }, [
      'X-Tenant',
      'Authorization',
      'X-Line',
    ])
    const given = route('/x', { method: 'GET', schema: { headers } })
    expect(toolOf(given).notes).toEqual([
      'its required header "X-Tenant" is not sent: name it in `headers` to make it an argument, or in `forwardHeaders` to pass on the caller\'s',
      expect.stringContaining('"X-Line"'),
    ])
    expect(toolOf(given, { forwardHeaders: ['x-tenant', 'x-line'] }).notes).toEqual([])
    expect(toolOf(given, { headers: ['x-tenant', 'x-line'] }).notes).toEqual([])
    expect(toolOf(given, { alternative: undefined }).notes).toEqual([])
  })

  it('is no argument where that of the caller is passed on', () => {
    const headers = object({ 'X-Tenant': text, 'X-Page': text }, ['X-Tenant'])
    const marker = { headers: ['X-Tenant', 'X-Page'] }
    const given = route('/x', { method: 'GET', schema: { headers }, marker })
    const { json, split } = toolOf(given, { forwardHeaders: ['x-tenant'] })
    expect(json).toEqual({ type: 'object', properties: { 'X-Page': text }, additionalProperties: false })
    expect(split({ 'X-Tenant': 'other', 'X-Page': '1' }).headers).toEqual({ 'x-page': '1' })
  })

  it('refuses what would start another header', () => {
    const marker = { headers: ['X-Tenant'] }
    const { split } = toolOf(route('/x', { schema: { headers: object({ 'X-Tenant': text }) }, marker }))
    expect(() => split({ 'X-Tenant': 'a\r\nCookie: b' })).toThrow(
      'X-Tenant: expected text that fits into a header',
    )
    expect(() => split({ 'X-Tenant': '✓' })).toThrow('fits into a header')
  })

  it('clashes by name like any other argument', () => {
    const { json } = toolOf(
      route('/:tenant', {
        method: 'GET',
        schema: { headers: object({ tenant: text }) },
        marker: { headers: ['tenant'] },
      }),
    )
    expect(Object.keys(json.properties as object)).toEqual(['tenant__path', 'tenant__header'])
  })
})

describe('the marker', () => {
  it('wins over the schema of the route, part by part', () => {
    const { json } = toolOf(
      route('/x/:id', {
        method: 'GET',
        marker: { params: z.object({ id: z.coerce.number() }) },
        schema: { params: object({ id: text }), query: object({ q: text }) },
      }),
    )
    expect(json.properties).toEqual({ id: { type: 'number' }, q: text })
  })

  it('is checked by its library, and the values travel as they came', () => {
    const seen: unknown[] = []
    const query = z.object({
      page: z.coerce.number().default(1),
      from: z.iso
        .date()
        .transform((day) => new Date(day))
        .optional(),
    })
    const { check, split } = toolOf(
      route('/x/:id', {
        marker: {
          params: z.object({ id: z.string().refine((id) => seen.push(id) > 0) }),
          query,
          body: z.object({ n: z.number().max(3) }),
        },
      }),
    )
    const args = { id: '1', from: '2026-01-31', n: 2 }
    expect(check(args)).toEqual(args)
    expect(seen).toEqual(['1'])
    expect(split(args)).toMatchObject({ query: 'from=2026-01-31', body: { n: 2 } })
    expect(check({ id: '1', n: 4 })).toBe('n: Too big: expected number to be <=3')
    expect(check({ id: '1', from: 'x', n: 1 })).toContain('from: Invalid ISO date')
  })

  it('names the argument as the caller knows it, in what its library says', () => {
    const { check } = toolOf(
      route('/x/:id', {
        marker: {
          params: z.object({ id: z.string().max(1) }),
          body: z.object({ id: z.object({ a: z.number() }) }),
        },
      }),
    )
    expect(check({ id: { a: 'x' }, id__path: 'toolong' })).toMatch(/id__path: Too big.*id\.a: Invalid input/)
  })

  it('waits for a library that waits', async () => {
    const body = z.object({ a: z.string().refine(async (a) => a === 'x') })
    const { input } = toolOf(route('/x', { marker: { body } }))
    expect(await input['~standard'].validate({ a: 'x' })).toEqual({ value: { a: 'x' } })
    expect(await input['~standard'].validate({ a: 'y' })).toMatchObject({ issues: [{ path: ['a'] }] })
  })

  it('is refused with the place and the way out, where it is no schema', () => {
    const wrong = (part: unknown) => () => toolOf(route('/x', { marker: { query: part as object } }))
    expect(wrong({ q: z.string() })).toThrow(
      'POST /x: `query` is a plain object with the schema "q" in it; wrap it',
    )
    expect(wrong('text')).toThrow(
      'POST /x: `query`: expected a schema of a library or a JSON Schema object, got "text"',
    )
    expect(wrong({ q: { type: 'string' }, title: { $ref: '#/x' } })).toThrow(
      "POST /x: `query`: expected JSON Schema, got properties alone (q, title); write { type: 'object', properties: { … } }",
    )
    expect(wrong(z.string())).toThrow('got one of type "string"')
    expect(wrong({ not: { type: 'string' } })).not.toThrow()
  })
})

describe('what cannot be read', () => {
  it('is left out with the reason', () => {
    const { json, notes } = toolOf(
      route('/x/:id', {
        schema: {
          params: object({ nope: text }),
          query: 7 as never,
          body: object({ a: { $ref: 'https://evil.example/x.json' }, b: { $ref: '#/nowhere' }, c: text }),
        },
      }),
    )
    expect(json.properties).toEqual({ id: text, a: {}, b: {}, c: text })
    expect(notes).toEqual([
      'the schema of its query is left out: POST /x/{id}: expected a schema of a library or a JSON Schema object, got 7',
      'its path has no parameter "nope"; its schema is left out',
      'the reference "https://evil.example/x.json" has no target in the document; it is left untyped',
      'the reference "#/nowhere" has no target in the document; it is left untyped',
    ])
  })
})

describe('references', () => {
  const $defs = {
    Node: object({ name: text, children: { type: 'array', items: { $ref: '#/$defs/Node' } } }),
    Tag: object({ label: text }),
  }

  it('are inlined, but for recursive ones', () => {
    const { json, check } = toolOf(
      route('/x', {
        schema: {
          body: {
            ...object({ tree: { $ref: '#/$defs/Node' }, tag: { $ref: '#/$defs/Tag', description: 'd' } }),
            $defs,
          },
        },
      }),
    )
    expect(json).toMatchObject({
      properties: { tree: { $ref: '#/$defs/Node' }, tag: { ...$defs.Tag, description: 'd' } },
      $defs: { Node: { properties: { children: { items: { $ref: '#/$defs/Node' } } } } },
    })
    expect(Object.keys(json.$defs as object)).toEqual(['Node'])
    expect(check({ tree: { name: 'a', children: [{ children: [{ name: 1 }] }] } })).toBe(
      'tree.children[0].children[0].name: expected string, got 1',
    )
  })

  it('of two parts do not clash', () => {
    const list = (item: object) => ({
      ...object({ item: { $ref: '#/$defs/Item' } }),
      $defs: { Item: object({ again: { $ref: '#/$defs/Item' }, ...item }) },
    })
    const { json, check } = toolOf(
      route('/x', { schema: { query: list({ q: whole }), body: list({ b: text }) } }),
    )
    expect(Object.keys(json.$defs as object)).toEqual(['Item', 'Item_2'])
    expect(check({ item: { again: { b: 1 } } })).toContain('item.again.b: expected string')
    expect(check({ item__query: { again: { q: 'x' } } })).toContain('item__query.again.q: expected integer')
  })

  it('to a recursive body leave its first level flat', () => {
    const { json } = toolOf(route('/x', { schema: { body: { $ref: '#/$defs/Node', $defs } as Json } }))
    expect(json).toMatchObject({ properties: { name: text, children: { items: { $ref: '#/$defs/Node' } } } })
  })

  it('that lead only to each other say nothing', () => {
    const circle = { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } }
    const { json } = toolOf(
      route('/x', { schema: { body: { ...object({ a: { $ref: '#/$defs/A' } }), $defs: circle } } }),
    )
    expect(new Ajv2020({ strict: false }).validateSchema(json)).toBe(true)
  })
})

describe('read-only and write-only properties', () => {
  const secret = { ...text, writeOnly: true }
  const $defs = { Id: { ...whole, readOnly: true } }

  it('are for answers and for requests alone, at any depth', () => {
    const inner = object({ id: { $ref: '#/$defs/Id' }, name: text, secret }, ['id', 'name'])
    const body = {
      ...object({ id: { allOf: [{ $ref: '#/$defs/Id' }] }, made: { ...text, readOnly: true }, inner }, [
        'id',
      ]),
      $defs,
    }
    const { json } = toolOf(route('/x', { schema: { body } }))
    expect(json).toEqual({
      type: 'object',
      properties: { inner: { type: 'object', properties: { name: text, secret: text }, required: ['name'] } },
      additionalProperties: false,
    })
  })
})

describe('older dialects', () => {
  it('are published as 2020-12', () => {
    const { json } = toolOf(
      route('/x', {
        schema: {
          body: object({
            age: { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
            nick: { type: 'string', nullable: true, example: 'bo' },
            size: { type: 'string', enum: ['s', 'm'], nullable: true },
            pet: { nullable: true, allOf: [object({ a: text })], description: 'd' },
            pair: { type: 'array', items: [text, whole], additionalItems: false },
            old: { type: 'object', properties: {}, dependencies: { a: ['b'], c: { required: ['d'] } } },
            junk: {
              type: 'any',
              required: true,
              pattern: '(',
              minLength: -1,
              discriminator: { propertyName: 'x' },
              xml: {},
            },
            upload: { type: 'file' },
          }),
        },
      }),
    )
    expect(json.properties).toEqual({
      age: { type: 'integer', exclusiveMinimum: 1, maximum: 9 },
      nick: { type: ['string', 'null'], examples: ['bo'] },
      size: { type: ['string', 'null'], enum: ['s', 'm', null] },
      pet: {
        description: 'd',
        anyOf: [
          { allOf: [object({ a: text })].map(({ required, ...rest }) => ({ ...rest, required })) },
          { type: 'null' },
        ],
      },
      pair: { type: 'array', prefixItems: [text, whole], items: { anyOf: [text, whole] }, maxItems: 2 },
      old: {
        type: 'object',
        properties: {},
        dependentRequired: { a: ['b'] },
        dependentSchemas: { c: { required: ['d'] } },
      },
      junk: {},
      upload: { type: 'string', format: 'binary' },
    })
    expect(new Ajv2020({ strict: false }).validateSchema(json)).toBe(true)
  })
})

describe('a schema that no model could read', () => {
  it('shares what it repeats, then loses its depths, and says so', () => {
    const level = (depth: number): object =>
      depth === 0 ? text : object(Object.fromEntries([1, 2, 3].map((n) => [`p${n}`, level(depth - 1)])))
    const { json, notes } = toolOf(route('/x', { schema: { body: level(9) } }))
    expect(JSON.stringify(json).length).toBeLessThan(32_769)
    expect(notes).toEqual(['parts are left untyped: the schema is too large for a tool'])
    expect(json).toMatchObject({ properties: { p1: { properties: { p2: { properties: { p3: {} } } } } } })
  })

  it('becomes no tool when even its first level is too large', () => {
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`property_${n}`, text]))
    expect(() => toolOf(route('/x', { schema: { body: object(many) } }))).toThrow(
      'POST /x: its input schema is larger than 32768 bytes',
    )
  })

  it('may lead in circles by identity', () => {
    const circle: Record<string, unknown> = { type: 'object', properties: {} }
    circle.properties = { self: circle, name: text }
    const { json } = toolOf(route('/x', { schema: { body: circle } }))
    expect(json).toMatchObject({ properties: { name: text } })
  })
})

describe('hostile names', () => {
  const body = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"number"}}}',
  )

  it('are ordinary ones, or refused', () => {
    const { json, check, split } = toolOf(route('/x', { schema: { body, query: object({ a: {} }) } }))
    expect(Object.keys(json.properties as object)).toEqual(['a', 'constructor', 'toString'])
    const given = { constructor: 'c', toString: 1 }
    expect(check(given)).toEqual(given)
    expect(split(given).body).toEqual(given)
    expect(check(JSON.parse('{"a":{"b":[{"__proto__":{"admin":true}}]}}'))).toBe(
      'a.b[0].__proto__: this name is not allowed',
    )
    expect(() => split(JSON.parse('{"__proto__":1}'))).toThrow('the name "__proto__" is not allowed')
    expect(split({}).params).not.toHaveProperty('constructor')
  })

  it('are never read off a prototype', () => {
    const { split } = toolOf(route('/:constructor', { schema: { query: object({ toString: text }) } }))
    expect(split({})).toEqual({ params: {}, query: '', headers: {}, body: undefined })
  })
})

it('names the unknown argument and the nearest one, as other tools do', () => {
  const { check } = toolOf(route('/x/:id', { schema: { query: object({ limit: whole }) } }))
  expect(check({ id: '1', limitt: 1 })).toBe('limitt: unknown key; did you mean "limit"?')
})

it('keeps the list of controlled headers in lower case', () => {
  const source = readFileSync(
    new URL('../../../src/routes/request/controlled-headers.ts', import.meta.url),
    'utf8',
  )
  for (const [name] of source.matchAll(/'[A-Za-z-]+'/g)) expect(name).toBe(name.toLowerCase())
})

describe('defaults that their own schema refuses', () => {
  const schema = {
    query: object(
      {
        limit: { type: 'integer', default: '10' },
        sort: { enum: ['asc', 'desc'], default: '' },
        since: { type: 'string', default: null },
        page: { type: 'integer', default: 1 },
      },
      ['limit', 'page'],
    ),
  }
  const made = toolOf(route('/x', { method: 'GET', schema }))

  it('are left out and noted, once for the tool', () => {
    expect(made.json.properties).toEqual({
      limit: { type: 'integer' },
      sort: { enum: ['asc', 'desc'] },
      since: { type: 'string' },
      page: { type: 'integer', default: 1 },
    })
    expect(made.notes).toEqual([
      "defaults that don't match their own schema are left out: limit, sort, since",
    ])
  })

  it('leave the argument optional: the route has its own way with it', () => {
    expect(made.json.required).toEqual(['page'])
    expect(made.check({})).toEqual({})
    expect(made.check({ limit: '10' })).toBe('limit: expected integer, got "10"')
  })
})

describe('keywords that no validator can read', () => {
  it('are mended or left out, and the tool can be called', () => {
    const { json, notes, check } = toolOf(
      route('/x', {
        schema: {
          body: object({
            size: { enum: ['s', 'm', 's'] },
            slug: { type: 'string', pattern: String.raw`^[a-z]+\-\d$` },
            name: { type: 'string', pattern: '(?<=x' },
            map: { type: 'object', patternProperties: { '(?i)x': {} }, additionalProperties: false },
          }),
        },
      }),
    )
    expect(json.properties).toEqual({
      size: { enum: ['s', 'm'] },
      slug: { type: 'string', pattern: String.raw`^[a-z]+\x2d\d$` },
      name: { type: 'string' },
      map: { type: 'object' },
    })
    expect(notes.join()).toMatch(
      /the pattern "\(\?<=x" is left out.*`patternProperties` "\(\?i\)x" is left out/,
    )
    expect(check({ size: 's', slug: 'a-1', map: { X: 1 } })).toEqual({
      size: 's',
      slug: 'a-1',
      map: { X: 1 },
    })
    expect(check({ slug: 'a1' })).toMatch(/^slug: must match pattern/)
  })
})

it.each(['X-User-Id', 'remote-user', 'x-api-key'])('sends %s only where it is named or forwarded', (name) => {
  const headers = { type: 'object', properties: { [name]: { const: 'root' } }, required: [name] } as const
  const { json, split } = toolOf(route('/x', { method: 'GET', schema: { headers } }))
  expect(json.properties ?? {}).not.toHaveProperty(name)
  expect(split({}).headers).toEqual({})
  const named = toolOf(route('/x', { method: 'GET', schema: { headers }, marker: { headers: [name] } }))
  expect(named.split({ [name]: 'root' }).headers).toEqual({ [name.toLowerCase()]: 'root' })
})
