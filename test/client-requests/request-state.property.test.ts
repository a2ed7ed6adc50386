/** Whatever is done to a `requestState` on its way: it opens for its caller and its call, in its time, and never else. */

import fc from 'fast-check'
import { type Caller, McpRouter, type RouterOptions } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { silent } from '../support/silent.js'
import { envelope } from '../wire/client.js'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
type Json = any

const secret = 'a secret that is long enough'
const schema = z.object({ said: z.string() })

function asking(options: RouterOptions = {}, Router = McpRouter): McpRouter<{ sub: string }> {
  const router = new Router<{ sub: string }>({ logger: silent, secret, ...options })
  for (const name of ['ask', 'other'])
    router.tool(name, {
      description: 'd',
      input: z.object({ about: z.unknown() }),
      handler: async (_, ctx) => (await ctx.elicit({ message: 'What?', schema })).content?.said ?? 'nothing',
    })
  return router
}

const router = asking()
const of = (sub: string): Caller<{ sub: string }> => ({ user: { sub } })
const inputResponses = (asked: Json): Json =>
  Object.fromEntries(
    Object.keys(asked.inputRequests).map((key) => [key, { action: 'accept', content: { said: 'this' } }]),
  )

async function call(more: object, caller: Caller<{ sub: string }>, on = router): Promise<Json> {
  const _meta = envelope({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } })
  const params = { name: 'ask', arguments: { about: 1 }, ...more, _meta }
  return on.handle({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, caller)
}

async function askedOf(sub: string, more: object = {}): Promise<Json> {
  const { result } = await call(more, of(sub))
  expect(result.resultType).toBe('input_required')
  return result
}

const sub = fc.string({ minLength: 1, maxLength: 8 })
const about = fc.oneof(fc.integer(), fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }))

/** Every way to spoil a text in one place. */
const spoilings = fc.oneof(
  fc.tuple(fc.nat(), fc.constantFrom(...'AZaz09-_')).map(([at, character]) => (text: string) => {
    const place = at % text.length
    return text.slice(0, place) + character + text.slice(place + 1)
  }),
  fc.nat().map((at) => (text: string) => text.slice(0, at % text.length)),
  fc.nat().map((at) => (text: string) => text.slice(at % text.length)),
  fc.string({ minLength: 1 }).map((more) => (text: string) => text + more),
  fc.constant((text: string) => [...text].reverse().join('')),
  fc.constant((text: string) => text + text),
)

describe('a requestState', () => {
  it('opens for its caller and its call, whatever the arguments hold', async () => {
    await fc.assert(
      fc.asyncProperty(sub, about, async (who, what) => {
        const args = { arguments: { about: what } }
        const asked = await askedOf(who, args)
        const { requestState } = asked
        const { result } = await call(
          { ...args, requestState, inputResponses: inputResponses(asked) },
          of(who),
        )
        expect(result.content[0].text).toBe('this')
      }),
      { numRuns: 100 },
    )
  })

  it('that was changed in any way is refused', async () => {
    const asked = await askedOf('ana')
    await fc.assert(
      fc.asyncProperty(spoilings, async (spoil) => {
        const requestState = spoil(asked.requestState)
        fc.pre(requestState !== asked.requestState)
        const { error } = await call({ requestState, inputResponses: inputResponses(asked) }, of('ana'))
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('requestState') })
      }),
      { numRuns: 500 },
    )
  })

  it('that is no text of ours, or another secret sealed, is refused', async () => {
    const other = await call({}, of('ana'), asking({ secret: 'another secret, as long' }))
    const foreign = fc.oneof(fc.constant(other.result.requestState), fc.string(), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(foreign, async (requestState) => {
        const { error } = await call({ requestState, inputResponses: {} }, of('ana'))
        expect(error?.code).toBe(-32602)
      }),
      { numRuns: 300 },
    )
  })

  it('opens for nobody else and for no other call', async () => {
    const states = await Promise.all(
      ['ana', 'ben'].map((who) => askedOf(who, { arguments: { about: [1, { a: 2 }] } })),
    )
    const uses = fc.record({
      state: fc.nat({ max: 1 }),
      who: fc.constantFrom('ana', 'ben', 'Ana', 'ana '),
      name: fc.constantFrom('ask', 'other'),
      arguments: fc.constantFrom(
        { about: [1, { a: 2 }] },
        { about: [1, { a: '2' }] },
        { about: [{ a: 2 }, 1] },
      ),
    })
    await fc.assert(
      fc.asyncProperty(uses, async ({ state, who, ...params }) => {
        const asked = states[state]
        const { requestState } = asked
        const { result } = await call(
          { ...params, requestState, inputResponses: inputResponses(asked) },
          of(who),
        )
        const own = who === ['ana', 'ben'][state] && params.name === 'ask'
        const same = JSON.stringify(params.arguments) === '{"about":[1,{"a":2}]}'
        expect(result?.content?.[0].text).toBe(own && same ? 'this' : undefined)
      }),
      { numRuns: 200 },
    )
  })

  it('ends with its time in other processes, where a clock that goes back makes no old one of a stranger good', async () => {
    vi.resetModules()
    const { McpRouter: Elsewhere } = await import('mcp-router')
    const elsewhere = asking({}, Elsewhere)
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const asked = await askedOf('ana')
      const answer = (who: string): Promise<Json> =>
        call({ requestState: asked.requestState, inputResponses: inputResponses(asked) }, of(who), elsewhere)
      const began = Date.now()
      const hours = fc.integer({ min: -48, max: 48 })
      await fc.assert(
        fc.asyncProperty(hours, async (later) => {
          vi.setSystemTime(began + later * 3_600_000)
          expect((await answer('ben')).error?.message).toMatch(/another caller|expired/)
          const { result, error } = await answer('ana')
          if (error === undefined) expect(later).toBeLessThan(24)
          else expect([later > 0, result]).toEqual([true, undefined])
        }),
      )
    } finally {
      vi.useRealTimers()
    }
  })
})
