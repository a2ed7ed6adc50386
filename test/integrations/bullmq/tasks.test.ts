/** What `bullmqTasks()` adds to tasks: another process runs them, again where it has to, with what leaves of the caller. */

import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { ToolError } from 'mcp-router'
import { guard } from 'mcp-router/node'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { latch } from '../../contract/fixtures.js'
import { machine } from './machines.js'
import { ownPrefix, type Queues, queues } from './queues.js'

let all: Queues
beforeAll(async () => {
  all = await queues()
})
afterAll(() => all.stop())

const task = { description: 'Takes long', task: 'optional' } as const
const auth = {
  token: 'a-token-that-must-not-leave',
  subject: 'ana',
  clientId: 'editor',
  scopes: ['build'],
  tenant: 'acme',
  claims: { iss: 'https://login.example.com', role: 'admin' },
}
const request = {
  method: 'POST',
  url: '/mcp',
  headers: { authorization: `Bearer ${auth.token}`, cookie: `session=${auth.token}` },
  ip: '192.0.2.1',
  raw: { token: auth.token },
}
const ana = { user: { id: 7, tenant: 'acme', password: 'hunter2' }, auth, request }
/** At once: tests wait for no clock. */
const soon = { backoff: 1 }

/** A machine that only serves calls, and one that only runs tasks. */
function pair(
  add: (router: Parameters<Parameters<typeof machine>[1]>[0]) => unknown,
  { worker = {}, caller = {} }: { worker?: object; caller?: object } = {},
) {
  const prefix = ownPrefix()
  return {
    front: () => machine(all.server({ worker: false, ...worker }, prefix), add, caller),
    back: () => machine(all.server({ ...worker, worker: true }, prefix), add),
  }
}

/** A task whose every attempt fails, begun on a machine and attempted by another one. */
async function failing(error: () => Error) {
  let tries = 0
  const handler = (): never => {
    tries += 1
    throw error()
  }
  const { front, back } = pair((router) => router.tool('work', { ...task, handler }), {
    worker: { attempts: 3, ...soon },
  })
  const one = await front()
  const taskId = await one.start('work')
  await back()
  return { one, taskId, tries: () => tries }
}

/** Everything in Redis, as text. */
async function everything(): Promise<string> {
  const client = await createClient({ url: all.redis.url }).connect()
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => client.get(key),
    hash: (key) => client.hGetAll(key),
    list: (key) => client.lRange(key, 0, -1),
    set: (key) => client.sMembers(key),
    zset: (key) => client.zRangeWithScores(key, 0, -1),
    stream: (key) => client.xRange(key, '-', '+'),
  }
  const found: unknown[] = []
  for (const key of await client.keys('*')) {
    const type = await client.type(key)
    found.push(key, await (read[type] as (key: string) => Promise<unknown>)(key))
  }
  client.destroy()
  return JSON.stringify(found)
}

describe('a worker', () => {
  it('knows the caller by id and claims, and Redis never holds a token or the request', async () => {
    const seen: Record<string, unknown> = {}
    const { front, back } = pair(
      (router) =>
        router.tool('look', {
          ...task,
          scopes: ['build'],
          input: z.object({ at: z.coerce.date() }),
          handler({ at }, ctx) {
            const { user, auth, request, client, sessionId, protocolVersion } = ctx
            Object.assign(seen, { at, user, auth, request, sessionId, protocolVersion })
            Object.assign(seen, { capabilities: client?.capabilities, db: (ctx as { db?: string }).db })
            return 'looked'
          },
        }),
      {
        caller: ana,
        worker: {
          loadUser: (id: unknown, { tenant, auth }: { tenant?: string; auth?: { tenant?: string } }) => ({
            id,
            tenant,
            of: auth?.tenant,
          }),
          context: ({ id }: { id: unknown }) => ({ db: `db of ${id}` }),
        },
      },
    )
    const one = await front()
    const taskId = await one.start('look', { at: '2026-01-01' })
    const waiting = await everything()
    expect(waiting).toContain('2026-01-01')
    const two = await back()
    await one.until(taskId, 'completed')
    for (const text of [waiting, await everything()]) {
      expect(text).toContain(taskId)
      for (const secret of [auth.token, 'hunter2', '192.0.2.1']) expect(text).not.toContain(secret)
    }
    const { token: _, ...claims } = auth
    expect(seen).toEqual({
      at: new Date('2026-01-01'),
      user: { id: 7, tenant: 'acme', of: 'acme' },
      auth: claims,
      request: undefined,
      sessionId: undefined,
      protocolVersion: '2026-07-28',
      capabilities: expect.objectContaining({ elicitation: {} }),
      db: 'db of 7',
    })
    expect(two.router.stats().running).toBe(0)
  })

  it('runs no task of a user who is gone, and says so', async () => {
    const handler = vi.fn()
    const { front, back } = pair((router) => router.tool('work', { ...task, handler }), {
      caller: ana,
      worker: { loadUser: () => undefined, attempts: 3, ...soon },
    })
    const one = await front()
    const taskId = await one.start('work')
    await back()
    expect((await one.until(taskId, 'failed')).error).toMatchObject({ code: -31001 })
    expect(handler).not.toHaveBeenCalled()
  })

  it('attempts a task again whose user could not be loaded', async () => {
    let tries = 0
    const loadUser = (id: unknown) => {
      tries += 1
      if (tries < 3) throw new Error('the database is away')
      return { id }
    }
    const { front, back } = pair((router) => router.tool('work', { ...task, handler: () => 'done' }), {
      caller: ana,
      worker: { loadUser, attempts: 3, ...soon },
    })
    const one = await front()
    const taskId = await one.start('work')
    await back()
    await one.until(taskId, 'completed')
    expect(tries).toBe(3)
  })

  it('needs loadUser for callers who sign in: the call fails at once, and the log says why', async () => {
    const error = vi.fn()
    const { store, tasks } = all.server({ loadUser: undefined as never })
    const logger = { info() {}, warn() {}, error }
    const one = await machine(
      { store, tasks, logger },
      (router) => router.tool('work', { ...task, handler: () => 'done' }),
      ana,
    )
    const { result } = await one.ask('tools/call', { name: 'work', arguments: {} })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
    expect(String(error.mock.calls[0]?.[0])).toContain('loadUser')
  })

  it('attempts a fault again, as often as it may; then the fault is the result', async () => {
    const { one, taskId, tries } = await failing(() => new Error('hunter2'))
    const { result } = await one.until(taskId, 'completed')
    expect(result.isError).toBe(true)
    expect(tries()).toBe(3)
    expect(await everything()).not.toContain('tasks.test.ts')
  })

  it.each([
    ['a ToolError', () => new ToolError('no')],
    ['a 409', () => Object.assign(new Error('no'), { status: 409 })],
  ])('takes %s for a result, and attempts nothing again', async (_, error) => {
    const { one, taskId, tries } = await failing(error)
    expect((await one.until(taskId, 'completed')).result).toMatchObject({
      isError: true,
      content: [{ text: 'no' }],
    })
    expect(tries()).toBe(1)
  })

  it('does once what is to be done once, and asks nothing again, however often it attempts a task', async () => {
    let [tries, charged, asked] = [0, 0, 0]
    const { front, back } = pair(
      (router) =>
        router.tool('work', {
          ...task,
          async handler(_, ctx) {
            tries += 1
            await ctx.once('charge', () => {
              charged += 1
            })
            const { content } = await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })
            asked += 1
            if (tries < 3) throw new Error('again')
            return `for ${content?.name}`
          },
        }),
      { worker: { attempts: 3, ...soon } },
    )
    const one = await front()
    const taskId = await one.start('work')
    await back()
    await one.answer(taskId, { name: 'Ana' })
    expect((await one.until(taskId, 'completed')).result.content[0].text).toBe('for Ana')
    expect([tries, charged, asked]).toEqual([3, 1, 3])
  })

  it('runs middleware around the handler that ran before the task began, which ends there by HandedOver', async () => {
    const outcomes: string[] = []
    const { front, back } = pair(
      (router) => {
        router.use(async ({ ctx }, next) => {
          const place = ctx.request === undefined ? 'worker' : 'front'
          try {
            const value = await next()
            outcomes.push(`${place}: ${value}`)
            return `<${value}>`
          } catch (error) {
            outcomes.push(`${place}: ${(error as Error).name}`)
            throw error
          }
        })
        router.tool('work', { ...task, handler: () => 'done' })
      },
      { caller: ana },
    )
    const one = await front()
    const taskId = await one.start('work')
    await back()
    expect((await one.until(taskId, 'completed')).result.content[0].text).toBe('<done>')
    expect(outcomes).toEqual(['front: HandedOver', 'worker: done'])
  })
})

describe('what was settled before a task began', () => {
  it('is not asked of its worker: guards have let the request pass', async () => {
    const guarded = vi.fn((_req: unknown, _res: unknown, next: () => void) => next())
    const raw = new IncomingMessage(new Socket())
    const { front, back } = pair(
      (router) => router.tool('work', { ...task, use: [guard(guarded)], handler: () => 'done' }),
      { caller: { ...ana, request: { ...request, raw } } },
    )
    const one = await front()
    const taskId = await one.start('work')
    await back()
    expect((await one.until(taskId, 'completed')).result.content[0].text).toBe('done')
    expect(guarded).toHaveBeenCalledTimes(1)
  })

  it('is not asked of the user again: they confirmed it', async () => {
    const { front, back } = pair((router) =>
      router.tool('work', { ...task, confirm: true, handler: () => 'done' }),
    )
    const one = await front()
    const params = { name: 'work', arguments: {} }
    const { inputRequests, requestState } = (await one.ask('tools/call', params)).result
    const [key] = Object.keys(inputRequests)
    const inputResponses = { [key as string]: { action: 'accept', content: { confirm: true } } }
    const { result } = await one.ask('tools/call', { ...params, inputResponses, requestState })
    await back()
    expect((await one.until(result.taskId, 'completed')).result.content[0].text).toBe('done')
  })
})

describe('a task', () => {
  it('that is cancelled on one machine aborts on the one that runs it', async () => {
    const [began, aborted] = [latch(), latch<unknown>()]
    const { front, back } = pair((router) =>
      router.tool('work', {
        ...task,
        async handler(_, ctx) {
          ctx.signal.addEventListener('abort', () => aborted.open(ctx.signal.reason))
          began.open()
          await aborted.opened
        },
      }),
    )
    const one = await front()
    const taskId = await one.start('work')
    await back()
    await began.opened
    await one.ask('tasks/cancel', { taskId })
    expect(String(await aborted.opened)).toContain('cancelled')
    await one.until(taskId, 'cancelled')
  })

  it('that is cancelled while it waits never runs', async () => {
    const ran: string[] = []
    const { front, back } = pair((router) =>
      router.tool('work', {
        ...task,
        input: z.object({ name: z.string() }),
        handler: ({ name }) => void ran.push(name),
      }),
    )
    const one = await front()
    const first = await one.start('work', { name: 'first' })
    await one.ask('tasks/cancel', { taskId: first })
    const second = await one.start('work', { name: 'second' })
    await back()
    await one.until(second, 'completed')
    expect(ran).toEqual(['second'])
    await one.until(first, 'cancelled')
  })

  it('is run by a machine that has its tool, and given up where none has it', async () => {
    const prefix = ownPrefix()
    const patience = { missingToolMs: 60_000 }
    const add = (router: { tool: (name: string, options: never) => unknown }) =>
      router.tool('fresh', { ...task, handler: () => 'new' } as never)
    const one = await machine(all.server({ worker: false }, prefix), add)
    await machine(all.server(patience, prefix), () => {})
    const taskId = await one.start('fresh')
    await machine(all.server(patience, prefix), add)
    await one.until(taskId, 'completed')
    const other = ownPrefix()
    const lonely = await machine(all.server({ worker: false }, other), add)
    const lost = await lonely.start('fresh')
    await machine(all.server({ missingToolMs: 1 }, other), () => {})
    expect((await lonely.until(lost, 'failed')).error.message).toContain('no such tool')
  })

  it('leaves nothing behind, once closed, that a lost connection of the app would end the process by', async () => {
    const connection = createClient({ url: all.redis.url }).on('error', () => {})
    onTestFinished(() => connection.destroy())
    const one = await machine(all.server({ connection }), (router) =>
      router.tool('work', { ...task, handler: () => 'done' }),
    )
    await one.until(await one.start('work'), 'completed')
    await one.router.close()
    expect(() => connection.emit('error', new Error('the socket closed'))).not.toThrow()
  })

  it('goes to another machine when the one that runs it closes', async () => {
    const prefix = ownPrefix()
    const began = latch()
    const slow = (router: { tool: (name: string, options: never) => unknown }) =>
      router.tool('work', {
        ...task,
        async handler(_: unknown, ctx: { signal: AbortSignal }) {
          began.open()
          await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        },
      } as never)
    const one = await machine(all.server({ worker: false }, prefix), slow)
    const taskId = await one.start('work')
    const closing = await machine(all.server({}, prefix), slow)
    await began.opened
    await closing.router.close({ drainMs: 0 })
    expect((await one.ask('tasks/get', { taskId })).result.status).toBe('working')
    await machine(all.server({}, prefix), (router) => router.tool('work', { ...task, handler: () => 'done' }))
    expect((await one.until(taskId, 'completed')).result.content[0].text).toBe('done')
  })

  it('counts among those of its caller until it has ended, wherever it runs', async () => {
    const { front, back } = pair((router) => router.tool('work', { ...task, handler: () => 'done' }), {
      worker: { maxRunning: 1 },
      caller: { request },
    })
    const one = await front()
    const taskId = await one.start('work')
    const refused = await one.ask('tools/call', { name: 'work', arguments: {} })
    expect(refused.error.message).toContain('Too many tasks')
    await back()
    await one.until(taskId, 'completed')
    const again = await vi.waitFor(() => one.start('work'), { interval: 5 })
    await one.until(again, 'completed')
  })

  it('cannot begin while Redis is gone', async () => {
    const own = await queues()
    const handler = vi.fn(() => 'done')
    const add = (router: { tool: (name: string, options: never) => unknown }) =>
      router.tool('work', { ...task, handler } as never)
    const one = await machine(own.server(), add)
    await own.redis.kill()
    const { result, error } = await one.ask('tools/call', { name: 'work', arguments: {} })
    expect(error ?? result).not.toHaveProperty('taskId')
    await own.stop()
    expect(handler).not.toHaveBeenCalled()
  })
})

describe('bullmqTasks()', () => {
  it.each([
    [{ connections: {} }, 'connections'],
    [{}, 'connection'],
    [{ connection: {}, concurency: 3 }, 'concurrency'],
    [{ connection: {}, attempts: 0 }, 'attempts'],
    [{ connection: {}, queue: 'a:b' }, 'colon'],
    [{ connection: {}, loadUser: 'x' }, 'loadUser'],
  ])('refuses %j', async (options, word) => {
    const { bullmqTasks } = await import('mcp-router/bullmq')
    expect(() => bullmqTasks(options as never)).toThrow(word)
  })

  it('needs a store that all machines share', async () => {
    const { McpRouter } = await import('mcp-router')
    const { tasks } = all.server()
    expect(() => new McpRouter({ tasks })).toThrow('redisStore()')
  })
})
