/** What is read from JSON Schema literals, and what is not. */
import { McpRouter } from 'mcp-router'
import { is } from '../is.js'

const router = new McpRouter({ name: 'types', version: '1.0.0' })

router.tool('object', {
  input: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The id.' },
      count: { type: 'integer', minimum: 1 },
      done: { type: 'boolean' },
      status: { enum: ['open', 'done'] },
      kind: { const: 'task' },
      tags: { type: 'array', items: { type: 'string' } },
      owner: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      nested: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    },
    required: ['id', 'nested'],
    additionalProperties: false,
  },
  handler: (input) =>
    is<{
      id: string
      nested: { x: number }
      count?: number
      done?: boolean
      status?: 'open' | 'done'
      kind?: 'task'
      tags?: string[]
      owner?: string | null
    }>()(input),
})

router.tool('empty', {
  input: { type: 'object', properties: {} },
  // biome-ignore lint/complexity/noBannedTypes: an object without known properties
  handler: (input) => is<{}>()(input),
})
router.tool('open', { input: { type: 'object' }, handler: (input) => is<unknown>()(input) })
router.tool('combined', {
  input: { type: 'object', properties: { any: { oneOf: [{ type: 'string' }] }, ref: { $ref: '#/$defs/x' } } },
  handler: (input) => is<{ any?: unknown; ref?: unknown }>()(input),
})

// A schema that is no literal tells its keys at most.
const imported = JSON.parse('{}') as { type: string; properties: { id: { type: string } } }
router.tool('imported', {
  input: imported,
  handler: (input) => is<{ id?: unknown }>()(input),
})

interface JSONSchema7 {
  $id?: string
  type?: 'string' | 'object' | ('string' | 'object')[]
  properties?: { [key: string]: JSONSchema7 }
  required?: string[]
}
const described: JSONSchema7 = { type: 'object' }
router.tool('interface', { input: described, handler: (input) => is<unknown>()(input) })

// The result of a handler is checked against an `output` literal as well.
router.tool('output', {
  output: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
  handler: () => ({ total: 1 }),
})
