import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inputOf } from '../../../src/routes/request/input.js'
import { publishedOutput, route } from '../request/input-support.js'

const task = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    at: { type: 'string', format: 'date-time' },
    secret: { type: 'string', writeOnly: true },
  },
  required: ['id', 'at', 'secret'],
  additionalProperties: false,
}
const answering = (response: unknown) => route('/x', { method: 'GET', schema: { response } })
const drift = (response: unknown, answer: unknown) => inputOf(answering(response)).output?.drift(answer)

describe('the response schema of a route', () => {
  it('is published without constraints that real responses violate', () => {
    expect(publishedOutput(answering({ type: 'array', items: task }))).toEqual({
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' }, at: { type: 'string' } } },
    })
  })

  it('allows missing and additional fields, and other formats', () => {
    expect(drift(task, { at: 'yesterday', more: 1 })).toBeUndefined()
  })

  it('describes how a response differs', () => {
    expect(drift(task, { id: 'x' })).toBe('id: expected integer, got "x"')
    expect(drift(task, [])).toBe('expected object, got an array')
  })

  it('allows a response to match several alternatives', () => {
    const cat = { type: 'object', properties: { cat: { type: 'string' } }, required: ['cat'] }
    const dog = { type: 'object', properties: { dog: { type: 'string' } }, required: ['dog'] }
    expect(drift({ oneOf: [cat, dog] }, { cat: 'c' })).toBeUndefined()
    expect(drift({ oneOf: [cat, dog], anyOf: [cat, dog] }, { cat: 'c' })).toBeUndefined()
    expect(drift({ ...cat, not: { required: ['dog'] } }, { cat: 'c' })).toBeUndefined()
    expect(
      drift(JSON.parse(JSON.stringify(cat).replace('{', '{"if":{"required":["dog"]},"then":false,')), {
        cat: 'c',
      }),
    ).toBeUndefined()
  })

  it('keeps recursive types', () => {
    const $defs = {
      Node: {
        type: 'object',
        properties: { next: { $ref: '#/$defs/Node' }, n: { type: 'number' } },
        required: ['n'],
      },
    }
    const node = { type: 'array', items: { $ref: '#/$defs/Node' }, $defs }
    expect(publishedOutput(answering(node))).toEqual({
      type: 'array',
      items: { $ref: '#/$defs/Node' },
      $defs: {
        Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, n: { type: 'number' } } },
      },
    })
    expect(drift(node, [{ next: { next: { n: 'x' } } }])).toBe('[0].next.next.n: expected number, got "x"')
  })

  it('is converted from the output of a library schema, and the marker takes precedence', () => {
    const response = z.object({
      at: z
        .string()
        .transform((at) => at.length)
        .pipe(z.number()),
    })
    expect(publishedOutput(route('/x', { marker: { response }, schema: { response: task } }))).toEqual({
      type: 'object',
      properties: { at: { type: 'number' } },
    })
  })

  it('is not published if it has no constraints, is too large, or cannot be read', () => {
    expect(publishedOutput(answering({ description: 'Something' }))).toBeUndefined()
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`property_${n}`, { type: 'string' }]),
    )
    const large = inputOf(answering({ type: 'object', properties: many }))
    expect(large.output).toBeUndefined()
    expect(large.notes).toEqual(['its answer is not advertised: the schema is too large'])
    const wrong = inputOf(answering('text'))
    expect(wrong.output).toBeUndefined()
    expect(wrong.notes[0]).toContain('its answer is not advertised: GET /x: expected a schema')
  })
})
