/** `user`, `context` and `userId` of the host that fail: masked answers, told once, and no rejection left over. */

import { expect, it } from 'vitest'
import { settled, unhandledRejections } from '../../support/time.js'
import { recorder } from '../../wire/client.js'
import { type Answer, type Json, post, send } from '../client.js'
import { initialize, legacy, modern, rpc, stateless } from '../clients.js'
import { expectError, expectErrorBody } from '../expect.js'
import { type Host, serve } from '../host.js'

const bug = new Error('pg: hunter2')
const fail = (): never => {
  throw bug
}

/** A session of a host whose functions fail from then on, and what is told of it. */
async function failing(
  host: Host,
  functions: { user?: () => unknown; context?: () => Json; userId?: () => never },
) {
  const log = recorder()
  const told: unknown[] = []
  const unhandled = unhandledRejections()
  let fails = false
  const { user = async () => ({ id: 1 }), context = () => ({}), userId } = functions
  const { url, router } = await serve(host, {
    options: {
      user: () => (fails ? user() : { id: 1 }),
      context: () => (fails ? context() : {}),
      ...(userId !== undefined && { userId: () => (fails ? userId() : 1) }),
    },
    server: { exposeErrors: false, logger: log.logger, onError: (error) => told.push(error) },
  })
  const { sessionId } = await legacy(url)
  fails = true
  return { url, router, session: { 'Mcp-Session-Id': sessionId }, told, unhandled, log }
}

type Failing = Awaited<ReturnType<typeof failing>>

const whoami = { name: 'whoami', arguments: {} }
const ways = {
  'a call of a session': ({ url, session }: Failing) => post(url, rpc('tools/call', whoami), session),
  'a call without a session': ({ url }: Failing) => stateless(url).request('tools/call', whoami),
  'a call of 2026-07-28': ({ url }: Failing) => modern(url).request('tools/call', whoami),
  initialize: ({ url }: Failing) => post(url, initialize()),
} satisfies Record<string, (failing: Failing) => Promise<Answer>>

const functions = {
  'a `user` that throws': { user: fail },
  'a `user` that rejects': { user: () => Promise.reject(bug) },
  'a `context` that throws after an asynchronous `user`': { context: fail },
  'a `context` that rejects': { context: () => Promise.reject(bug) },
  'a `user` that rejects before a `context` that throws': {
    user: () => Promise.reject(bug),
    context: () => {
      throw new Error('there is no user to ask for')
    },
  },
}

async function expectToldOnce({ router, told, unhandled, log }: Failing, answer: Answer): Promise<void> {
  expectErrorBody(answer)
  expect(answer.json.error.code).toBe(-32603)
  expect(answer.text).not.toContain('hunter2')
  await settled()
  expect({ told, unhandled, errors: router.stats().errors }).toEqual({
    told: [bug],
    unhandled: [],
    errors: 1,
  })
  expect(log.at('error')).toEqual([expect.objectContaining({ message: expect.stringContaining('hunter2') })])
}

export function hostFunctions(host: Host): void {
  for (const [what, given] of Object.entries(functions)) {
    it.each(Object.entries(ways))(
      `answers -32603 to %s with ${what}, and tells of it once`,
      async (_, ask) => {
        const app = await failing(host, given)
        const answer = await ask(app)
        expect(answer).toMatchObject({ status: 200, json: { id: 1 } })
        await expectToldOnce(app, answer)
      },
    )

    it(`answers -32603 to a notification and to DELETE with ${what}, and tells of it once`, async () => {
      for (const ask of [
        ({ url, session }: Failing) =>
          post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session),
        ({ url, session }: Failing) => send(url, { method: 'DELETE', headers: session }),
      ]) {
        const app = await failing(host, given)
        await expectToldOnce(app, await ask(app))
      }
    })
  }

  it.each(['a call of a session', 'initialize'] as const)(
    'answers -32603 to %s with a `userId` that throws, and tells of it once',
    async (way) => {
      const app = await failing(host, { userId: fail })
      const answer = await ways[way](app)
      expect(answer).toMatchObject({ status: 200, json: { id: 1 } })
      await expectToldOnce(app, answer)
    },
  )

  it.each([
    ['without a session', undefined, 400, -32600],
    ['of an unknown session', 'unknown', 404, -32001],
  ])(
    'refuses a DELETE %s without asking for the user, who could not be told',
    async (_, id, status, code) => {
      const { url, told, unhandled } = await failing(host, { user: () => Promise.reject(bug) })
      const answer = await send(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': id } })
      expectError(answer, status, code)
      expect(answer.text).not.toContain('hunter2')
      await settled()
      expect({ told, unhandled }).toEqual({ told: [], unhandled: [] })
    },
  )
}
