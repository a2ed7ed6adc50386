/** Time limits: however long they are they hold, and all steps of a call share one. */

import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { z } from 'zod'
import { routers } from '../support/routers.js'
import { settled, stopTime } from '../support/time.js'
import { connect } from '../wire/client.js'

const { make } = routers()
const delayed = <T>(ms: number, value: T): Promise<T> => new Promise((done) => setTimeout(done, ms, value))

/** A schema of a library that takes its time. */
function takes(ms: number): z.ZodType {
  const json = () => ({ type: 'object', properties: {} })
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'slow',
      validate: (value: unknown) => delayed(ms, { value }),
      jsonSchema: { input: json, output: json },
    },
  }
  return schema as unknown as z.ZodType
}

const longest = [Number.MAX_SAFE_INTEGER, 2 ** 31, 30 * 24 * 3_600_000]

describe('a time limit', () => {
  beforeEach(stopTime)

  it.each(longest)('of %d ms lets an asynchronous handler answer', async (timeoutMs) => {
    for (const [options, own] of [
      [{ timeoutMs }, {}],
      [{}, { timeoutMs }],
    ]) {
      const router = make(options)
      router.tool('t', { description: 'd', ...own, handler: () => delayed(50, 'answered') })
      router.resource('a://b', { ...own, handler: () => delayed(50, 'answered') })
      const answers = Promise.all([router.call('t'), router.read('a://b')])
      await vi.advanceTimersByTimeAsync(60)
      expect(await answers).toMatchObject([
        { content: [{ text: 'answered' }] },
        { contents: [{ text: 'answered' }] },
      ])
    }
  })

  it.each(longest)('to drain of %d ms lets a running call end', async (drainMs) => {
    const router = make()
    router.tool('t', { description: 'd', handler: () => delayed(50, 'answered') })
    const answer = router.call('t')
    const closed = router.close({ drainMs })
    await vi.advanceTimersByTimeAsync(60)
    expect(await answer).toMatchObject({ content: [{ text: 'answered' }] })
    await closed
  })

  it('counts the check of the input, the handler and the check of the output together', async () => {
    const router = make()
    const [input, output] = [takes(60), takes(60)]
    const handler = () => delayed(60, {})
    router.tool('t', { description: 'd', timeoutMs: 100, input, output, handler })
    const answer = router.call('t', {})
    const ended = vi.fn()
    void answer.then(ended)
    await vi.advanceTimersByTimeAsync(99)
    await settled()
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(await answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/"t" did not answer within 100 ms/) }],
    })
    expect(router.stats().running).toBe(0)
  })

  it('is kept by three steps that are fast enough together', async () => {
    const router = make()
    const [input, output] = [takes(30), takes(30)]
    router.tool('t', { description: 'd', timeoutMs: 100, input, output, handler: () => delayed(30, {}) })
    const answer = router.call('t', {})
    await vi.advanceTimersByTimeAsync(100)
    expect((await answer).isError).toBeUndefined()
  })

  it('counts the checks of prompts and templates with their handlers', async () => {
    const router = make({ timeoutMs: 100 })
    router.prompt('p', { description: 'd', input: takes(60), handler: () => delayed(60, 'x') })
    router.resource('a://{b}', { input: takes(60), handler: () => delayed(60, 'x') } as never)
    const client = connect(router)
    const answers = Promise.all([
      client.error('prompts/get', { name: 'p', arguments: {} }),
      client.error('resources/read', { uri: 'a://x' }),
    ])
    await vi.advanceTimersByTimeAsync(100)
    const late = { code: -32603, message: expect.stringContaining('100 ms') }
    expect(await answers).toMatchObject([late, late])
  })
})
