import type { BaseContext, Caller, RouterOptions } from 'mcp-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { latch } from '../contract/fixtures.js'
import { routers } from '../support/routers.js'
import { settled, stopTime, unhandledRejections } from '../support/time.js'
import { connect, envelope, modern, versions } from '../wire/client.js'

// Cancellation, time-outs and closing: no call is ever left without an answer, except one that nobody waits for.

const { log, make } = routers({ exposeErrors: false })
const never = new Promise<never>(() => {})
/** A router whose tool never returns, and a way to wait until it runs. */
function hanging(options: RouterOptions = {}, own: object = {}) {
  const { opened, open } = latch<BaseContext>()
  const router = make({ timeoutMs: 0, ...options })
  const handler = (_: unknown, ctx: BaseContext): Promise<never> => {
    open(ctx)
    return never
  }
  router.tool('hang', { description: 'd', ...own, handler } as never)
  return { router, running: opened }
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
  const [asked, decision] = [latch(), latch<boolean>()]
  const router = make()
  const decide = (): Promise<boolean> => {
    asked.open()
    return decision.opened
  }
  const output = z.object({ a: z.string().refine(decide) })
  router.tool('t', { description: 'd', output, handler: () => ({ a: 'x' }) })
  const client = connect(router, '2025-11-25')
  const answer = client.send(call(1, '2025-11-25', 't'))
  await asked.opened
  await client.send(cancel(1))
  decision.open(true)
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
    const router = make()
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
  beforeEach(stopTime)

  it.each<[string, RouterOptions, object]>([
    ['of the tool', {}, { timeoutMs: 20 }],
    ['of the router', { timeoutMs: 20 }, {}],
    ['of the tool, before that of the router', { timeoutMs: 1e6 }, { timeoutMs: 20 }],
  ])('%s answers clearly and aborts the signal', async (_, options, own) => {
    const { router, running } = hanging(options, own)
    const answer = router.call('hang')
    await vi.advanceTimersByTimeAsync(20)
    const { isError, content } = await answer
    expect(isError).toBe(true)
    expect(content).toMatchObject([{ text: expect.stringMatching(/"hang" did not answer within 20 ms/) }])
    const { signal, progress } = await running
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(progress).toBeTypeOf('function')
  })

  it('is a JSON-RPC error from resources, prompts and completion', async () => {
    const router = make({ timeoutMs: 20 })
    const handler = () => never
    router.resource('a://{b}', { handler, complete: { b: handler } })
    router.prompt('p', { description: 'd', handler })
    const timely = { code: -32603, message: expect.stringContaining('20 ms') }
    const params = { ref: { type: 'ref/resource', uri: 'a://{b}' }, argument: { name: 'b', value: '' } }
    const answers = Promise.all([
      router.read('a://b').catch((error) => error),
      router.getPrompt('p').catch((error) => error),
      connect(router).error('completion/complete', params),
    ])
    await vi.advanceTimersByTimeAsync(20)
    expect(await answers).toMatchObject([timely, timely, timely])
  })

  it('0 is no limit; the default is 60 seconds', async () => {
    const unlimited = hanging({}, { timeoutMs: 0 })
    let answered = false
    void unlimited.router.call('hang').then(() => (answered = true))
    await vi.advanceTimersByTimeAsync(1e9)
    expect(answered).toBe(false)
    const router = make()
    router.tool('hang', { description: 'd', handler: () => never })
    const answer = router.call('hang')
    await vi.advanceTimersByTimeAsync(59_999)
    expect(router.stats().running).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect((await answer).isError).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('covers a schema that never decides', async () => {
    const router = make({ timeoutMs: 20 })
    const endless = z.object({ a: z.string().refine(() => never) })
    router.tool('in', { description: 'd', input: endless, handler: () => '' })
    router.tool('out', { description: 'd', output: endless, handler: () => ({ a: 'x' }) })
    const answers = Promise.all([router.call('in', { a: 'x' }), router.call('out')])
    await vi.advanceTimersByTimeAsync(20)
    const late = { isError: true, content: [{ text: expect.stringContaining('20 ms') }] }
    expect(await answers).toMatchObject([late, late])
  })

  it('what a handler does after it is dropped, a rejection included', async () => {
    const unhandled = unhandledRejections()
    const end = latch()
    const router = make({ timeoutMs: 10 })
    const handler = async (): Promise<never> => {
      await end.opened
      throw new Error('late')
    }
    router.tool('t', { description: 'd', handler })
    const answer = router.call('t')
    await vi.advanceTimersByTimeAsync(10)
    expect((await answer).isError).toBe(true)
    end.open()
    await settled()
    expect(unhandled).toEqual([])
  })
})

describe('close', () => {
  it('refuses new calls, lets running ones end, and resolves then', async () => {
    const [running, end] = [latch<BaseContext>(), latch<string>()]
    const router = make()
    const handler = (_: unknown, ctx: BaseContext): Promise<string> => {
      running.open(ctx)
      return end.opened
    }
    router.tool('slow', { description: 'd', handler })
    const answer = router.call('slow')
    const { signal } = await running.opened
    let closed = false
    const closing = router.close({ drainMs: 10_000 }).then(() => (closed = true))
    expect((await connect(router).error('tools/list')).message).toMatch(/closing/)
    await expect(router.call('slow')).rejects.toThrow(/closing/)
    expect([closed, signal.aborted]).toEqual([false, false])
    end.open('done')
    expect((await answer).content).toMatchObject([{ text: 'done' }])
    await closing
  })

  it('aborts after drainMs what did not end, and it is answered', async () => {
    stopTime()
    const { router, running } = hanging()
    const caller: Caller = {}
    const answer = router.handle(call(1, modern), caller)
    const { signal } = await running
    const closed = router.close({ drainMs: 10 })
    await vi.advanceTimersByTimeAsync(9)
    expect(signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closed
    expect(signal.aborted).toBe(true)
    expect(await answer).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringMatching(/closing/) }] },
    })
    await router.close()
  })

  it('may be asked for twice: both resolve as soon as nothing runs', async () => {
    stopTime()
    const { router, running } = hanging()
    const client = connect(router, '2025-11-25')
    const answer = client.send(call(1, '2025-11-25'))
    await running
    const closed = Promise.all([router.close({ drainMs: 2_000 }), router.close({ drainMs: 2_000 })])
    await client.send(cancel(1))
    expect(await closed).toEqual([undefined, undefined])
    expect(await answer).toBeUndefined()
  })
})
