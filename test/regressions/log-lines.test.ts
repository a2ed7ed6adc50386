/** Parts of log messages come from clients: they never look like lines of their own, and never steer a terminal. */

import { expect, it } from 'vitest'
import { latch } from '../contract/fixtures.js'
import { routers } from '../support/routers.js'
import { connect, versions } from '../wire/client.js'

const { log, make } = routers({ exposeErrors: false })

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const forged = '\n[error] forged\r\u001b[31m\u0000\u009b\u2028\u2029'

/** There is a message about it, and none has a control character. */
function expectPlain(about: string): void {
  expect(log.entries.map(({ message }) => message).join(' ')).toContain(about)
  for (const { message } of log.entries) expect(message).not.toMatch(control)
}

it.each(versions)('writes the URI of a resource that fails in one line (%s)', async (version) => {
  const router = make()
  router.resource('a://x{?b}', {
    handler: ({ b }): never => {
      throw new Error(`cannot read ${b}`)
    },
  })
  await connect(router, version).error('resources/read', { uri: `a://x?b=x${encodeURIComponent(forged)}` })
  expectPlain('cannot read x')
})

it.each(versions)('writes the keys of arguments that are refused in one line (%s)', async (version) => {
  const router = make()
  const properties = { known: { type: 'string' } } as const
  const input = { type: 'object', properties, additionalProperties: false } as const
  router.tool('t', { description: 'd', input, handler: () => 'x' })
  router.tool('plain', { description: 'd', handler: () => 'x' })
  const client = connect(router, version)
  await client.result('tools/call', { name: 't', arguments: { [`key${forged}`]: 1 } })
  await client.result('tools/call', { name: 'plain', arguments: { [`other${forged}`]: 1 } })
  expectPlain('key')
  expectPlain('other')
})

it.each(versions)('writes the reason of a cancelled call in one line (%s)', async (version) => {
  const [running, over] = [latch(), latch()]
  const router = make()
  router.tool('t', {
    description: 'd',
    async handler(_, { signal, log: own }) {
      running.open()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      own.warning(`stopped: ${signal.reason.message}`)
      over.open()
      throw signal.reason
    },
  })
  const client = connect(router, version)
  const answer = client.request('tools/call', { name: 't' }).catch(() => {})
  await running.opened
  const params = { requestId: 1, reason: `changed my mind${forged}` }
  await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  await Promise.all([answer, over.opened])
  expectPlain('changed my mind')
})

it('writes what an error says of a client in one line, whoever throws it', async () => {
  const fail = (about: string) => (): never => {
    throw new Error(`${about}${forged}`, { cause: new Error(`cause of ${about}${forged}`) })
  }
  const router = make({ onError: fail('hook'), onActivity: fail('activity') })
  router.tool('t', { description: 'd', handler: fail('handler') })
  router.tool('seen', { description: 'd', visible: fail('visible'), handler: () => 'x' })
  router.resource('a://{b}', { list: fail('list'), handler: () => 'x' })
  const client = connect(router)
  await client.result('tools/call', { name: 't' })
  await client.result('tools/list')
  await client.result('resources/list')
  for (const about of ['hook', 'activity', 'handler', 'visible', 'list', 'cause of handler'])
    expectPlain(about)
})

it('keeps messages short, however much a client sends', async () => {
  const router = make()
  router.tool('t', {
    description: 'd',
    handler: (_, ctx) => void ctx.log.warning('x'.repeat(1_000_000)),
  })
  await router.call('t')
  for (const { message } of log.entries) expect(message.length).toBeLessThan(5_000)
  expect(log.entries).toHaveLength(1)
})
