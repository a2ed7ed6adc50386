/** Loggers of every family get a line in their own order of arguments, with the error in a form that they write. */

import { McpRouter, memoryStore, type RouterOptions, ToolError } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { initialize } from '../contract/clients.js'

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
const plain = { name: 'Error', message: 'boom', stack: expect.stringContaining('logger.test') }

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

describe('a router without a logger', () => {
  const failing = (options: RouterOptions = {}) => {
    const router = new McpRouter<object>({ name: 'log', version: '1.0.0', ...options })
    router.tool('fail', {
      description: 'd',
      handler: (_, ctx) => {
        ctx.log.error('said by the handler')
        throw new Error('boom')
      },
    })
    router.tool('refuse', {
      description: 'd',
      handler: () => {
        throw new ToolError('no')
      },
    })
    return router
  }
  const levelsOfConsole = ['debug', 'info', 'warn', 'error'] as const
  /** What was written, by the method of the console. */
  const watchConsole = () => {
    const lines: [string, string][] = []
    for (const level of levelsOfConsole)
      vi.spyOn(console, level).mockImplementation((...args) => void lines.push([level, String(args[0])]))
    return lines
  }
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  it('writes faults and warnings about the set-up to stderr in production, and nothing else', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const lines = watchConsole()
    const router = failing()
    router.tool('bare', { handler: () => 'x' })
    await router.call('refuse')
    const { content } = await router.call('fail')
    const reference = /Reference: (\S+)/.exec(JSON.stringify(content))?.[1]?.slice(0, 12)
    expect(lines).toEqual([
      ['warn', expect.stringContaining('tool "bare" has no description')],
      ['error', expect.stringContaining(`(reference ${reference}): boom`)],
    ])
  })

  it.each(['', 'staging', 'development'])('writes everything to the console for NODE_ENV %j', async (env) => {
    vi.stubEnv('NODE_ENV', env)
    const lines = watchConsole()
    const router = failing()
    await router.call('refuse')
    await router.call('fail')
    expect(lines).toEqual([
      ['warn', expect.stringContaining('refused: no')],
      ['error', 'said by the handler'],
      ['error', expect.stringContaining('boom')],
    ])
  })

  it.each(['production', 'development'])('writes nothing with `logger: false` in %s', async (env) => {
    vi.stubEnv('NODE_ENV', env)
    const lines = watchConsole()
    const router = failing({ logger: false })
    router.tool('bare', { handler: () => 'x' })
    await router.call('fail')
    expect(lines).toEqual([])
  })

  it('refuses a logger that is none', () => {
    expect(() => new McpRouter({ logger: true as never })).toThrow(
      /`logger`.*pino or console, or to be false/,
    )
  })
})
