import { type BaseContext, type Caller, McpRouter, type RouterOptions } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { connect, envelope, modern, recorder, versions } from './wire/client.js'

// Cancellation, time-outs and closing: no call is ever left without an answer, except one that nobody waits for.

const log = recorder()
const never = new Promise<never>(() => {})
const started = () => {
  let tell: (ctx: BaseContext) => void = () => {}
  const running = new Promise<BaseContext>((resolve) => {
    tell = resolve
  })
  return { tell, running }
}
/** A router whose tool never returns, and a way to wait until it runs. */
function hanging(options: RouterOptions = {}, own: object = {}) {
  const { tell, running } = started()
  const router = new McpRouter({ logger: log.logger, exposeErrors: false, timeoutMs: 0, ...options })
  const handler = (_: unknown, ctx: BaseContext): Promise<never> => {
    tell(ctx)
    return never
  }
  router.tool('hang', { description: 'd', ...own, handler } as never)
  return { router, running }
}
const call = (id: unknown, version: string, name = 'hang') => {
  const meta = version === modern ? { _meta: envelope() } : {}
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...meta } }
}
const cancel = (requestId: unknown, reason?: string) => {
  const params = { requestId, ...(reason !== undefined && { reason }) }
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params }
}

describe.each(versions)('cancelling a call of %s', (version) => {
  it.each([1, 0, 'a', ''])(
    'by the same caller object ends it without an answer and aborts its signal: id %j',
    async (id) => {
      const { router, running } = hanging()
      const client = connect(router, version)
      const answer = client.send(call(id, version))
      const { signal, progress } = await running
      expect(signal.aborted).toBe(false)
      expect(await client.send(cancel(id, 'changed my mind'))).toBeUndefined()
      expect(await answer).toBeUndefined()
      expect(signal.aborted).toBe(true)
      expect((signal.reason as Error).message).toContain('changed my mind')
      expect(progress).toBeTypeOf('function')
      expect(router.stats().running).toBe(0)
      expect(log.at('error')).toEqual([])
    },
  )

  it('of an id of another type, another caller or an unknown one does nothing', async () => {
    const { router, running } = hanging()
    const client = connect(router, version)
    const answer = client.send(call(1, version))
    const { signal } = await running
    for (const id of ['1', 2, null, undefined, {}]) await client.send(cancel(id))
    await connect(router, version).send(cancel(1))
    expect(signal.aborted).toBe(false)
    await client.send(cancel(1))
    expect(await answer).toBeUndefined()
  })
})

it('cancelling while the output is checked leaves no answer either', async () => {
  let decide: (fine: boolean) => void = () => {}
  const decision = new Promise<boolean>((resolve) => {
    decide = resolve
  })
  const router = new McpRouter({ logger: log.logger })
  const output = z.object({ a: z.string().refine(() => decision) })
  router.tool('t', { description: 'd', output, handler: () => ({ a: 'x' }) })
  const client = connect(router, '2025-11-25')
  const answer = client.send(call(1, '2025-11-25', 't'))
  await new Promise((resolve) => setImmediate(resolve))
  await client.send(cancel(1))
  decide(true)
  expect(await answer).toBeUndefined()
})

describe('caller.signal', () => {
  it('ends the call when nobody can get the answer any more', async () => {
    const { router, running } = hanging()
    const gone = new AbortController()
    const answer = router.handle(call(1, modern), { signal: gone.signal })
    const { signal } = await running
    gone.abort()
    expect(await answer).toBeUndefined()
    expect(signal.aborted).toBe(true)
  })

  it('that is aborted already runs nothing, and one that stays leaves no listener', async () => {
    const ran = vi.fn()
    const router = new McpRouter({ logger: log.logger })
    router.tool('t', { description: 'd', handler: ran })
    const signal = AbortSignal.abort()
    expect(await router.handle(call(1, modern, 't'), { signal })).toBeUndefined()
    expect(ran).not.toHaveBeenCalled()
    const open = new AbortController().signal
    const [added, removed] = [vi.spyOn(open, 'addEventListener'), vi.spyOn(open, 'removeEventListener')]
    await router.handle(call(1, modern, 't'), { signal: open })
    expect([ran.mock.calls.length, added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1, 1])
  })
})

describe('timeoutMs', () => {
  it.each<[string, RouterOptions, object]>([
    ['of the tool', {}, { timeoutMs: 20 }],
    ['of the router', { timeoutMs: 20 }, {}],
    ['of the tool, before that of the router', { timeoutMs: 1e6 }, { timeoutMs: 20 }],
  ])('%s answers clearly and aborts the signal', async (_, options, own) => {
    const { router, running } = hanging(options, own)
    const { isError, content } = await router.call('hang')
    expect(isError).toBe(true)
    expect(content).toMatchObject([{ text: expect.stringMatching(/"hang" did not answer within 20 ms/) }])
    const { signal, progress } = await running
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(progress).toBeTypeOf('function')
  })

  it('is a JSON-RPC error from resources, prompts and completion', async () => {
    const router = new McpRouter({ logger: log.logger, timeoutMs: 20 })
    const handler = () => never
    router.resource('a://{b}', { handler, complete: { b: handler } })
    router.prompt('p', { description: 'd', handler })
    const timely = { code: -32603, message: expect.stringContaining('20 ms') }
    await expect(router.read('a://b')).rejects.toMatchObject(timely)
    await expect(router.getPrompt('p')).rejects.toMatchObject(timely)
    const params = { ref: { type: 'ref/resource', uri: 'a://{b}' }, argument: { name: 'b', value: '' } }
    expect(await connect(router).error('completion/complete', params)).toMatchObject(timely)
  })

  it('0 is no limit; the default is 60 seconds', async () => {
    vi.useFakeTimers()
    const unlimited = hanging({}, { timeoutMs: 0 })
    let answered = false
    void unlimited.router.call('hang').then(() => (answered = true))
    await vi.advanceTimersByTimeAsync(1e9)
    expect(answered).toBe(false)
    const router = new McpRouter({ logger: log.logger })
    router.tool('hang', { description: 'd', handler: () => never })
    const answer = router.call('hang')
    await vi.advanceTimersByTimeAsync(59_999)
    expect(router.stats().running).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect((await answer).isError).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('covers a schema that never decides', async () => {
    const router = new McpRouter({ logger: log.logger, timeoutMs: 20 })
    const endless = z.object({ a: z.string().refine(() => never) })
    router.tool('in', { description: 'd', input: endless, handler: () => '' })
    router.tool('out', { description: 'd', output: endless, handler: () => ({ a: 'x' }) })
    const late = new Promise((resolve) => setTimeout(resolve, 300, 'never answered'))
    for (const name of ['in', 'out']) {
      const answer = router.call(name, { a: 'x' }).catch((error: Error) => error)
      expect(await Promise.race([answer, late])).not.toBe('never answered')
    }
  })

  it('what a handler does after it is dropped, a rejection included', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const router = new McpRouter({ logger: log.logger, timeoutMs: 10 })
    const rejectLater = () => new Promise((_, reject) => setTimeout(reject, 30, new Error('late')))
    router.tool('t', { description: 'd', handler: rejectLater })
    expect((await router.call('t')).isError).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 50))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('close', () => {
  it('refuses new calls, lets running ones end, and resolves then', async () => {
    const { tell, running } = started()
    let finish: (word: string) => void = () => {}
    const router = new McpRouter({ logger: log.logger })
    const handler = (_: unknown, ctx: BaseContext): Promise<string> => {
      tell(ctx)
      return new Promise((resolve) => {
        finish = resolve
      })
    }
    router.tool('slow', { description: 'd', handler })
    const answer = router.call('slow')
    const { signal } = await running
    let closed = false
    const closing = router.close({ drainMs: 10_000 }).then(() => (closed = true))
    expect((await connect(router).error('tools/list')).message).toMatch(/closing/)
    await expect(router.call('slow')).rejects.toThrow(/closing/)
    expect([closed, signal.aborted]).toEqual([false, false])
    finish('done')
    expect((await answer).content).toMatchObject([{ text: 'done' }])
    await closing
  })

  it('aborts after drainMs what did not end, and it is answered', async () => {
    const { router, running } = hanging()
    const caller: Caller = {}
    const answer = router.handle(call(1, modern), caller)
    const { signal } = await running
    await router.close({ drainMs: 10 })
    expect(signal.aborted).toBe(true)
    expect(await answer).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringMatching(/closing/) }] },
    })
    await router.close()
  })

  it('may be asked for twice: both resolve as soon as nothing runs', async () => {
    const { router, running } = hanging()
    const client = connect(router, '2025-11-25')
    const answer = client.send(call(1, '2025-11-25'))
    await running
    const closed = Promise.all([router.close({ drainMs: 2_000 }), router.close({ drainMs: 2_000 })])
    await client.send(cancel(1))
    const late = new Promise((resolve) => setTimeout(resolve, 500, 'still waiting'))
    expect(await Promise.race([closed, late])).toEqual([undefined, undefined])
    expect(await answer).toBeUndefined()
  })
})
