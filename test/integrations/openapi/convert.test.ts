import { describe, expect, it } from 'vitest'
import { convert, documentOf, inputSchemaOf, type Json, operation } from './documents.js'

const text = { type: 'string' }
const parameter = (where: string, name: string, more: Json = {}): Json => ({
  in: where,
  name,
  schema: text,
  ...more,
})
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } })

describe('an operation', () => {
  it('becomes a tool with its name, description, arguments and output schema', async () => {
    const { tools, report } = await convert(
      operation('PUT /tasks/{id}', {
        operationId: 'updateTask',
        summary: 'Update',
        description: 'Updates a task.',
        parameters: [parameter('path', 'id', { schema: { type: 'integer' }, description: 'Which' })],
        requestBody: json({ type: 'object', properties: { title: text }, required: ['title'] }),
        responses: {
          200: {
            description: 'ok',
            ...json({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }),
          },
        },
      }),
    )
    expect(report).toEqual({ tools: ['updateTask'], skipped: [] })
    expect(tools[0]).toMatchObject({
      title: 'Update',
      description: 'Updates a task.',
      annotations: { idempotentHint: true },
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'integer', description: 'Which' }, title: text },
        required: ['id', 'title'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', properties: { id: { type: 'integer' } } },
      route: { method: 'PUT', path: '/tasks/{id}', schemaSource: 'openapi' },
    })
  })

  it('resolves references anywhere in the document', async () => {
    const used = { type: 'object', properties: { size: { $ref: '#/x-parts/size' } } }
    const described = documentOf(
      {
        '/a': { post: { requestBody: { content: { 'application/json': { schema: used } } }, responses: {} } },
        '/b': {
          post: {
            requestBody: {
              content: {
                'application/json': {
                  schema: { $ref: '#/paths/~1a/post/requestBody/content/application~1json/schema' },
                },
              },
            },
            responses: {},
          },
        },
      },
      { 'x-parts': { size: { type: 'integer', maximum: 9 } } },
    )
    const { tools } = await convert(described)
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({ properties: { size: { type: 'integer', maximum: 9 } } })
    expect(tools).toHaveLength(2)
  })

  it('has the parameters of its path, overridden by its own, with references resolved', async () => {
    const schema = await inputSchemaOf(
      documentOf(
        {
          '/x/{id}': {
            parameters: [
              parameter('path', 'id'),
              parameter('query', 'q', { required: true }),
              { $ref: '#/components/parameters/Page' },
            ],
            get: { parameters: [parameter('query', 'q', { schema: { type: 'integer' } })], responses: {} },
          },
        },
        {
          components: {
            parameters: {
              Page: { $ref: '#/components/parameters/Real' },
              Real: parameter('query', 'page', { example: '2' }),
            },
          },
        },
      ),
    )
    expect(schema).toMatchObject({
      properties: { id: text, q: { type: 'integer' }, page: { type: 'string', examples: ['2'] } },
      required: ['id'],
    })
  })

  it('leaves cookies and headers to the caller, except for configured headers', async () => {
    const said = {
      parameters: [
        parameter('cookie', 'sid', { required: true }),
        parameter('header', 'Authorization'),
        parameter('header', 'X-Tenant'),
        parameter('header', 'If-Match'),
      ],
    }
    expect((await inputSchemaOf(operation('GET /x', said))).properties).toEqual({})
    const named = { ...said, 'x-mcp': { headers: ['if-match'] } }
    expect((await inputSchemaOf(operation('GET /x', named))).properties).toEqual({ 'If-Match': text })
  })

  it('can be deprecated, and can be hidden', async () => {
    const { tools, report } = await convert(
      documentOf({
        '/a': { get: { deprecated: true, summary: 'Old', responses: {} } },
        '/b': { get: { 'x-mcp-hidden': true, responses: {} } },
        '/c': { 'x-internal': true, get: { responses: {} } },
        '/d': { get: { 'x-mcp': false, responses: {} } },
      }),
    )
    expect(tools.map(({ description }) => description)).toEqual(['Deprecated. Old'])
    expect(report.skipped.map(({ operation, reason }) => `${operation}: ${reason}`)).toEqual([
      'GET /b: hidden',
      'GET /c: hidden',
      'GET /d: hidden',
    ])
  })

  it('sets the options of a marker in `x-mcp`', async () => {
    const { tools, report } = await convert(
      documentOf({
        '/a': {
          post: {
            operationId: 'a',
            'x-mcp': { name: 'search', description: 'Finds', annotations: { readOnly: true } },
            responses: {},
          },
        },
        '/b': { get: { 'x-mcp': { nmae: 'typo' }, responses: {} } },
      }),
    )
    expect(tools[0]).toMatchObject({
      name: 'search',
      description: 'Finds',
      annotations: { readOnlyHint: true },
    })
    expect(report.skipped).toEqual([
      { operation: 'GET /b', reason: 'x-mcp of GET /b: there is no option `nmae`; did you mean `name`?' },
    ])
  })
})

describe('names', () => {
  it('come from the operationId, else from method and path, and never conflict', async () => {
    const { report } = await convert(
      documentOf({
        '/a': { get: { operationId: 'list', responses: {} }, post: { operationId: 'list', responses: {} } },
        '/b/{id}': { get: { responses: {} } },
        '/c-d': { get: { responses: {} } },
        '/c_d': { get: { responses: {} } },
        '/e': { get: { operationId: 'users.get/one', responses: {} } },
      }),
    )
    expect(report.tools).toEqual(['list', 'post_a', 'get_b_by_id', 'get_c_d', 'get_c_d_2', 'users_get_one'])
  })
})

describe('a body', () => {
  const body = (content: Json, more: Json = {}) => operation('POST /x', { requestBody: { content, ...more } })

  it('is JSON, if there is a choice', async () => {
    const schema = (name: string) => ({ schema: { type: 'object', properties: { [name]: text } } })
    const content = {
      'text/csv': schema('csv'),
      'multipart/form-data': schema('form'),
      'application/json; charset=utf-8': schema('json'),
    }
    expect((await inputSchemaOf(body(content))).properties).toEqual({ json: text })
  })

  it('of a form has its files in a form that a model can write', async () => {
    const properties = {
      name: text,
      file: { type: 'string', format: 'binary' },
      modern: { contentMediaType: 'image/png' },
    }
    const schema = await inputSchemaOf(
      body({ 'multipart/form-data': { schema: { type: 'object', properties } } }),
    )
    expect(schema.properties).toEqual({
      name: text,
      file: { type: 'string', format: 'binary', description: expect.stringMatching(/^A file, as base64/) },
      modern: {
        type: 'string',
        format: 'binary',
        contentMediaType: 'image/png',
        description: expect.stringMatching(/^A file, as base64/),
      },
    })
  })

  it('of bytes is a single file, and of text a single string', async () => {
    expect(await inputSchemaOf(body({ 'application/octet-stream': {} }))).toMatchObject({
      properties: { body: { type: 'string', format: 'binary' } },
      required: ['body'],
    })
    expect(
      (await inputSchemaOf(body({ 'text/plain': { schema: { ...text, maxLength: 3 } } }))).properties,
    ).toEqual({
      body: text,
    })
  })

  it('is optional if the document says so', async () => {
    const content = {
      'application/json': { schema: { type: 'object', properties: { a: text }, required: ['a'] } },
    }
    expect(await inputSchemaOf(body(content, { required: false }))).not.toHaveProperty('required')
    expect(await inputSchemaOf(body(content))).toMatchObject({ required: ['a'] })
  })
})

describe('schemas', () => {
  const components = {
    schemas: {
      Pet: {
        type: 'object',
        discriminator: { propertyName: 'kind' },
        properties: { kind: text, id: { type: 'integer', readOnly: true } },
        required: ['kind', 'id'],
      },
      Cat: {
        allOf: [
          { $ref: '#/components/schemas/Pet' },
          { type: 'object', properties: { lives: { type: 'integer', minimum: 0, exclusiveMinimum: true } } },
        ],
      },
      Dog: {
        allOf: [
          { $ref: '#/components/schemas/Pet' },
          { type: 'object', properties: { bark: { type: 'boolean', nullable: true } } },
        ],
      },
      Any: {
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
        discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
      },
      Tree: {
        type: 'object',
        properties: {
          label: text,
          left: { $ref: '#/components/schemas/Tree' },
          right: { $ref: '#/components/schemas/Tree' },
        },
      },
    },
  }
  const posting = (name: string) =>
    operation('POST /x', { requestBody: json({ $ref: `#/components/schemas/${name}` }) }, { components })

  it('of an allOf chain are flattened', async () => {
    expect(await inputSchemaOf(posting('Cat'))).toEqual({
      type: 'object',
      properties: { kind: text, lives: { type: 'integer', exclusiveMinimum: 0 } },
      required: ['kind'],
      additionalProperties: false,
    })
    expect(await inputSchemaOf(posting('Dog'))).toMatchObject({
      properties: { bark: { type: ['boolean', 'null'] } },
    })
  })

  it('of alternatives stay complete, without the discriminator', async () => {
    const schema = await inputSchemaOf(posting('Any'))
    expect(schema.properties).toMatchObject({ body: { oneOf: [{ allOf: [{}, {}] }, { allOf: [{}, {}] }] } })
    expect(JSON.stringify(schema)).not.toContain('discriminator')
  })

  it('that are recursive refer to themselves', async () => {
    expect(await inputSchemaOf(posting('Tree'))).toEqual({
      type: 'object',
      properties: { label: text, left: { $ref: '#/$defs/Tree' }, right: { $ref: '#/$defs/Tree' } },
      additionalProperties: false,
      $defs: {
        Tree: {
          type: 'object',
          properties: { label: text, left: { $ref: '#/$defs/Tree' }, right: { $ref: '#/$defs/Tree' } },
        },
      },
    })
  })

  it('of OpenAPI 3.1 are JSON Schema already', async () => {
    const schema = await inputSchemaOf({
      ...operation('POST /x', {
        requestBody: json({
          type: 'object',
          properties: {
            a: { type: ['string', 'null'], examples: ['x'] },
            b: { const: 1 },
            c: { $ref: '#/components/schemas/C', description: 'd' },
          },
        }),
      }),
      openapi: '3.1.0',
      components: { schemas: { C: { type: 'array', prefixItems: [text], items: false } } },
    })
    expect(schema.properties).toEqual({
      a: { type: ['string', 'null'], examples: ['x'] },
      b: { const: 1 },
      c: { type: 'array', prefixItems: [text], items: text, maxItems: 1, description: 'd' },
    })
  })
})

describe('unreadable operations', () => {
  it("don't affect others, and are reported by name", async () => {
    const { report } = await convert(
      documentOf(
        {
          '/good': { get: { responses: {} } },
          '/ref': { get: { parameters: [{ $ref: './other.yaml#/P' }], responses: {} } },
          '/circle': {
            get: { requestBody: {}, parameters: [{ $ref: '#/components/parameters/A' }], responses: {} },
          },
          '/matrix/{id}': {
            get: { parameters: [parameter('path', 'id', { style: 'form' })], responses: {} },
          },
          '/brace/{id': { get: { responses: {} } },
          '/nothing': { get: null, post: 7 },
          '/elsewhere': { $ref: 'https://evil.example/paths.json' },
          'no-slash': { get: {} },
        },
        {
          components: {
            parameters: {
              A: { $ref: '#/components/parameters/B' },
              B: { $ref: '#/components/parameters/A' },
            },
          },
        },
      ),
    )
    expect(report.tools).toEqual(['get_good', 'get_no_slash'])
    expect(report.skipped.map(({ operation, reason }) => `${operation}: ${reason}`)).toEqual([
      expect.stringMatching(/^GET \/ref: the reference ".\/other.yaml#\/P" is not found in the document/),
      'GET /circle: its references are circular',
      'GET /matrix/{id}: its parameter "id" has the style "form", which is not supported',
      expect.stringMatching(/^GET \/brace\/\{id: .*brace/),
      expect.stringMatching(/^\/elsewhere: the reference/),
    ])
  })

  it('are typed as anything if only a schema refers to another document', async () => {
    const { tools } = await convert(
      operation('POST /x', {
        requestBody: json({ type: 'object', properties: { a: { $ref: 'file:///etc/passwd' }, b: text } }),
      }),
    )
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { a: {}, b: text } })
  })
})

describe('include and exclude', () => {
  const document = documentOf({
    '/tasks': {
      get: { operationId: 'list', tags: ['read'], responses: {} },
      post: { operationId: 'make', responses: {} },
    },
    '/tasks/{id}': {
      get: { operationId: 'one', responses: {} },
      delete: { operationId: 'drop', tags: ['admin'], responses: {} },
    },
  })

  it.each<[Json, string[]]>([
    [{}, ['list', 'make', 'one', 'drop']],
    [{ include: ['/tasks/**'] }, ['list', 'one']],
    [{ include: ['POST /tasks', 'drop'] }, ['make', 'drop']],
    [{ include: ['tag:read'] }, ['list']],
    [{ exclude: ['* /tasks', 'tag:admin'] }, ['one']],
    [{ exclude: ['/tasks/{id}'] }, ['list', 'make']],
    [{ exclude: ['GET /tasks/**'] }, ['make', 'drop']],
    [{ include: ['* /**'], exclude: ['one'] }, ['list', 'make', 'drop']],
  ])('%j', async (options, expected) => {
    expect((await convert(document, options)).report.tools).toEqual(expected)
  })

  it('report why an operation is not a tool', async () => {
    const { report } = await convert(document, { include: ['list', 'drop'], exclude: ['tag:admin'] })
    expect(report.skipped).toEqual([
      { operation: 'POST /tasks', reason: 'neither marked nor included' },
      { operation: 'GET /tasks/{id}', reason: 'neither marked nor included' },
      { operation: 'DELETE /tasks/{id}', reason: 'excluded by "tag:admin"' },
    ])
  })
})
