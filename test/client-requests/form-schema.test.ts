/** What forms can ask, and what they refuse to. */

import { type AskedOfCaller, McpRouter, type Schema } from 'mcp-router'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/** What a client of this revision would be shown. */
async function shown(schema: Schema, protocolVersion = '2026-07-28'): Promise<unknown> {
  const errors: unknown[] = []
  const router = new McpRouter<object>({
    exposeErrors: true,
    logger: console_,
    onError: (error) => errors.push(error),
  })
  router.tool('ask', { description: 'd', handler: (_, ctx) => ctx.elicit({ message: 'm', schema }) })
  const asked: AskedOfCaller[] = []
  if (protocolVersion === '2026-07-28') {
    const ask = (request: AskedOfCaller): object => {
      asked.push(request)
      return { action: 'decline' }
    }
    await router.call('ask', {}, { ask })
  } else {
    const caller = {
      protocolVersion,
      client: { name: 'x', version: '1', capabilities: { elicitation: {} } },
      send(message: { id?: string | number; method: string; params?: object | undefined }) {
        asked.push(message as AskedOfCaller)
        void router.handle({ jsonrpc: '2.0', id: message.id, result: { action: 'decline' } }, caller)
        return true
      },
    }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } }
    const answer = await router.handle(call, caller)
    if (answer !== undefined && 'error' in answer) throw new Error(answer.error.message)
  }
  if (errors.length > 0) throw errors[0]
  return asked[0]?.params?.requestedSchema
}

const nothing = (): void => {}
const console_ = { debug: nothing, info: nothing, warn: nothing, error: nothing }

describe('the schema of a form', () => {
  it('keeps what the protocol has and drops what it has not', async () => {
    const schema = z.object({
      name: z.string().min(2).max(9).regex(/^a/).describe('Your name'),
      email: z.email(),
      id: z.uuid().optional(),
      age: z.int().min(0).max(150),
      weight: z.number().optional(),
      news: z.boolean().default(true),
      size: z.enum(['s', 'm']).default('s'),
      tags: z.array(z.enum(['a', 'b'])).min(1),
    })
    expect(await shown(schema)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2, maxLength: 9, description: 'Your name' },
        email: { type: 'string', format: 'email' },
        id: { type: 'string' },
        age: { type: 'integer', minimum: 0, maximum: 150 },
        weight: { type: 'number' },
        news: { type: 'boolean', default: true },
        size: { type: 'string', enum: ['s', 'm'], default: 's' },
        tags: { type: 'array', minItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['name', 'email', 'age', 'tags'],
    })
  })

  it('takes schemas of other libraries', async () => {
    const schema = v.object({ size: v.picklist(['s', 'm']), n: v.optional(v.number()) })
    expect(await shown(schema)).toEqual({
      type: 'object',
      properties: { size: { type: 'string', enum: ['s', 'm'] }, n: { type: 'number' } },
      required: ['size'],
    })
  })

  const titled = {
    type: 'object',
    properties: {
      size: {
        type: 'string',
        default: 's',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'm', title: 'Medium' },
        ],
      },
      yes: { type: 'boolean', default: true },
    },
  }

  it('writes titles and defaults as each revision knows them', async () => {
    expect(await shown(titled)).toEqual(titled)
    expect(await shown(titled, '2025-06-18')).toEqual({
      type: 'object',
      properties: {
        size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
        yes: { type: 'boolean', default: true },
      },
    })
  })

  it.each<[string, Schema, RegExp]>([
    ['an object in it', z.object({ address: z.object({ street: z.string() }) }), /address.*type object/],
    ['a list of texts', z.object({ names: z.array(z.string()) }), /names.*type array/],
    ['a union', z.object({ id: z.union([z.string(), z.number()]) }), /id.*another shape/],
    ['something nullable', z.object({ name: z.string().nullable() }), /name.*another shape/],
    ['no object', { type: 'string' }, /object/],
  ])('refuses %s, by its name', async (_, schema, message) => {
    await expect(shown(schema)).rejects.toThrow(message)
  })

  it('refuses lists for 2025-06-18, which cannot show them', async () => {
    await expect(shown(z.object({ tags: z.array(z.enum(['a'])) }), '2025-06-18')).rejects.toThrow(
      /tags.*2025-06-18/,
    )
  })

  it.each([
    [{}, /schema.*url/],
    [{ schema: z.object({}), url: 'https://a.example' }, /schema.*url/],
    [{ url: 'javascript:alert(1)' }, /https/],
    [{ url: 'file:///etc/passwd' }, /https/],
    [{ message: 7, url: 'https://a.example' }, /message/],
  ])('refuses %j', async (question, message) => {
    const errors: unknown[] = []
    const router = new McpRouter<object>({ logger: console_, onError: (error) => errors.push(error) })
    router.tool('ask', {
      description: 'd',
      handler: (_, ctx) => ctx.elicit({ message: 'm', ...question } as never),
    })
    await router.call('ask', {}, { ask: () => ({ action: 'decline' }) })
    expect(String(errors[0])).toMatch(message)
  })
})
