/** Loggers of every family get a line in their own order of arguments, with the error in a form that they write. */

import { McpRouter, memoryStore } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { initialize } from './contract/clients.js'

/** The levels of a logger, whose calls are kept. */
function levels(names: readonly string[]) {
  const calls: unknown[][] = []
  const methods = Object.fromEntries(
    names.map((name) => [name, (...args: unknown[]) => void calls.push(args)]),
  )
  return { calls, methods }
}

const own = ['debug', 'info', 'warn', 'error']
const all = ['trace', ...own, 'fatal']
const plain = { name: 'Error', message: 'boom', stack: expect.stringContaining('log.test') }

it.each([
  ['console', own, {}, 'message', expect.any(Error)],
  ['pino', all, { child: () => {}, bindings: () => {} }, 'object', expect.any(Error)],
  ['bunyan', all, { child: () => {}, fields: {} }, 'object', plain],
  ['winston', own, { child: () => {}, transports: [] }, 'message', plain],
  ['winston with levels of its own', all, { child: () => {}, transports: [] }, 'message', plain],
])('%s', async (_name, names, more, first, err) => {
  const { calls, methods } = levels(names)
  const logger = { ...methods, ...more } as never
  const router = new McpRouter({ logger })
  router.tool('t', {
    description: 'd',
    handler: () => {
      throw new Error('boom')
    },
  })
  await router.call('t')
  const [args = []] = calls
  const [message, data] = first === 'object' ? [args[1], args[0]] : args
  expect(calls).toHaveLength(1)
  expect(message).toContain('tool "t" failed')
  expect(data).toEqual({ err, method: 'tools/call', target: 't' })
  if (err === plain) expect(Object.getPrototypeOf((data as { err: object }).err)).toBe(Object.prototype)
})

it('leaves the name of a pino logger alone', async () => {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ name: 'api' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const router = new McpRouter({ logger })
  router.tool('t', {
    description: 'd',
    handler: (_, ctx) => {
      ctx.log.info('works')
      throw new Error('boom')
    },
  })
  await router.call('t')
  expect(lines.map(({ name, target }) => [name, target])).toEqual([
    ['api', 't'],
    ['api', 't'],
  ])
})

it('says why a store failed, in the line of a pino logger', async () => {
  const lines: { msg: string; err?: { message: string } }[] = []
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const away = async (): Promise<never> => {
    throw new Error('connection refused')
  }
  const store = Object.assign(memoryStore(), { get: away, subscribe: away, publish: away })
  const router = new McpRouter<object>({ name: 'log', version: '1.0.0', logger, store })
  const headers = { 'Content-Type': 'application/json' }
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  await mcp(router)(request, { body: initialize() })
  await router.notify.resourceUpdated('note://1')
  const failures = lines.filter(({ msg }) => msg.startsWith('the store failed'))
  expect(failures.length).toBeGreaterThan(1)
  expect(failures.map(({ err }) => err?.message)).toEqual(failures.map(() => 'connection refused'))
})
