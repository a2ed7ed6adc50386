/**
 * Clients that disconnect while hooks of the app work on a response: no error of the app, and no end of the process.
 */

import { PassThrough, type Readable, Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { mcp } from 'mcp-router/fastify'
import { expect, it, vi } from 'vitest'
import { post } from '../../contract/client.js'
import { legacy, modern, rpc, stateless } from '../../contract/clients.js'
import { type Latch, latch } from '../../contract/fixtures.js'
import { settled } from '../../support/time.js'
import { placed, streaming } from '../placed.js'
import { create, type FastifyModules, listening } from './host.js'

interface Sending {
  readonly reply: FastifyReply
  /** Set for a response that is a stream. */
  readonly payload: unknown
  readonly began: Latch<void>
}

const closed = ({ raw }: FastifyReply): Promise<void> =>
  new Promise((resolve) => raw.once('close', () => resolve()))
const isStream = (payload: unknown): payload is Readable =>
  typeof (payload as Partial<Readable>)?.pipe === 'function'

/** `onSend` hooks, each of which is done when its client has disconnected. */
const hooks: readonly [name: string, hook: (sending: Sending) => unknown][] = [
  [
    'waits',
    async ({ reply, payload, began }) => {
      began.open()
      await closed(reply)
      return payload
    },
  ],
  [
    'waits, and puts a stream around the answer',
    async ({ reply, payload, began }) => {
      began.open()
      await closed(reply)
      return isStream(payload) ? payload.pipe(new PassThrough()) : payload
    },
  ],
  [
    'puts a stream around the answer, and waits',
    async ({ reply, payload, began }) => {
      const around = isStream(payload) ? payload.pipe(new PassThrough()) : payload
      began.open()
      await closed(reply)
      return around
    },
  ],
  [
    'composes a stream around the answer, and waits',
    async ({ reply, payload, began }) => {
      const around = isStream(payload) ? payload.compose(new PassThrough()) : payload
      began.open()
      await closed(reply)
      return around
    },
  ],
  [
    'composes a stream that holds every piece back',
    ({ payload, began }) => {
      const held = new Transform({ transform: (_chunk, _encoding, done) => done() })
      began.open()
      return isStream(payload) ? payload.compose(held) : payload
    },
  ],
  [
    'holds every piece back',
    ({ payload, began }) => {
      const held = new Transform({
        transform(_chunk, _encoding, done) {
          done()
          began.open()
        },
      })
      if (isStream(payload)) return payload.pipe(held)
      began.open()
      return payload
    },
  ],
]

/** Methods whose calls end with their stream. */
const older = (url: string) => legacy(url, { version: '2025-06-18' })
const requests: readonly [name: string, method: string, params: object][] = [
  ['a stream', 'tools/call', streaming],
  ['JSON', 'ping', {}],
]

export function leaving(modules: FastifyModules): void {
  const start = async (hook: (sending: Sending) => unknown) => {
    const { router } = placed()
    const began = latch()
    let slow = false
    const errors: unknown[] = []
    const app = create(modules) as FastifyInstance
    app.addHook('onSend', async (_request, reply, payload) => {
      return slow ? hook({ reply, payload, began }) : payload
    })
    app.addHook('onError', async (_request, _reply, error) => void errors.push(error))
    await app.register(mcp, { router })
    const started = await listening(app)
    const url = `${started.origin}/mcp`
    const slowly = (): void => {
      slow = true
    }
    const quickly = (): void => {
      slow = false
    }
    return { router, began, slowly, quickly, url, errors: () => [...errors, ...started.errors] }
  }

  const cases = hooks.flatMap(([name, hook]) =>
    requests.flatMap(([kind, method, params]) =>
      [stateless, modern, older].map((make) => ({ name, hook, kind, method, params, make, era: make.name })),
    ),
  )
  it.each(cases)(
    'lets a $era client disconnect while a hook $name: $kind',
    async ({ hook, method, params, make }) => {
      const { router, began, slowly, quickly, url, errors } = await start(hook)
      const client = await make(url)
      slowly()
      const request = client.abandon(method, params)
      await began.opened
      request.leave()
      await vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), {
        interval: 2,
      })
      await settled()
      quickly()
      expect((await post(url, rpc('ping'))).status).toBe(200)
      expect(errors()).toEqual([])
    },
  )

  it.each<[name: string, stop: (around: PassThrough) => unknown, message: string]>([
    ['fails at once', (around) => around.destroy(new Error('broken at once')), 'broken at once'],
    ['closes at once', (around) => around.destroy(), 'Premature close'],
    [
      'closes at the first piece',
      (around) => around.once('pipe', (from) => from.once('data', () => around.destroy())),
      'Premature close',
    ],
  ])('hands a stream of a hook that %s to the error handler of the app', async (_, stop, message) => {
    const { slowly, quickly, url, errors, router } = await start(({ payload }) => {
      if (!isStream(payload)) return payload
      const around = new PassThrough()
      stop(around)
      return payload.pipe(around)
    })
    slowly()
    const answer = await modern(url).request('tools/call', streaming)
    expect(answer).toMatchObject({ status: 500, text: '<html>the page of the app</html>' })
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
    expect(errors()).toContainEqual(expect.objectContaining({ message }))
    quickly()
    expect((await post(url, rpc('ping'))).status).toBe(200)
  })

  it("passes the error of a stream that a hook put around the response to the app's error handler", async () => {
    const { slowly, url, errors, router } = await start(({ payload }) => {
      if (!isStream(payload)) return payload
      const broken = new Transform({
        transform: (_chunk, _encoding, done) => done(new Error('the transform is broken')),
      })
      return payload.pipe(broken)
    })
    slowly()
    const answer = await modern(url).request('tools/call', streaming)
    expect(answer).toMatchObject({ status: 500, text: '<html>the page of the app</html>' })
    await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
    expect(errors()).toContainEqual(expect.objectContaining({ message: 'the transform is broken' }))
  })
}
