import { McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { connect, recorder } from '../wire/client.js'
import type { Json } from '../wire/validator.js'

// No call is ever left without an answer, whatever is thrown.

const trap = (): never => {
  throw new Error('trap')
}
const everything = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect).map((name) => [name, trap]),
) as ProxyHandler<object>
const selfThrowing: object = new Proxy(
  {},
  {
    get: () => {
      throw selfThrowing
    },
    getPrototypeOf: () => {
      throw selfThrowing
    },
  },
)
const withGetter = (key: string): Error =>
  Object.defineProperty(new Error('x'), key, { get: trap, enumerable: true })
const revoked = Proxy.revocable({}, {})
revoked.revoke()
const circular = new Error('a')
circular.cause = circular

/** Behind functions, and caught below: the test runner must not meet them. */
const thrown: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  'an empty string': () => '',
  'a symbol': () => Symbol('s'),
  'a BigInt': () => 1n,
  'a function': () => () => {},
  'an object without prototype': () => Object.create(null),
  'a proxy that throws on everything': () => new Proxy({}, everything),
  'a proxy that throws itself': () => selfThrowing,
  'a revoked proxy': () => revoked.proxy,
  'an error whose message throws': () => withGetter('message'),
  'an error whose status throws': () => withGetter('status'),
  'an error whose cause throws': () => withGetter('cause'),
  'an error that is its own cause': () => circular,
}

describe.each(Object.keys(thrown))('throwing %s', (kind) => {
  const log = recorder()
  let reported = 0
  const onError = (): void => void reported++
  const router = new McpRouter({ logger: log.logger, exposeErrors: false, onError })
  const handler = (): never => {
    throw thrown[kind]?.()
  }
  router.tool('t', { description: 'd', handler })
  router.tool('rejects', { description: 'd', handler: () => Promise.reject(thrown[kind]?.()) })
  router.resource('r://x', { handler })
  router.prompt('p', { description: 'd', handler })
  const client = connect(router)
  const answerTo = async (method: string, params: Json): Promise<unknown> => {
    try {
      return await client.request(method, params)
    } catch {
      return 'handle() rejected'
    }
  }

  it.each(['t', 'rejects'])('in a tool is answered, masked, logged and reported: %s', async (name) => {
    log.entries.length = 0
    reported = 0
    const answer = await answerTo('tools/call', { name })
    expect(answer).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringMatching(/^Internal error/) }] },
    })
    expect(log.at('error').map(({ message }) => message)).toEqual([expect.stringContaining(`tool "${name}"`)])
    expect(reported).toBe(1)
  })

  it('in a resource and a prompt is -32603', async () => {
    expect(await answerTo('resources/read', { uri: 'r://x' })).toMatchObject({ error: { code: -32603 } })
    expect(await answerTo('prompts/get', { name: 'p' })).toMatchObject({ error: { code: -32603 } })
    expect(router.stats().running).toBe(0)
  })
})
