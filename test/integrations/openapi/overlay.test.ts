import { overlay } from 'mcp-router/openapi'
import { describe, expect, it } from 'vitest'
import { route, toolOf } from '../../routes/request/input-support.js'
import { documentOf, type Json } from './documents.js'

const text = { type: 'string' }
const get = (said: Json): Json => ({ get: { responses: {}, ...said } })

describe('a document over discovered routes', () => {
  const document = documentOf(
    {
      '/tasks/{taskId}': get({
        operationId: 'getTask',
        summary: 'One task',
        parameters: [
          { in: 'path', name: 'taskId', required: true, schema: { type: 'integer' } },
          { in: 'query', name: 'with', schema: { $ref: '#/components/schemas/With' } },
        ],
      }),
      '/gone': get({}),
      '/bad/{id}': get({ parameters: [{ in: 'path', name: 'id', style: 'form' }] }),
    },
    { servers: [{ url: '/api' }], components: { schemas: { With: { type: 'string', enum: ['notes'] } } } },
  )

  it('matches them by method and path, and parameters by position', () => {
    const found = route('/api/tasks/:id', { method: 'GET' })
    const { routes, missing, undocumented, unread } = overlay([found, route('/api/other')], document)
    expect(routes[0]?.schema).toMatchObject({
      source: 'openapi',
      operationId: 'getTask',
      summary: 'One task',
    })
    expect(toolOf(routes[0] ?? found).json).toEqual({
      type: 'object',
      properties: { id: { type: 'integer' }, with: { type: 'string', enum: ['notes'] } },
      required: ['id'],
      additionalProperties: false,
    })
    expect(missing).toEqual(['GET /api/gone'])
    expect(undocumented).toEqual(['POST /api/other'])
    expect(unread.map(({ path }) => path)).toEqual(['GET /api/bad/{id}'])
  })

  it("keeps the route's own schemas, and adds arguments that the route doesn't describe", () => {
    const own = route('/tasks/:id', {
      method: 'GET',
      schema: { query: { type: 'object', properties: { own: text } }, description: 'Mine' },
    })
    const [laidOver = own] = overlay([own], document, { prefix: '' }).routes
    expect(laidOver.schema).toMatchObject({
      source: 'test and openapi',
      description: 'Mine',
      summary: 'One task',
    })
    const both = { own: text, with: { type: 'string', enum: ['notes'] } }
    expect(toolOf(laidOver).json.properties).toEqual({ id: { type: 'integer' }, ...both })
  })

  it('changes neither the routes nor the document', () => {
    const before = JSON.stringify(document)
    const found = Object.freeze(route('/api/tasks/:id', { method: 'GET' }))
    overlay([found], document)
    expect(JSON.stringify(document)).toBe(before)
    expect(found.schema).toBeUndefined()
  })
})
