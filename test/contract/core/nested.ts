/** Handlers that call routers themselves: what becomes of the inner call never decides how the outer one leaves. */

import { McpRouter } from 'mcp-router'
import { expect, it } from 'vitest'
import { type Client, legacy, modern, stateless } from '../clients.js'
import { expectError, expectResult, expectToolError } from '../expect.js'
import { latch } from '../fixtures.js'
import { type Host, quiet, type Served, serve } from '../host.js'

const makers = [
  ['legacy', legacy],
  ['sessionless', stateless],
  ['modern', modern],
] as const

/** Codes that only 2026-07-28 has. */
const modernOnly = [-32020, -32021, -32022]

/** A tool, a resource and a prompt whose handlers do `inner`, and the three ways to ask for them. */
function nest({ router }: Served, inner: () => Promise<unknown>) {
  const handler = async (): Promise<string> => JSON.stringify(await inner())
  router.tool('outer', { description: 'x', handler })
  router.resource('outer://x', { handler })
  router.prompt('outer', { description: 'x', handler })
  return (client: Client) =>
    Promise.all([
      client.call('outer', {}),
      client.request('resources/read', { uri: 'outer://x' }),
      client.request('prompts/get', { name: 'outer', arguments: {} }),
    ])
}

export function nested(host: Host): void {
  it.each(makers)('answers a %s call whose inner call was given up', async (_, make) => {
    const served = await serve(host)
    const client = await make(served.url)
    const starting: (() => void)[] = []
    served.router.tool('slow', {
      description: 'x',
      async handler(_, { signal }) {
        starting.shift()?.()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    })
    const ask = nest(served, async () => {
      const [inner, running] = [new AbortController(), latch()]
      starting.push(running.open)
      const answer = served.router.call('slow', {}, { signal: inner.signal })
      await running.opened
      inner.abort()
      return answer
    })
    const [tool, resource, prompt] = await ask(client)
    expectToolError(tool)
    expectError(resource, 200, -32603, 1)
    expectError(prompt, 200, -32603, 1)
    expect(served.router.stats().running).toBe(0)
  })

  const other = (): McpRouter<object> => new McpRouter<object>({ logger: quiet })
  it.each<[string, (served: Served) => () => Promise<unknown>]>([
    [
      'reads from a router that has no resources',
      () => {
        const empty = other()
        return () => empty.read('x://y')
      },
    ],
    [
      'calls a tool that does not exist',
      () => {
        const empty = other()
        return () => empty.call('nothing')
      },
    ],
    [
      'calls what needs more of the client',
      ({ router }) => {
        router.tool('needy', { description: 'x', needs: ['sampling'], handler: () => 'x' })
        return () => router.call('needy')
      },
    ],
    [
      'calls what needs a user',
      ({ router }) =>
        () =>
          router.call('private'),
    ],
    [
      'calls a router that needs a user',
      () => {
        const strict = new McpRouter<object>({ requireUser: true, logger: quiet })
        strict.tool('t', { description: 'x', handler: () => 'x' })
        return () => strict.call('t')
      },
    ],
    [
      'calls a router that is closed',
      () => {
        const closed = other()
        closed.tool('t', { description: 'x', handler: () => 'x' })
        return async () => {
          await closed.close()
          return closed.call('t')
        }
      },
    ],
  ])('keeps status, headers and codes of every era where a handler %s', async (_, inner) => {
    for (const [, make] of makers) {
      const served = await serve(host)
      const client = await make(served.url)
      const ask = nest(served, inner(served))
      for (const answer of await ask(client)) {
        expect(answer.status, answer.text).toBe(200)
        expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: 1 })
        expect(modernOnly).not.toContain(answer.json.error?.code)
        expect(answer.headers['www-authenticate']).toBeUndefined()
        expect(answer.headers['retry-after']).toBeUndefined()
      }
      if (make === legacy) expectResult(await client.request('ping'))
    }
  })

  it('hands the question of an inner call to the client of the outer one, and calls it no fault', async () => {
    const lines: string[] = []
    const outcomes: [string | undefined, string][] = []
    const errors: unknown[] = []
    const write = (line: string): unknown => lines.push(line)
    const { url, router } = await serve(host, {
      server: {
        logger: { info() {}, warn: write, error: write },
        onActivity: ({ tool, outcome }) => outcomes.push([tool, outcome]),
        onError: (error) => errors.push(error),
      },
    })
    router.tool('inner', {
      description: 'Asks',
      async handler(_, ctx) {
        const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
        const { content } = await ctx.elicit({ message: 'Who?', schema: form, key: 'who' })
        return `Hello ${content?.name}`
      },
    })
    router.tool('outer', {
      description: 'Calls it',
      async handler(_, ctx) {
        const ask = ({ params }: { params?: unknown }): unknown => {
          const { message, requestedSchema } = params as { message: string; requestedSchema: object }
          return ctx.elicit({ message, schema: requestedSchema, key: 'who' } as never)
        }
        return await router.call('inner', {}, { ask })
      },
    })
    const client = modern(url, {
      meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } },
    })
    const asked = expectResult(await client.call('outer', {}))
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } })
    expect(outcomes).toEqual([
      ['inner', 'input_required'],
      ['outer', 'input_required'],
    ])
    const inputResponses = { who: { action: 'accept', content: { name: 'Ann' } } }
    const params = { name: 'outer', arguments: {}, inputResponses, requestState: asked.requestState }
    expect((await client.request('tools/call', params)).text).toContain('Hello Ann')
    expect({ lines, errors, counted: router.stats().errors }).toEqual({ lines: [], errors: [], counted: 0 })
  })
}
