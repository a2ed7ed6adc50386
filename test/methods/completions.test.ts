import { McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, modern, recorder, versions } from '../wire/client.js'

const log = recorder()
const router = new McpRouter({ logger: log.logger, exposeErrors: false })
const words = ['anna', 'anton', 'berta']
let seen: unknown[] = []

router.prompt('greet', {
  description: 'd',
  input: z.object({
    name: z.string(),
    city: z.string().optional(),
    odd: z.string().optional(),
    bad: z.string().optional(),
  }),
  complete: {
    name: (typed, chosen, ctx) => {
      seen = [typed, chosen.arguments, ctx.protocolVersion]
      return words.filter((word) => word.startsWith(typed))
    },
    odd: () => 'text' as never,
    bad: () => {
      throw new Error('secret')
    },
  },
  handler: () => '',
})
router.resource('repo://{owner}/{+path}{?ref}', {
  complete: { owner: async () => ['me'], ref: () => Array.from({ length: 150 }, (_, i) => `r${i}`) },
  handler: () => '',
})
router.resource('fixed://x', { text: '' })

const complete = (ref: object, name: string, value = '', more: object = {}) => ({
  ref,
  argument: { name, value },
  ...more,
})
const greet = { type: 'ref/prompt', name: 'greet' }
const repo = { type: 'ref/resource', uri: 'repo://{owner}/{+path}{?ref}' }
const client = connect(router)

describe('completion', () => {
  it.each(versions)(
    'suggests for what was typed, with what was chosen and the context: %s',
    async (version) => {
      const params = complete(greet, 'name', 'an', { context: { arguments: { city: 'Bonn' } } })
      const { completion } = await connect(router, version).result('completion/complete', params)
      expect(completion).toEqual({ values: ['anna', 'anton'], total: 2, hasMore: false })
      expect(seen).toEqual(['an', { city: 'Bonn' }, version])
    },
  )

  it('knows a template by itself or by a URI that it matches', async () => {
    for (const uri of [repo.uri, 'repo://me/a/b']) {
      const { completion } = await client.result('completion/complete', complete({ ...repo, uri }, 'owner'))
      expect(completion.values).toEqual(['me'])
    }
  })

  it('sends at most 100 values and says that there are more', async () => {
    const { completion } = await client.result('completion/complete', complete(repo, 'ref'))
    expect([completion.values.length, completion.total, completion.hasMore]).toEqual([100, 150, true])
  })

  it('is empty for an argument that has none', async () => {
    expect((await client.result('completion/complete', complete(greet, 'city'))).completion.values).toEqual(
      [],
    )
    expect((await client.result('completion/complete', complete(repo, 'path'))).completion.values).toEqual([])
  })

  it.each<[string, unknown]>([
    ['an unknown prompt', complete({ type: 'ref/prompt', name: 'none' }, 'name')],
    ['an unknown URI', complete({ type: 'ref/resource', uri: 'none://x' }, 'name')],
    ['an unknown kind of ref', complete({ type: 'ref/tool', name: 'greet' }, 'name')],
    ['no ref', { argument: { name: 'name', value: '' } }],
    ['an unknown argument', complete(greet, 'nobody')],
    ['an argument of prototypes', complete(greet, 'constructor')],
    ['no argument', { ref: greet }],
    ['a value that is no text', { ref: greet, argument: { name: 'name', value: 5 } }],
    [
      'chosen arguments that are no texts',
      complete(greet, 'name', '', { context: { arguments: { city: 5 } } }),
    ],
    ['a context that is no object', complete(greet, 'name', '', { context: 'x' })],
  ])('refuses %s with -32602', async (_, params) => {
    expect((await client.error('completion/complete', params as never)).code).toBe(-32602)
  })

  it('masks what its code throws, and says by name when it returns no list', async () => {
    const error = await client.error('completion/complete', complete(greet, 'bad'))
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/^Internal error/) })
    expect((await client.error('completion/complete', complete(greet, 'odd'))).code).toBe(-32603)
    expect(log.at('error').map(({ message }) => message)).toEqual([
      expect.stringContaining('prompt "greet"'),
      expect.stringContaining('prompt "greet"'),
    ])
  })

  it('that is not advertised is not there', async () => {
    const none = new McpRouter({ logger: log.logger })
    none.prompt('p', { description: 'd', input: z.object({ a: z.string() }), handler: () => '' })
    const own = connect(none)
    expect((await own.result('server/discover')).capabilities).not.toHaveProperty('completions')
    const params = complete({ type: 'ref/prompt', name: 'p' }, 'a')
    expect((await own.error('completion/complete', params)).code).toBe(-32601)
    expect((await client.result('server/discover')).capabilities).toHaveProperty('completions')
    expect(client.version).toBe(modern)
  })
})
