/** Long work: tools that are answered with a task, in the form of 2025-11-25 and in that of the extension. */

import { McpError, type McpRouter, type RouterOptions } from 'mcp-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { type Json, post } from '../client.js'
import { type Client, legacy, modern, stateless } from '../clients.js'
import { expectError, expectResult, expectText } from '../expect.js'
import { type Latch, latch } from '../fixtures.js'
import { type Host, quiet, type Served, serve as serveHost, type Wanted } from '../host.js'
import { unsteady } from './unsteady-values.js'

const extension = 'io.modelcontextprotocol/tasks'
const capabilities = { elicitation: {}, extensions: { [extension]: {} } }
const taking = { meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities } }
const login = ({ 'x-user': id }: { 'x-user'?: string | undefined }) => (id === undefined ? undefined : { id })
const named = z.object({ name: z.string() })

interface Work {
  /** The handler of `build` runs. */
  readonly began: Latch<void>
  readonly go: Latch<void>
  readonly aborted: Latch<unknown>
}

function add(router: McpRouter<object>): Work {
  const began = latch()
  const go = latch()
  const aborted = latch<unknown>()
  router.tool('build', {
    description: 'Takes long',
    task: 'optional',
    async handler(_, ctx) {
      ctx.signal.addEventListener('abort', () => aborted.open(ctx.signal.reason))
      began.open()
      await Promise.race([go.opened, aborted.opened])
      return 'built'
    },
  })
  router.tool('fails', {
    description: 'Fails long',
    task: 'required',
    input: z.object({ how: z.enum(['tool', 'bug', 'protocol']) }),
    async handler({ how }) {
      await go.opened
      if (how === 'tool') throw Object.assign(new Error('no disk left'), { status: 409 })
      if (how === 'bug') return { big: 1n }
      throw new Error('hunter2')
    },
  })
  router.tool('asks', {
    description: 'Asks while it works',
    task: 'optional',
    async handler(_, ctx) {
      const [one, two] = await Promise.all([
        ctx.elicit({ message: 'One?', schema: named }),
        ctx.elicit({ message: 'Two?', schema: named }),
      ])
      return `${one.content?.name} ${two.content?.name}`
    },
  })
  router.tool('asks_first', {
    description: 'Asks before it works',
    task: 'required',
    use: [
      async ({ ctx }, next) => {
        await ctx.elicit({ message: 'Who?', schema: named, key: 'who' })
        return next()
      },
    ],
    handler: async (_, ctx) =>
      `for ${(await ctx.elicit({ message: 'Who?', schema: named, key: 'who' })).content?.name}`,
  })
  router.tool('counts', {
    description: 'Says how far it is',
    task: 'optional',
    input: z.object({ to: z.number() }),
    async handler({ to }, ctx) {
      for (let done = 1; done <= to; done++) ctx.progress(done, to)
      ctx.progress(0, to, 'back')
      began.open()
      await go.opened
      return ctx.progress(to + 1, to, 'almost') ? 'told' : 'not told'
    },
  })
  return { began, go, aborted }
}

async function start(client: Client, name: string, args: object = {}): Promise<Json> {
  const created = expectResult(await client.call(name, args))
  expect(created).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.any(String) })
  return created
}

const get = async (client: Client, taskId: string, method = 'tasks/get'): Promise<Json> =>
  (await client.request(method, { taskId }, { headers: { 'Mcp-Name': taskId } })).json

const until = (client: Client, taskId: string, status: string): Promise<Json> =>
  vi.waitFor(
    async () => {
      const { result } = await get(client, taskId)
      expect(result.status).toBe(status)
      return result
    },
    { interval: 5 },
  )

/** `server`: for each test, the options of its router that say who runs tasks. Default: its own process. */
export function tasks(host: Host, server: () => RouterOptions = () => ({})): void {
  const serve = async (host: Host, wanted: Wanted = {}): Promise<Served> => {
    const served = await serveHost(host, { ...wanted, server: { ...server(), ...wanted.server } })
    onTestFinished(() => served.router.close({ drainMs: 0 }))
    return served
  }

  it('answers a call with a task, and the task has the result', async () => {
    const { url, router } = await serve(host)
    const { go } = add(router)
    const client = modern(url, taking)
    const created = await start(client, 'build')
    for (const absent of ['task', 'ttl', 'pollInterval', 'requestState', 'result']) {
      expect(created).not.toHaveProperty(absent)
    }
    expect(Number.isInteger(created.ttlMs) && Number.isInteger(created.pollIntervalMs)).toBe(true)
    expect(await until(client, created.taskId, 'working')).toMatchObject({ resultType: 'complete' })
    go.open()
    const done = await until(client, created.taskId, 'completed')
    expect(done.result).toEqual({ content: [{ type: 'text', text: 'built' }] })
    // Whoever asks may hear of its end before the one that ran it has let go.
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
  })

  it('waits for the result where the client has no tasks, unless the tool must be one', async () => {
    const { url, router } = await serve(host)
    add(router).go.open()
    expect(expectText(await modern(url).call('build', {}))).toBe('built')
    expect(expectText(await stateless(url).call('build', {}))).toBe('built')
    expect((await router.call('build', {})).content).toEqual([{ type: 'text', text: 'built' }])
    const refused = await modern(url).call('fails', { how: 'tool' })
    expectError(refused, 400, -32021, 1)
    expect(refused.json.error.data).toEqual({ requiredCapabilities: { extensions: { [extension]: {} } } })
    expect((await stateless(url, '2025-11-25').call('fails', { how: 'tool' })).json.error.code).toBe(-32601)
  })

  it.each([
    ['tool', 'completed', { result: { isError: true, content: [{ text: 'no disk left' }] } }],
    [
      'bug',
      'completed',
      { result: { isError: true, content: [{ text: expect.stringMatching(/^Internal error/) }] } },
    ],
    ['protocol', 'completed', { result: { isError: true } }],
  ])('tells how it failed (%s)', async (how, status, detail) => {
    const { url, router } = await serve(host, { server: { exposeErrors: false } })
    add(router).go.open()
    const client = modern(url, taking)
    const { taskId } = await start(client, 'fails', { how })
    const done = await until(client, taskId, status)
    expect(done).toMatchObject(detail)
    expect(JSON.stringify(done)).not.toContain('hunter2')
  })

  it('answers wrong arguments at once, without a task', async () => {
    const { url, router } = await serve(host)
    add(router)
    const { result } = (await modern(url, taking).call('fails', { how: 'x' })).json
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
  })

  it('cancels, which stays so, and aborts the handler', async () => {
    const { url, router } = await serve(host)
    const { began, go, aborted } = add(router)
    const client = modern(url, taking)
    const { taskId } = await start(client, 'build')
    await began.opened
    expect((await get(client, taskId, 'tasks/cancel')).result).toMatchObject({ resultType: 'complete' })
    expect(await aborted.opened).toMatchObject({ name: 'AbortError' })
    go.open()
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
    expect((await get(client, taskId)).result).toMatchObject({ status: 'cancelled' })
    expect((await get(client, taskId, 'tasks/cancel')).result).toMatchObject({ resultType: 'complete' })
  })

  it('goes on when the client that started it leaves', async () => {
    const { url, router } = await serve(host)
    const { go } = add(router)
    const client = modern(url, taking)
    const { taskId } = await start(client, 'build')
    go.open()
    expect((await until(modern(url, taking), taskId, 'completed')).result.content[0].text).toBe('built')
  })

  it('says how far a task is, whoever asks, until it has ended', async () => {
    const { url, router } = await serve(host)
    const { began, go } = add(router)
    const client = modern(url, taking)
    const created = await start(client, 'counts', { to: 3 })
    expect(created).not.toHaveProperty('statusMessage')
    await began.opened
    await vi.waitFor(
      async () => expect((await get(client, created.taskId)).result.statusMessage).toBe('3 of 3'),
      { interval: 5 },
    )
    go.open()
    const done = await until(client, created.taskId, 'completed')
    expect(done.result.content[0].text).toBe('told')
    expect(done).not.toHaveProperty('statusMessage')
  })

  it('asks through the task, takes answers one by one, and each key once', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = modern(url, taking)
    const { taskId } = await start(client, 'asks')
    const asking = await until(client, taskId, 'input_required')
    const keys = Object.keys(asking.inputRequests)
    expect(keys).toHaveLength(2)
    const update = (inputResponses: object) =>
      client.request('tasks/update', { taskId, inputResponses }, { headers: { 'Mcp-Name': taskId } })
    const say = (name: string) => ({ action: 'accept', content: { name } })
    const ack = expectResult(await update({ [keys[0] as string]: say('Ana'), unknown: say('x') }))
    expect(ack).not.toHaveProperty('taskId')
    expect(Object.keys((await until(client, taskId, 'input_required')).inputRequests)).toEqual([keys[1]])
    await update({ [keys[0] as string]: say('Eve'), [keys[1] as string]: say('Bob') })
    expect((await until(client, taskId, 'completed')).result.content[0].text).toBe('Ana Bob')
  })

  it('asks in rounds before the task begins, and remembers the answers in it', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = modern(url, taking)
    const asked = expectResult(await client.call('asks_first', {}))
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } })
    expect(asked).not.toHaveProperty('taskId')
    const inputResponses = { who: { action: 'accept', content: { name: 'Ana' } } }
    const params = { name: 'asks_first', arguments: {}, inputResponses, requestState: asked.requestState }
    const created = expectResult(await client.request('tools/call', params))
    expect(created).toMatchObject({ resultType: 'task' })
    for (const absent of ['requestState', 'inputRequests']) expect(created).not.toHaveProperty(absent)
    expect((await until(client, created.taskId, 'completed')).result.content[0].text).toBe('for Ana')
  })

  it('tells a subscription how a task is, and ends with its result', async () => {
    const { url, router } = await serve(host, { login })
    const { go } = add(router)
    const client = modern(url, { ...taking, headers: { 'X-User': 'ana' } })
    const { taskId } = await start(client, 'build')
    const listen = (who: Client, taskIds: unknown) =>
      who.open('subscriptions/listen', { notifications: { taskIds } })
    const stream = await listen(client, [taskId, 'unknown'])
    expect((await stream.next()).params.notifications).toEqual({ taskIds: [taskId] })
    expect(await stream.next()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'working', _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    })
    go.open()
    expect((await stream.next()).params).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'built' }] },
    })
    stream.leave()
    const request = (who: Client, taskIds: unknown) =>
      who.request('subscriptions/listen', { notifications: { taskIds } })
    const bare = modern(url, { headers: { 'X-User': 'ana' } })
    expectError(await request(bare, [taskId]), 400, -32021, 1)
    const eve = modern(url, { ...taking, headers: { 'X-User': 'eve' } })
    expect((await request(eve, [taskId])).json.error.code).toBe(-31003)
    expect((await request(client, 'all')).json.error.code).toBe(-32602)
  })

  it('shows a task to nobody but its caller', async () => {
    const { url, router } = await serve(host, { login })
    add(router)
    const as = (id?: string) => modern(url, { ...taking, headers: { 'X-User': id } })
    const { taskId } = await start(as('ana'), 'build')
    for (const other of [as('eve'), as()]) {
      for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
        expect((await get(other, taskId, method)).error).toMatchObject({ code: -31003 })
      }
    }
    expect((await get(as('ana'), taskId)).result.status).toBe('working')
    expect((await get(as('ana'), 'unknown')).error.code).toBe(-32602)
  })

  it('asks for the capability on every request, and has none of the methods of 2025-11-25', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = modern(url, taking)
    const { taskId } = await start(client, 'build')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await get(modern(url), taskId, method)).error.code).toBe(-32021)
    }
    for (const method of ['tasks/result', 'tasks/list'])
      expect((await get(client, taskId, method)).error.code).toBe(-32601)
    const wrong = await client.request('tasks/get', { taskId }, { headers: { 'Mcp-Name': 'x' } })
    expectError(wrong, 400, -32020, 1)
  })

  it('serves 2025-11-25: the client asks for a task, waits for its result, and is asked there', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = await legacy(url, { capabilities })
    const listed = (await client.request('tools/list')).json.result.tools
    const support = (name: string) => listed.find((tool: Json) => tool.name === name).execution
    expect([support('build'), support('fails'), support('echo')]).toEqual([
      { taskSupport: 'optional' },
      { taskSupport: 'required' },
      undefined,
    ])
    const { json } = await client.request('tools/call', {
      name: 'asks',
      arguments: {},
      task: { ttl: 60_000 },
    })
    expect(json.result.task).toMatchObject({ status: 'working', ttl: 60_000, taskId: expect.any(String) })
    const { taskId } = json.result.task
    const stream = await client.open('tasks/result', { taskId }, { id: 9 })
    for (const name of ['Ana', 'Bob']) {
      const asked = await stream.next()
      expect(asked).toMatchObject({
        method: 'elicitation/create',
        params: { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } },
      })
      const answer = { jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { name } } }
      expect((await post(url, answer, { 'Mcp-Session-Id': client.sessionId })).status).toBe(202)
    }
    const [last] = await stream.rest()
    expect(last).toMatchObject({
      id: 9,
      result: {
        content: [{ text: 'Ana Bob' }],
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      },
    })
    expect((await get(client, taskId)).result).toMatchObject({ status: 'completed', ttl: 60_000 })
    expect((await get(client, taskId, 'tasks/cancel')).error.code).toBe(-32602)
  })

  it('tells a client of 2025-11-25 what failed, as a result, and what was cancelled, as an error', async () => {
    const { url, router } = await serve(host, { server: { exposeErrors: false } })
    const { began, go, aborted } = add(router)
    const client = await legacy(url, { capabilities })
    const begin = async (name: string, args: object): Promise<string> =>
      (await client.request('tools/call', { name, arguments: args, task: {} })).json.result.task.taskId
    const cancelled = await begin('build', {})
    await began.opened
    const answer = get(client, cancelled, 'tasks/result')
    expect((await get(client, cancelled, 'tasks/cancel')).result).toMatchObject({
      taskId: cancelled,
      status: 'cancelled',
    })
    await aborted.opened
    for (const { error } of [await answer, await get(client, cancelled, 'tasks/result')])
      expect(error).toMatchObject({ code: -32600, data: { taskId: cancelled } })
    expect((await get(client, cancelled, 'tasks/cancel')).error).toMatchObject({
      code: -32602,
      data: { taskId: cancelled },
    })
    go.open()
    const failed = await get(client, await begin('fails', { how: 'bug' }), 'tasks/result')
    expect(failed.result.isError).toBe(true)
    expect(JSON.stringify(failed)).not.toContain('BigInt')
  })

  it('tells a task what a client of 2025-11-25 will not answer', async () => {
    const { url, router } = await serve(host)
    add(router)
    const client = await legacy(url, { capabilities })
    const { json } = await client.request('tools/call', { name: 'asks', arguments: {}, task: {} })
    const stream = await client.open('tasks/result', { taskId: json.result.task.taskId })
    const { id } = await stream.next()
    const refusal = { jsonrpc: '2.0', id, error: { code: -1, message: 'the user is not here' } }
    expect((await post(url, refusal, { 'Mcp-Session-Id': client.sessionId })).status).toBe(202)
    const { result } = (await stream.rest()).at(-1)
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not here') }] })
  })

  it.each(['answers', 'fails'])('ends where its result cannot be written any more: %s', async (how) => {
    const { url, router } = await serve(host, { server: { logger: quiet } })
    const run = (): never => {
      if (how === 'answers') return { content: [{ type: 'text', text: 'x', row: unsteady() }] } as never
      throw new McpError(-32602, 'no', unsteady())
    }
    router.tool('unsteady', { description: 'x', task: 'required', handler: run })
    const client = modern(url, taking)
    const { taskId } = await start(client, 'unsteady')
    expect((await until(client, taskId, 'failed')).error).toEqual({ code: -32603, message: 'Internal error' })
  })

  it('fails where a task asks twice under one key at once', async () => {
    const { url, router } = await serve(host)
    router.tool('doubled', {
      description: 'x',
      task: 'required',
      handler: (_, ctx) => {
        const ask = () => ctx.elicit({ message: 'One?', schema: named, key: 'one' })
        return Promise.all([ask(), ask()])
      },
    })
    const client = modern(url, taking)
    const { taskId } = await start(client, 'doubled')
    const done = await until(client, taskId, 'completed')
    expect(done.result.isError).toBe(true)
  })

  it('lets a client of 2025-11-25 stop waiting for a task, and others have its result', async () => {
    const { url, router } = await serve(host)
    const { began, go } = add(router)
    const client = await legacy(url, { capabilities })
    const { json } = await client.request('tools/call', { name: 'build', arguments: {}, task: {} })
    const { taskId } = json.result.task
    await began.opened
    const waiting = client.request('tasks/result', { taskId }, { id: 9 })
    await vi.waitFor(() => expect(router.stats().running).toBeGreaterThan(1), { interval: 2 })
    expect((await client.notify('notifications/cancelled', { requestId: 9 })).status).toBe(202)
    expect(await waiting).toMatchObject({ status: 202, text: '' })
    // A tool that is gone takes nothing away of what it has begun.
    expect(router.remove('tool', 'build')).toBe(true)
    go.open()
    expect((await get(client, taskId, 'tasks/result')).result.content[0].text).toBe('built')
  })

  it('refuses what 2025-11-25 may not ask for', async () => {
    const { url, router } = await serve(host)
    const { go } = add(router)
    const client = await legacy(url, { capabilities })
    const call = (name: string, task?: object) =>
      client.request('tools/call', { name, arguments: { how: 'tool' }, ...(task && { task }) })
    expect((await call('fails')).json.error.code).toBe(-32601)
    expect(
      (await client.request('tools/call', { name: 'echo', arguments: { text: 'x' }, task: {} })).json.error
        .code,
    ).toBe(-32601)
    const { taskId } = (await call('fails', {})).json.result.task
    go.open()
    await vi.waitFor(async () => expect((await get(client, taskId)).result.status).toBe('failed'), {
      interval: 5,
    })
    expect((await get(client, taskId, 'tasks/result')).result).toMatchObject({ isError: true })
    expect((await get(client, 'nope', 'tasks/result')).error.code).toBe(-32602)
  })

  it('ends tasks when the server closes, and says so', async () => {
    const { url, router } = await serve(host)
    const { began, aborted } = add(router)
    const { taskId } = await start(modern(url, taking), 'build')
    await began.opened
    await router.close({ drainMs: 0 })
    expect(await aborted.opened).toMatchObject({ name: 'AbortError' })
    expect(taskId).toEqual(expect.any(String))
  })

  it('has no tasks where no tool is one', async () => {
    const { url } = await serve(host)
    const client = modern(url, taking)
    const { capabilities: offered } = expectResult(await client.request('server/discover'))
    expect(offered).not.toHaveProperty('extensions')
    expect((await get(client, 'x')).error.code).toBe(-32601)
    const old = await legacy(url, { capabilities })
    const params = { name: 'echo', arguments: { text: 'hi' }, task: {} }
    expect(expectText(await old.request('tools/call', params))).toBe('hi')
  })
}
