import { type } from 'arktype'
import { embed, image, text } from 'mcp-router'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'
import { connect, versions } from '../wire/client.js'

const { log, make } = routers({ exposeErrors: false })
/** What the handler of a prompt with this schema is given. */
async function parsed(input: unknown, args: Record<string, string>): Promise<unknown> {
  let seen: unknown
  const router = make()
  router.prompt('p', {
    description: 'd',
    input,
    handler: (given: unknown) => {
      seen = given
      return ''
    },
  } as never)
  await router.getPrompt('p', args)
  return seen
}
const messages = async (returned: unknown) => {
  const router = make()
  router.prompt('p', { description: 'About', handler: () => returned as never })
  return (await router.getPrompt('p')).messages
}

describe('a prompt that returns', () => {
  it('a string is one message of the user', async () => {
    expect(await messages('Hello')).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello' } }])
  })

  it('messages may have strings or single blocks as content', async () => {
    const block = image('AQID', 'image/png')
    const given = [
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: block },
      { role: 'user', content: embed('a://b', 'x') },
    ]
    expect(await messages(given)).toEqual([
      { role: 'user', content: text('Look') },
      { role: 'assistant', content: block },
      { role: 'user', content: embed('a://b', 'x') },
    ])
    expect(await messages({ role: 'assistant', content: 'one' })).toEqual([
      { role: 'assistant', content: text('one') },
    ])
    expect(await messages([])).toEqual([])
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 5],
    ['an unknown role', [{ role: 'system', content: 'x' }]],
    ['a list of blocks as content', [{ role: 'user', content: [text('x')] }]],
    ['no content', [{ role: 'user' }]],
    ['a block that is none', [{ role: 'user', content: { type: 'text' } }]],
  ])('%s is the bug of the server: -32603', async (_, value) => {
    await expect(messages(value)).rejects.toMatchObject({ code: -32603 })
    expect(log.at('error').at(-1)?.message).toContain('prompt "p"')
  })

  it('carries its description', async () => {
    const router = make()
    router.prompt('p', { description: 'About', handler: () => '' })
    expect((await router.getPrompt('p')).description).toBe('About')
  })
})

describe('arguments', () => {
  it.each<[string, unknown]>([
    ['zod', z.object({ n: z.coerce.number(), flag: z.stringbool(), word: z.string().default('x') })],
    [
      'valibot',
      v.object({
        n: v.pipe(v.string(), v.transform(Number)),
        flag: v.pipe(
          v.string(),
          v.transform((s) => s === 'true'),
        ),
        word: v.optional(v.string(), 'x'),
      }),
    ],
    [
      'arktype',
      type({
        n: 'string.numeric.parse',
        flag: type('string').pipe((s) => s === 'true'),
        word: 'string = "x"',
      }),
    ],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: {
          n: { type: 'number' },
          flag: { type: 'boolean' },
          word: { type: 'string', default: 'x' },
        },
      },
    ],
  ])('travel as strings and are read by the schema: %s', async (_, input) => {
    expect(await parsed(input, { n: '5', flag: 'true' })).toEqual({ n: 5, flag: true, word: 'x' })
  })

  it('are listed with what the schema says', async () => {
    const router = make()
    const input = z.object({ id: z.string().describe('Which'), tone: z.string().optional() })
    router.prompt('p', { description: 'd', input, handler: () => '' })
    router.prompt('none', { description: 'd', handler: () => '' })
    const { prompts } = await connect(router).result('prompts/list')
    expect(prompts).toEqual([
      {
        name: 'p',
        description: 'd',
        arguments: [{ name: 'id', description: 'Which', required: true }, { name: 'tone' }],
      },
      { name: 'none', description: 'd' },
    ])
  })

  it.each<[string, object]>([
    ['missing', {}],
    ['not the kind that is wanted', { id: 'x' }],
    ['no string', { id: 5 }],
    ['null', { id: null }],
    ['no object', [1]],
    ['text', 'id' as never],
  ])('that are %s are refused with -32602', async (_, args) => {
    const router = make()
    router.prompt('p', {
      description: 'd',
      input: z.object({ id: z.coerce.number().int() }),
      handler: () => '',
    })
    for (const version of versions) {
      const params = { name: 'p', arguments: Array.isArray(args) ? args : args }
      expect((await connect(router, version).error('prompts/get', params)).code).toBe(-32602)
    }
  })

  it('of a prompt that does not exist, or has no name, are refused with -32602', async () => {
    const router = make()
    router.prompt('p', { description: 'd', handler: () => '' })
    const client = connect(router)
    for (const params of [{ name: 'q' }, { name: 'constructor' }, { name: 5 }, {}])
      expect((await client.error('prompts/get', params)).code).toBe(-32602)
  })
})

describe('a schema that accepts no strings is an error at the start, naming prompt and argument', () => {
  it.each<[string, unknown]>([
    ['a number', z.object({ n: z.number() })],
    ['an optional number', z.object({ n: z.number().optional() })],
    ['a boolean', z.object({ n: z.boolean() })],
    ['a list', z.object({ n: z.array(z.string()) })],
    ['an object', z.object({ n: z.object({ a: z.string() }) })],
    ['a date', z.object({ n: z.date() })],
    ['a number of valibot', v.object({ n: v.number() })],
    ['a number of arktype', type({ n: 'number' })],
  ])('%s', (_, input) => {
    const add = () => make().prompt('ask', { description: 'd', input, handler: () => '' } as never)
    expect(add).toThrow(/prompt "ask".*"n".*string/)
  })

  it.each<[string, unknown]>([
    ['a coerced number', z.object({ n: z.coerce.number() })],
    ['a number with bounds', z.object({ n: z.coerce.number().min(1000).max(1001) })],
    ['a coerced date', z.object({ n: z.coerce.date() })],
    ['a choice', z.object({ n: z.enum(['a', 'b']) })],
    ['a text of some form', z.object({ n: z.email() })],
    ['a text that becomes something else', z.object({ n: z.string().transform((s) => s.length) })],
    ['a number of JSON Schema', { type: 'object', properties: { n: { type: 'integer', minimum: 3 } } }],
    ['a check that answers later', z.object({ n: z.string().refine(async () => true) })],
  ])('but not %s', (_, input) => {
    make().prompt('ask', { description: 'd', input, handler: () => '' } as never)
  })
})
