/** A document in the style of a payment API: models with mutual references, expandable fields, long descriptions. */

type Json = Record<string, unknown>

const models = 300
const text = { type: 'string' }
const ref = (n: number): Json => ({ $ref: `#/components/schemas/m${n % models}` })
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } })
const id = { in: 'path', name: 'id', required: true, schema: text }

/** Recursive, nullable in the style of 3.0, and every third model is part of a chain of `allOf`. */
function model(n: number): Json {
  const fields = Array.from({ length: 12 }, (_, field) => [
    `field_${field}`,
    { ...text, description: 'What it is for. '.repeat(8) },
  ])
  const own: Json = {
    type: 'object',
    description: `Model ${n}. `.repeat(20),
    required: ['id', 'object'],
    properties: {
      id: { ...text, maxLength: 5000 },
      object: { ...text, enum: [`model_${n}`] },
      metadata: { type: 'object', additionalProperties: text },
      created: { type: 'integer', format: 'unix-time', minimum: 0, exclusiveMinimum: true },
      parent: { anyOf: [text, ref(n * 7 + 1)], nullable: true },
      items: { type: 'array', items: ref(n * 13 + 5) },
      self: ref(n),
      ...Object.fromEntries(fields),
    },
  }
  return n % 3 === 0 && n > 0 ? { allOf: [ref(n - 3), own, { nullable: true }] } : own
}

function resource(n: number): Json {
  const expand = { in: 'query', name: 'expand', style: 'deepObject', explode: true }
  return {
    get: {
      operationId: n % 50 === 0 ? 'Get' : `Get${n}`,
      parameters: [id, { ...expand, schema: { type: 'object', additionalProperties: text } }],
      responses: { 200: { description: 'ok', ...json(ref(n)) } },
    },
    post: {
      operationId: `Post${n}`,
      parameters: [id],
      requestBody: json(ref(n)),
      responses: { 200: { description: 'ok', ...json(ref(n)) } },
    },
  }
}

/** Two operations for each resource, some with the same `operationId`, and two more that are unreadable. */
export function largeDocument(operations: number): Json {
  const resources = Array.from({ length: operations / 2 }, (_, n) => [`/v1/resource_${n}/{id}`, resource(n)])
  return {
    openapi: '3.0.3',
    info: { title: 'large', version: '1' },
    paths: {
      '/broken/{id': { get: { responses: {} } },
      '/elsewhere': { post: { requestBody: { $ref: 'other.json#/body' }, responses: {} } },
      ...Object.fromEntries(resources),
    },
    components: {
      schemas: Object.fromEntries(Array.from({ length: models }, (_, n) => [`m${n}`, model(n)])),
    },
  }
}
