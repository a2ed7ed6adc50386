/** Whatever a client does on its way, a handler that asks sees the same, in both eras, and does nothing twice. */

import fc from 'fast-check'
import { type Caller, McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
type Json = any

/** What the handler does, in order. */
type Step = { readonly kind: 'ask' | 'together' | 'once'; readonly key: number }
/** What a client does instead of simply answering. */
type Move = 'answer' | 'one' | 'nothing' | 'again' | 'twice' | 'leave'

const steps = fc.array(
  fc.record({ kind: fc.constantFrom<Step['kind']>('ask', 'together', 'once'), key: fc.nat({ max: 3 }) }),
  { minLength: 1, maxLength: 6 },
)
const moves = fc.array(fc.constantFrom<Move>('answer', 'one', 'nothing', 'again', 'twice', 'leave'), {
  maxLength: 12,
})
const schema = z.object({ said: z.string() })
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const sayTo = (message: string): object => ({ action: 'accept', content: { said: `re: ${message}` } })

interface World {
  readonly router: McpRouter<object>
  /** How often each guarded thing was done. */
  readonly done: Map<number, number>
}

function worldOf(script: readonly Step[]): World {
  const router = new McpRouter<object>({ logger: quiet })
  const done = new Map<number, number>()
  router.tool('play', {
    description: 'd',
    async handler(_, ctx) {
      const seen: unknown[] = []
      const ask = async (message: string) => (await ctx.elicit({ message, schema })).content?.said
      for (const { kind, key } of script) {
        if (kind === 'ask') seen.push(await ask(`q${key}`))
        else if (kind === 'together') seen.push(await Promise.all([ask(`l${key}`), ask(`r${key}`)]))
        else {
          const count = () => {
            done.set(key, (done.get(key) ?? 0) + 1)
            return { key }
          }
          seen.push(await ctx.once(`k${key}`, count))
        }
      }
      return seen
    },
  })
  return { router, done }
}

/** What the handler should have seen, without any client. */
function expected(script: readonly Step[]): unknown[] {
  return script.map(({ kind, key }) => {
    if (kind === 'once') return { key }
    return kind === 'ask' ? `re: q${key}` : [`re: l${key}`, `re: r${key}`]
  })
}

const seenBy = (result: Json): unknown => JSON.parse(result.content[0].text)

async function playModern({ router }: World, script: readonly Move[]): Promise<unknown> {
  const caller: Caller<object> = {}
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }
  let id = 0
  const send = async (more: object, who: Caller<object> = caller): Promise<Json> => {
    id += 1
    const params = { name: 'play', arguments: {}, ...more, _meta }
    const answer = (await router.handle({ jsonrpc: '2.0', id, method: 'tools/call', params }, who)) as Json
    return answer?.result
  }
  let result = await send({})
  for (const move of [...script, ...Array<Move>(40).fill('answer')]) {
    if (result.resultType !== 'input_required') break
    const { requestState } = result
    const asked = Object.entries<Json>(result.inputRequests)
    const answers = Object.fromEntries(asked.map(([key, { params }]) => [key, sayTo(params.message)]))
    const full = { requestState, inputResponses: answers }
    if (move === 'nothing') result = await send({ requestState })
    else if (move === 'one') {
      const [key = ''] = Object.keys(answers)
      result = await send({ requestState, inputResponses: { [key]: answers[key] } })
    } else if (move === 'twice') [result] = await Promise.all([send(full), send(full)])
    else if (move === 'leave') {
      const signal = AbortSignal.abort()
      await send(full, { signal })
    } else {
      if (move === 'again') await send(full)
      result = await send(full)
    }
  }
  return seenBy(result)
}

async function playLegacy({ router }: World, script: readonly Move[]): Promise<unknown> {
  let at = 0
  const caller: Caller<object> = {
    protocolVersion: '2025-11-25',
    client: { name: 'x', version: '1', capabilities: { elicitation: {} } },
    send(message: Json) {
      const answer = { jsonrpc: '2.0', id: message.id, result: sayTo(message.params.message) }
      const move = script[at++ % Math.max(1, script.length)]
      if (move === 'nothing') void router.handle({ ...answer, id: 'nobody' }, caller)
      if (move === 'leave') void router.handle(answer, { ...caller })
      void router.handle(answer, caller)
      if (move === 'twice' || move === 'again')
        void router.handle({ ...answer, result: sayTo('other') }, caller)
      return true
    },
  }
  const params = { name: 'play', arguments: {} }
  const answer = (await router.handle(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    caller,
  )) as Json
  return seenBy(answer.result)
}

describe('conversations', () => {
  it.each([
    ['2026-07-28', playModern],
    ['2025-11-25', playLegacy],
  ])('come to the same through whatever a client of %s does', async (_, play) => {
    await fc.assert(
      fc.asyncProperty(steps, moves, async (script, clientMoves) => {
        const world = worldOf(script)
        expect(await play(world, clientMoves)).toEqual(expected(script))
        expect([...world.done.values()].every((times) => times === 1)).toBe(true)
        expect(world.router.stats().running).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
})
