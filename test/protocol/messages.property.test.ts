/** Whatever JSON comes as a message: it is sorted as JSON-RPC says, requests are answered once, and nothing else is. */

import fc from 'fast-check'
import { type Caller, McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { readMessage } from '../../src/protocol/jsonrpc.js'
import { addOneOfEach } from '../support/routers.js'
import { silent } from '../support/silent.js'
import { envelope } from '../wire/client.js'

const methods = [
  'ping',
  'initialize',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/read',
  'resources/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'subscriptions/listen',
  'notifications/cancelled',
  'notifications/initialized',
  '__proto__',
  'constructor',
  'toString',
  '',
]
const odd = fc.oneof(
  fc.constantFrom<unknown[]>(null, true, 0, -1, 1.5, 2 ** 53, '', [], {}, [[]], { __proto__: null }),
  fc.jsonValue({ maxDepth: 3 }),
)
const params = fc.oneof(
  odd,
  fc.record(
    {
      name: fc.oneof(fc.constantFrom('t', 'p', '__proto__', 'constructor'), odd),
      uri: fc.oneof(fc.constantFrom('a://b', 'b://c'), odd),
      arguments: odd,
      cursor: odd,
      ref: fc.oneof(fc.constant({ type: 'ref/prompt', name: 'p' }), odd),
      argument: fc.oneof(fc.constant({ name: 'a', value: 'x' }), odd),
      requestId: odd,
      requestState: odd,
      inputResponses: odd,
      task: odd,
      _meta: fc.oneof(
        fc.constant(envelope()),
        fc.dictionary(fc.constantFrom(...Object.keys(envelope())), odd),
        odd,
      ),
    },
    { requiredKeys: [] },
  ),
)
const message = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, odd),
        id: fc.oneof({ weight: 4, arbitrary: fc.oneof(fc.maxSafeInteger(), fc.string()) }, odd),
        method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...methods) }, odd),
        params,
        result: odd,
        error: odd,
      },
      { requiredKeys: ['jsonrpc'] },
    ),
  },
  odd,
)

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id)

/** JSON-RPC 2.0 as MCP narrows it, in other words than the reader's. */
function kindOf(value: unknown): string {
  if (!isPlain(value) || value.jsonrpc !== '2.0') return 'invalid'
  if (typeof value.method !== 'string') {
    const answers =
      value.method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
    return answers ? 'response' : 'invalid'
  }
  if (value.params !== undefined && !isPlain(value.params)) return 'invalid'
  if (value.id === undefined) return 'notification'
  return isId(value.id) ? 'request' : 'invalid'
}

/** As it comes over a wire. */
const sent = message.map((value) => JSON.parse(JSON.stringify(value)) as unknown)

describe('the reader of messages', () => {
  it('sorts every JSON value as JSON-RPC does', () => {
    const sorts = fc.property(sent, (value) => {
      const read = readMessage(value)
      expect(read.kind).toBe(kindOf(value))
      if (read.kind === 'invalid') {
        expect(read.id).toBe(isPlain(value) && isId(value.id) ? value.id : undefined)
        expect(read.error.message.length).toBeLessThan(200)
      }
    })
    fc.assert(sorts, { numRuns: 5_000 })
  })
})

const callers: Record<string, () => Caller> = {
  'of nobody in particular': () => ({}),
  'of 2025-11-25': () => ({
    protocolVersion: '2025-11-25',
    client: { name: 'x', version: '1', capabilities: {} },
  }),
  'of 2024-11-05': () => ({ protocolVersion: '2024-11-05' }),
}

describe.each(Object.entries(callers))('a message %s', (_, toCaller) => {
  it('is answered once with its id if it asks, never if it does not, and no answer tells of our insides', async () => {
    const router = addOneOfEach(new McpRouter({ logger: silent }))
    await fc.assert(
      fc.asyncProperty(sent, async (value) => {
        // It stays open for notices where it is served.
        if (isPlain(value) && value.method === 'subscriptions/listen') return
        const answer = await router.handle(value, toCaller())
        const kind = kindOf(value)
        if (kind === 'notification' || kind === 'response') {
          expect(answer).toBeUndefined()
          return
        }
        if (Array.isArray(value) && Array.isArray(answer)) return
        expect(answer).toMatchObject({ jsonrpc: '2.0' })
        const { id, error } = answer as { id?: unknown; error?: { code: number; message: string } }
        expect(id).toBe(isPlain(value) && isId(value.id) ? value.id : undefined)
        if (kind === 'invalid') expect(error?.code).toBe(-32600)
        expect(error?.code).not.toBe(-32603)
        expect(JSON.stringify(answer)).not.toMatch(/\bat \w+ \(|node:internal|TypeError|\/src\//)
      }),
      { numRuns: 700 },
    )
    expect(router.stats().running).toBe(0)
  })
})
