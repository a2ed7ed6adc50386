/** Properties of HTTP/2: many streams over one connection, each of which is cancelled and ended separately. */

import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Json, send } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { Connections } from '../../contract/exchange.js'
import { expectText } from '../../contract/expect.js'
import { addFixtures, latch } from '../../contract/fixtures.js'
import { quiet } from '../../contract/host.js'
import { settled, unhandledRejections } from '../../support/time.js'
import { listening, selfSigned } from './host.js'

async function connected() {
  const router = new McpRouter<object>({ logger: quiet, timeoutMs: 0 })
  const fixtures = addFixtures(router)
  const signals: AbortSignal[] = []
  router.tool('hold', {
    description: 'Ends with its signal',
    async handler(_, ctx) {
      signals.push(ctx.signal)
      ctx.progress(1)
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
    },
  })
  const crashes = unhandledRejections()
  const onCrash = (error: unknown): void => void crashes.push(error)
  process.on('uncaughtException', onCrash)
  const server = http2.createSecureServer(selfSigned, mcp(router))
  const { origin } = await listening(server)
  const session = http2.connect(origin, { rejectUnauthorized: false }).on('error', () => {})
  onTestFinished(() => {
    process.off('uncaughtException', onCrash)
    session.destroy()
    expect(crashes).toEqual([])
  })
  const idle = () =>
    vi.waitFor(() => expect(router.stats()).toMatchObject({ running: 0, streams: 0 }), { interval: 2 })
  return { origin, router, session, signals, idle, ...fixtures }
}

function call(session: ClientHttp2Session, name: string, meta?: object): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/mcp',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  })
  stream.on('error', () => {})
  stream.end(JSON.stringify(rpc('tools/call', { name, arguments: {}, ...(meta && { _meta: meta }) })))
  return stream
}

async function textOf(stream: ClientHttp2Stream): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  return text
}

const codes = [
  ['CANCEL', http2.constants.NGHTTP2_CANCEL],
  ['NO_ERROR', http2.constants.NGHTTP2_NO_ERROR],
  ['INTERNAL_ERROR', http2.constants.NGHTTP2_INTERNAL_ERROR],
] as const

for (const streaming of [false, true]) {
  const meta = streaming ? { progressToken: 1 } : undefined

  it.each(codes)(
    `aborts the call of one stream that is reset with %s, and no other (streaming: ${streaming})`,
    async (_, code) => {
      const { session, router, signals } = await connected()
      const [left] = [call(session, 'hold', meta), call(session, 'hold', meta)]
      await vi.waitFor(() => expect(signals).toHaveLength(2), { interval: 2 })
      left?.close(code)
      await vi.waitFor(() => expect(router.stats().running).toBe(1), { interval: 2 })
      await settled()
      expect(signals.map(({ aborted }) => aborted).sort()).toEqual([false, true])
    },
  )

  it(`aborts every call of a connection that breaks (streaming: ${streaming})`, async () => {
    const { session, signals, idle } = await connected()
    for (const _ of [1, 2, 3]) call(session, 'hold', meta)
    await vi.waitFor(() => expect(signals).toHaveLength(3), { interval: 2 })
    session.destroy()
    await idle()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
  })
}

it('responds to every stream of a connection, whichever finishes first', async () => {
  const { session, router, release, running } = await connected()
  const slow = call(session, 'wait')
  await running.opened
  const fast = JSON.parse(await textOf(call(session, 'whoami')))
  expect(fast.result.content[0].text).toContain('127.0.0.1')
  release.open()
  expect(JSON.parse(await textOf(slow)).result.content[0].text).toBe('released')
  expect(router.stats().running).toBe(0)
})

it('finishes a response in flight when the client sends GOAWAY', async () => {
  const { session, release, running } = await connected()
  const stream = call(session, 'wait')
  await running.opened
  session.close()
  release.open()
  expect(JSON.parse(await textOf(stream)).result.content[0].text).toBe('released')
})

it('survives a stream that is reset in the middle of its body', async () => {
  const { session, origin, idle } = await connected()
  const stream = session.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' })
  stream.on('error', () => {}).write('{"jsonrpc":')
  await new Promise((resolve) => session.ping(resolve))
  stream.close(http2.constants.NGHTTP2_CANCEL)
  await idle()
  expectText(await send(`${origin}/mcp`, { body: rpc('tools/call', { name: 'whoami' }) }))
})

it('runs no handler for a stream that closed before its body was read', async () => {
  const { router } = await connected()
  const ran: true[] = []
  router.tool('act', { description: 'x', handler: () => void ran.push(true) })
  const [arrived, gone] = [latch(), latch()]
  const handle = mcp(router)
  const { origin } = await listening(
    http2.createSecureServer(selfSigned, (req, res) => {
      arrived.open()
      void gone.opened.then(() => handle(req, res))
      res.once('close', gone.open)
    }),
  )
  const session = http2.connect(origin, { rejectUnauthorized: false }).on('error', () => {})
  onTestFinished(() => session.destroy())
  const stream = call(session, 'act')
  await arrived.opened
  stream.close(http2.constants.NGHTTP2_CANCEL)
  await gone.opened
  await settled()
  await vi.waitFor(() => expect(router.stats().running).toBe(0), { interval: 2 })
  expect(ran).toEqual([])
  await router.close({ drainMs: 60_000 })
})

it('checks the authority like the host', async () => {
  const { origin } = await connected()
  const ask = async (headers: Json): Promise<number> =>
    (await send(`${origin}/mcp`, { body: rpc('ping'), headers })).status
  expect(await ask({ Host: 'evil.example' })).toBe(403)
  expect(await ask({ Host: 'localhost' })).toBe(200)
})

it('serves many requests on one connection, and leaves no listeners on it', async () => {
  const { origin } = await connected()
  const connections = new Connections()
  onTestFinished(() => connections.close())
  const session = await connections.session(origin)
  const count = (): number => session?.socket.listenerCount('close') ?? 0
  const body = rpc('tools/call', { name: 'whoami' })
  await send(`${origin}/mcp`, { body, connections })
  const before = count()
  for (let round = 0; round < 20; round++) await send(`${origin}/mcp`, { body, connections })
  expect(count()).toBe(before)
})
