import { type Call, type McpRouter, type Middleware, ToolError } from 'mcp-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'
import { connect } from '../wire/client.js'

let seen: unknown[]
let router: McpRouter

const { log, make } = routers({ exposeErrors: false })
const mark =
  (word: string): Middleware =>
  async (_, next) => {
    seen.push(`${word} in`)
    try {
      return await next()
    } finally {
      seen.push(`${word} out`)
    }
  }
const tool = (handler: (input: never, ctx: never) => unknown, use: Middleware[] = []) =>
  router.tool('t', {
    description: 'd',
    use,
    input: z.object({ n: z.coerce.number().default(1) }),
    handler,
  } as never)
const said = async (args: object = {}) => (await router.call('t', args)).content

beforeEach(() => {
  seen = []
  router = make()
})

describe('middleware', () => {
  it("runs outermost first, a definition's own inside the router's, whenever it was added", async () => {
    router.use(mark('first'))
    tool(() => void seen.push('handler'), [mark('own'), mark('inner')])
    router.use(mark('second'))
    await router.call('t')
    expect(seen).toEqual([
      'first in',
      'second in',
      'own in',
      'inner in',
      'handler',
      'inner out',
      'own out',
      'second out',
      'first out',
    ])
  })

  it('sees method, name, the parsed input and the context of the handler', async () => {
    let call: Call | undefined
    router.use((one, next) => {
      call = one
      return next()
    })
    let ctx: unknown
    tool((_, own) => {
      ctx = own
    })
    await router.call('t', { n: '5' }, { user: 'ana' } as never)
    expect(call).toMatchObject({ method: 'tools/call', name: 't', input: { n: 5 } })
    expect(call?.ctx).toBe(ctx)
    expect(call?.ctx.user).toBe('ana')
    expect((await router.call('t', { n: 'x' })).isError).toBe(true)
  })

  it('may answer instead of the handler; the answer is shaped and checked like its own', async () => {
    const ran = vi.fn()
    router.use(() => ({ a: 1, secret: 2 }))
    tool(ran)
    expect(await said()).toEqual([{ type: 'text', text: '{"a":1,"secret":2}' }])
    router.tool('out', { description: 'd', output: z.object({ a: z.number() }), handler: ran })
    expect(await router.call('out')).toMatchObject({ structuredContent: { a: 1 } })
    expect((await router.call('out')).structuredContent).not.toHaveProperty('secret')
    expect(ran).not.toHaveBeenCalled()
  })

  it('may change the answer: next() gives what the handler returned', async () => {
    router.use(async (_, next) => ({ wrapped: await next() }))
    tool(({ n }: { n: number }) => [n])
    expect(await said({ n: 3 })).toEqual([{ type: 'text', text: '{"wrapped":[3]}' }])
  })

  it('may be synchronous, and that it returns nothing is an answer too', async () => {
    router.use((_, next) => next())
    tool(() => 'x')
    expect(await said()).toMatchObject([{ text: 'x' }])
    router.use(async (_, next) => void (await next()))
    expect(await said()).toEqual([])
  })

  it.each([
    [
      'by its name',
      async function forgets(_: unknown, next: () => unknown) {
        await next()
      },
      'the middleware forgets dropped the result',
    ],
    [
      'that has none',
      (
        () => async (_: unknown, next: () => unknown) =>
          void (await next())
      )(),
      'a middleware dropped the result',
    ],
  ])('that drops a result is warned of once: one %s', async (_, forgets, words) => {
    router.use(forgets as Middleware)
    tool(() => 'x')
    await said()
    await said()
    expect(log.at('warn').map(({ message }) => message)).toEqual([expect.stringContaining(words)])
  })

  it('may refuse by throwing, and sees what is thrown inside', async () => {
    tool(() => {
      throw new ToolError('inside')
    })
    const caught: unknown[] = []
    router.use(async (_, next) => {
      try {
        return await next()
      } catch (error) {
        caught.push(error)
        return 'recovered'
      }
    })
    expect(await said()).toMatchObject([{ text: 'recovered' }])
    expect(caught).toMatchObject([{ message: 'inside' }])
    router.use(() => {
      throw new ToolError('refused')
    })
    expect(await said()).toMatchObject([{ text: 'recovered' }])
    expect(caught.at(-1)).toMatchObject({ message: 'refused' })
  })

  it('that calls next() twice is a fault, and the handler ran once', async () => {
    const ran = vi.fn()
    router.use(async (_, next) => {
      await next()
      return next()
    })
    tool(ran)
    expect(await router.call('t')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Internal/) }],
    })
    expect(ran).toHaveBeenCalledTimes(1)
    expect(log.at('error')[0]?.message).toMatch(/next\(\) was called twice/)
  })

  it('runs anew for each call, also for calls at once', async () => {
    router.use(async (call, next) => [await next(), (call.input as { n: number }).n])
    tool(async ({ n }: { n: number }) => n)
    const answers = await Promise.all([1, 2, 3].map((n) => said({ n })))
    expect(answers.map(([block]) => (block as { text: string }).text)).toEqual(['[1,1]', '[2,2]', '[3,3]'])
  })
})

describe('middleware is around', () => {
  const methods = async (
    run: (client: ReturnType<typeof connect>) => Promise<unknown>,
  ): Promise<unknown[]> => {
    router.use((call, next) => {
      seen.push([call.method, call.name, call.input])
      return next()
    })
    tool(() => '')
    router.resource('a://{id}', {
      input: z.object({ id: z.coerce.number() }),
      complete: { id: () => ['1'] },
      list: () => [{ uri: 'a://1', name: 'One' }],
      handler: ({ id }) => String(id),
    })
    router.resource('fixed://x', { text: 'x' })
    router.prompt('p', { description: 'd', input: z.object({ n: z.coerce.number() }), handler: () => '' })
    await run(connect(router))
    return seen
  }

  it('reads, of templates and fixed resources', async () => {
    const read = async (client: ReturnType<typeof connect>): Promise<void> => {
      await client.result('resources/read', { uri: 'a://7' })
      await client.result('resources/read', { uri: 'fixed://x' })
    }
    expect(await methods(read)).toEqual([
      ['resources/read', 'a://7', { id: 7 }],
      ['resources/read', 'fixed://x', {}],
    ])
  })

  it('prompts', async () => {
    const get = (client: ReturnType<typeof connect>) =>
      client.result('prompts/get', { name: 'p', arguments: { n: '2' } })
    expect(await methods(get)).toEqual([['prompts/get', 'p', { n: 2 }]])
  })

  it('completion', async () => {
    const params = { ref: { type: 'ref/resource', uri: 'a://{id}' }, argument: { name: 'id', value: 'x' } }
    const complete = (client: ReturnType<typeof connect>) => client.result('completion/complete', params)
    expect(await methods(complete)).toMatchObject([['completion/complete', expect.any(String), { id: 'x' }]])
  })

  it('calls in process', async () => {
    expect(await methods(() => router.call('t'))).toEqual([['tools/call', 't', { n: 1 }]])
  })

  it('the list of a template, in its own name', async () => {
    const list = (client: ReturnType<typeof connect>) => client.result('resources/list')
    expect(await methods(list)).toEqual([['resources/list', 'a://{id}', {}]])
  })

  it('no lists of what is defined, and no discovery', async () => {
    const list = async (client: ReturnType<typeof connect>): Promise<void> => {
      for (const method of ['server/discover', 'tools/list', 'resources/templates/list', 'prompts/list'])
        await client.result(method)
    }
    expect(await methods(list)).toEqual([])
  })
})
