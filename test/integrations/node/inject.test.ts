/** Inner requests to plain Node listeners, on which the injection into every framework is based. */

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { EventEmitter, once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { finished, pipeline, Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Dispatch, InnerRequest } from 'mcp-router/adapter'
import { expect, it } from 'vitest'
import { createDispatch, type Listener } from '../../../integrations/node/inject/dispatch.js'
import { isToolCall, toolCallOf } from '../../../integrations/node/inject/tool-call.js'
import { call, outerWith, type Sent, serve } from './inject-call.js'

const to = (listener: Listener, line = 'GET /', sent: Sent = {}) => call(createDispatch(listener), line, sent)

it("gives the listener Node's own objects, and returns what it wrote", async () => {
  const answer = await to((req, res) => {
    expect(req).toBeInstanceOf(IncomingMessage)
    expect(res).toBeInstanceOf(ServerResponse)
    expect(Object.getOwnPropertyNames(res)).not.toContain('write')
    expect([req.method, req.url, req.httpVersion]).toEqual(['DELETE', '/a?b=1', '1.1'])
    res.writeHead(202, { 'X-One': '1', 'Set-Cookie': ['a=1', 'b=2'] })
    res.end('done')
  }, 'DELETE /a?b=1')
  expect(answer).toMatchObject({ status: 202, text: 'done', truncated: false })
  expect(answer.headers).toMatchObject({ 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] })
  expect(answer.headers.connection).toBeUndefined()
})

it('sets headers in all forms that Node has', async () => {
  await to(
    (req, res) => {
      const { 'mcp-router-loop': loop = '', ...headers } = req.headers
      expect(headers).toEqual({ host: 'h', 'x-a': '1', 'content-length': '3' })
      expect(req.headersDistinct['x-a']).toEqual(['1'])
      expect(req.rawHeaders).toEqual(
        ['host', 'h', 'x-a', '1', ['mcp-router-loop', `${loop}`], 'content-length', '3'].flat(),
      )
      res.end()
    },
    'POST /',
    { headers: { host: 'h', 'x-a': '1' }, body: 'abc' },
  )
})

it.each([
  ['text', 'häh'],
  ['bytes', Buffer.from('häh')],
])('carries a body of %s', async (_, body) => {
  const answer = await to((req, res) => void req.pipe(res), 'PUT /', { body })
  expect(answer.text).toBe('häh')
})

it('sets the length of a missing body as clients do', async () => {
  const lengthOf: Listener = (req, res) => void res.end(String(req.headers['content-length']))
  expect((await to(lengthOf, 'POST /')).text).toBe('0')
  expect((await to(lengthOf, 'GET /')).text).toBe('undefined')
})

it('reads responses in pieces, chunked by hand or by Node, with trailers', async () => {
  const written: Listener = (_req, res) => {
    res.setHeader('Transfer-Encoding', 'chunked')
    res.setHeader('Trailer', 'X-End')
    res.write('one ')
    res.cork()
    res.write('two ')
    res.write(Buffer.from('three '))
    res.uncork()
    res.addTrailers({ 'X-End': 'yes' })
    setImmediate(() => res.end('four'))
  }
  const answer = await to(written)
  expect(answer.text).toBe('one two three four')
  expect(answer.headers['transfer-encoding']).toBeUndefined()
})

it('skips informational responses', async () => {
  const answer = await to((_req, res) => {
    res.writeContinue()
    res.writeProcessing()
    res.writeEarlyHints({ link: '</a.css>; rel=preload' })
    res.end('final')
  })
  expect(answer).toMatchObject({ status: 200, text: 'final' })
  expect(answer.headers.link).toBeUndefined()
})

it.each([
  ['HEAD', 200],
  ['GET', 204],
  ['GET', 304],
])('knows that %s with %i has no body', async (method, status) => {
  const answer = await to((_req, res) => {
    res.writeHead(status, { 'Content-Encoding': 'gzip' })
    res.end(status === 200 ? 'dropped' : undefined)
  }, `${method} /`)
  expect(answer).toMatchObject({ status, text: '' })
})

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('reads what is compressed with %s though nobody asked', async (encoding, compress) => {
  const answer = await to((_req, res) => {
    res.setHeader('Content-Encoding', encoding)
    const bytes = compress('a text '.repeat(1000))
    res.write(bytes.subarray(0, 20))
    setImmediate(() => res.end(bytes.subarray(20)))
  })
  expect(answer.text).toBe('a text '.repeat(1000))
  expect(answer.headers['content-encoding']).toBeUndefined()
})

it("rejects a response that doesn't match its Content-Encoding", async () => {
  const broken: Listener = (_req, res) => void res.setHeader('Content-Encoding', 'gzip').end('plain')
  await expect(to(broken)).rejects.toThrow("doesn't match its Content-Encoding")
})

it('keeps no more than `maxBytes`, of compressed responses too', async () => {
  const large = Buffer.alloc(5_000_000, 'x')
  const plain = await to((_req, res) => void res.end(large), 'GET /', { maxBytes: 1000 })
  expect([plain.body.length, plain.truncated]).toEqual([1000, true])
  const bomb: Listener = (_req, res) => void res.setHeader('Content-Encoding', 'gzip').end(gzipSync(large))
  const inflated = await to(bomb, 'GET /', { maxBytes: 1000 })
  expect([inflated.body.length, inflated.truncated]).toEqual([1000, true])
  const exact = await to((_req, res) => void res.end(Buffer.alloc(1000)), 'GET /', { maxBytes: 1000 })
  expect(exact.truncated).toBe(false)
})

it('keeps the bytes that were written, even if the app reuses its buffer', async () => {
  const answer = await to((_req, res) => {
    const buffer = Buffer.alloc(1)
    let written = 0
    const write = (): void => {
      buffer.fill(97 + written++)
      if (written > 3) res.end()
      else res.write(buffer, write)
    }
    write()
  })
  expect(answer.text).toBe('abc')
})

it('reports the head and each piece as they arrive', async () => {
  const seen: unknown[] = []
  let goOn = (): void => {}
  const answered = to(
    (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      res.write('data: 1\n\n')
      goOn = () => void res.end('data: 2\n\n')
    },
    'GET /',
    {
      onHead: (status, headers) => seen.push(status, headers['content-type']),
      onChunk: (chunk) => {
        seen.push(Buffer.from(chunk).toString())
        goOn()
        goOn = () => {}
      },
    },
  )
  expect((await answered).text).toBe('data: 1\n\ndata: 2\n\n')
  expect(seen).toEqual([200, 'text/event-stream', 'data: 1\n\n', 'data: 2\n\n'])
})

it('applies backpressure, and emits drain', async () => {
  let drains = 0
  const answer = await to(async (_req, res) => {
    for (let index = 0; index < 50; index++) {
      if (res.write(Buffer.alloc(20_000))) continue
      expect(res.writableNeedDrain).toBe(true)
      await once(res, 'drain')
      expect(res.writableNeedDrain).toBe(false)
      drains++
    }
    res.end()
  })
  expect(answer.body.length).toBe(1_000_000)
  expect(drains).toBeGreaterThan(5)
})

it('ends a producer that never stops: timers run, and the pipeline fails', async () => {
  const leaving = new AbortController()
  let failure: unknown
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(16_384))
    },
  })
  const answered = to(
    (_req, res) =>
      void pipeline(endless, res, (error) => {
        failure = error
      }),
    'GET /',
    { signal: leaving.signal, maxBytes: 100 },
  )
  setTimeout(() => leaving.abort(new Error('too late')), 20)
  await expect(answered).rejects.toThrow('too late')
  await new Promise(setImmediate)
  expect(failure).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' })
})

it('pipes a complete file', async () => {
  const answer = await to(
    (_req, res) => void pipeline(Readable.from(['a', 'b'.repeat(100_000)]), res, () => {}),
  )
  expect(answer.text.length).toBe(100_001)
})

it('emits finish before close, on response and request, once the response is complete', async () => {
  const events: string[] = []
  await to(
    (req, res) => {
      for (const name of ['end', 'close', 'aborted'] as const) req.on(name, () => events.push(`req ${name}`))
      for (const name of ['finish', 'close'] as const) res.on(name, () => events.push(`res ${name}`))
      finished(res, (error) => events.push(`finished ${error ?? 'well'}`))
      res.end('x', () => events.push('written'))
    },
    'POST /',
    { body: 'never read' },
  )
  await new Promise(setImmediate)
  expect(events.filter((event) => event.startsWith('res'))).toEqual(['res finish', 'res close'])
  expect(events).toContain('written')
  expect(events).toContain('finished well')
  expect(events).toContain('req close')
  expect(events).not.toContain('req aborted')
})

it('ends a request without a body for all readers, and emits nothing otherwise', async () => {
  const readers: Record<string, (request: IncomingMessage) => Promise<unknown>> = {
    iterates: async (request) => (await Readable.from(request).toArray()).length,
    listens: async (request) => once(request.resume(), 'end'),
    'waits until it can be read': async (request) => {
      const ended = once(request, 'end')
      await once(request, 'readable')
      expect(request.read()).toBeNull()
      await ended
    },
    'asks for its end first': async (request) => {
      const ended = new Promise((resolve) => finished(request, resolve))
      request.resume()
      expect(await ended).toBeUndefined()
    },
  }
  for (const read of Object.values(readers)) {
    const { status } = await to(async (req, res) => {
      await read(req)
      expect([req.readableEnded, req.complete]).toEqual([true, true])
      res.writeHead(204).end()
    })
    expect(status).toBe(204)
  }
})

it('closes its socket once the response is complete', async () => {
  const closed = new EventEmitter()
  const heard = once(closed, 'socket')
  let seen: IncomingMessage['socket'] | undefined
  await to((req, res) => {
    seen = req.socket
    finished(req.socket, () => {})
    req.socket.once('close', () => closed.emit('socket'))
    res.end('done')
  })
  await heard
  expect(seen?.destroyed).toBe(true)
  expect(seen?.destroy()).toBe(seen)
})

it('does not start for a caller who has disconnected', async () => {
  let ran = false
  const answered = to(
    () => {
      ran = true
    },
    'GET /',
    { signal: AbortSignal.abort(new Error('gone')) },
  )
  await expect(answered).rejects.toThrow('gone')
  expect(ran).toBe(false)
})

it('notifies the handler when the caller disconnects', async () => {
  const leaving = new AbortController()
  const events: string[] = []
  const answered = to(
    (req, res) => {
      req.on('aborted', () => events.push('req aborted')).on('close', () => events.push('req close'))
      req.on('error', (error) => events.push(`req ${error.message}`))
      res.on('close', () => events.push(`res close ${res.writableFinished}`))
      req.socket.on('close', () => events.push('socket close'))
      setImmediate(() => leaving.abort(new Error('cancelled')))
    },
    'GET /',
    { signal: leaving.signal },
  )
  await expect(answered).rejects.toThrow('cancelled')
  await new Promise(setImmediate)
  expect(events.toSorted()).toEqual([
    'req aborted',
    'req aborted',
    'req close',
    'res close false',
    'socket close',
  ])
})

it('reads no signal if the caller passes `waiting`', async () => {
  const listeners = new Set<(reason: unknown) => void>()
  const request: InnerRequest = {
    method: 'GET',
    url: '/',
    headers: {},
    body: undefined,
    maxBytes: 100,
    get signal(): AbortSignal {
      throw new Error('a signal was made')
    },
    waiting: {
      assertOpen() {},
      onEnd(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  }
  const send = (listener: Listener) => createDispatch(listener)(request, undefined)
  const { status } = await send((_req, res) => void res.end('done'))
  expect(status).toBe(200)
  expect(listeners.size).toBe(0)
  const left = send(() => {
    for (const listener of listeners) listener(new Error('cancelled'))
  })
  await expect(left).rejects.toThrow('cancelled')
  expect(listeners.size).toBe(0)
})

it.each<[string, Listener]>([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
  [
    'rejects later',
    async () => {
      await new Promise(setImmediate)
      throw new Error('broken')
    },
  ],
])('ends with the error of a handler that %s', async (_, listener) => {
  await expect(to(listener)).rejects.toThrow('broken')
})

it.each<[string, Listener]>([
  ['req.destroy()', (req) => void req.destroy()],
  ['res.destroy()', (_req, res) => void res.destroy()],
  [
    'res.destroy() after the head',
    (_req, res) => {
      res.write('half')
      res.destroy()
    },
  ],
  ['socket.destroy()', (req) => void req.socket.destroy()],
  ['socket.end()', (req) => void req.socket.end()],
  ['socket.destroySoon()', (req) => void req.socket.destroySoon()],
  ['socket.resetAndDestroy()', (req) => void req.socket.resetAndDestroy()],
  [
    'socket.destroy(), and a response anyway',
    (req, res) => {
      req.socket.destroy()
      res.writeHead(200).end('too late')
    },
  ],
  [
    'socket.destroy(), and a head that nobody reads',
    (req, res) => {
      req.socket.destroy()
      res.writeHead(204).flushHeaders()
      res.end()
    },
  ],
  [
    'req.destroy(), and a response a moment later',
    (req, res) => {
      req.destroy()
      setImmediate(() => res.end('too late'))
    },
  ],
  [
    'res.destroy(), and an empty response',
    (_req, res) => {
      res.destroy()
      process.nextTick(() => res.end())
    },
  ],
  [
    'socket.destroy() after the head, and the rest of the response',
    (req, res) => {
      res.write('half')
      req.socket.destroy()
      res.end('too late')
    },
  ],
])('ends with an error after %s', async (_, listener) => {
  await expect(to(listener)).rejects.toThrow('the app closed the connection without a response')
})

it('lets an app respond to a caller who has disconnected', async () => {
  const controller = new AbortController()
  const ended = new EventEmitter()
  const isEnded = once(ended, 'end')
  const answer = to(
    (_req, res) => {
      controller.abort(new Error('gone'))
      setImmediate(() => {
        res.writeHead(204).flushHeaders()
        res.end(() => ended.emit('end'))
      })
    },
    'GET /',
    { signal: controller.signal },
  )
  await expect(answer).rejects.toThrow('gone')
  await isEnded
})

it('passes on the error that the app destroyed the socket with', async () => {
  await expect(to((req) => void req.socket.destroy(new Error('mine')))).rejects.toThrow('mine')
})

it('has the members of a socket that apps use', async () => {
  const socket = { remoteAddress: '10.1.2.3', remotePort: 4711, localPort: 80, encrypted: false }
  await to(
    (req, res) => {
      expect(req.socket).toBe(res.socket)
      expect(req.connection).toBe(req.socket)
      expect(req.socket).toMatchObject({
        remoteAddress: '10.1.2.3',
        remotePort: 4711,
        localPort: 80,
        readyState: 'open',
      })
      const { socket } = req
      expect(socket.setTimeout(5).setNoDelay().setKeepAlive().ref().unref()).toBe(socket)
      req.setTimeout(5)
      res.setTimeout(5)
      expect(socket.address()).toEqual({})
      expect((socket as { getPeerCertificate?: unknown }).getPeerCertificate).toBeUndefined()
      socket.cork()
      socket.uncork()
      res.end()
    },
    'GET /',
    { outer: outerWith(socket) },
  )
})

it("has an address without a socket: this machine's for a process, else the client's", async () => {
  const address: Listener = (req, res) => void res.end(String(req.socket.remoteAddress))
  expect((await to(address)).text).toBe('127.0.0.1')
  const outer = { method: 'POST', url: '/mcp', headers: {}, ip: '10.9.8.7', raw: new Request('http://a/') }
  expect((await to(address, 'GET /', { outer })).text).toBe('10.9.8.7')
})

it('exposes the certificate of the client that called', async () => {
  class TlsSocket {
    readonly encrypted = true
    readonly authorized = true
    readonly remoteAddress = '10.0.0.1'
    #subject = 'ann'
    getPeerCertificate() {
      return { subject: this.#subject }
    }
  }
  const answer = await to(
    (req, res) => {
      const socket = req.socket as unknown as TlsSocket
      res.end(JSON.stringify([socket.encrypted, socket.authorized, socket.getPeerCertificate()]))
    },
    'GET /',
    { outer: outerWith(new TlsSocket()) },
  )
  expect(answer.json).toEqual([true, true, { subject: 'ann' }])
})

it('shows a route that a model is calling, which nobody on the network can fake', async () => {
  const tells: Listener = (req, res) => {
    const forms = [req, { req }, { raw: req }].map(isToolCall)
    res.end(JSON.stringify([forms, toolCallOf(req)?.tool]))
  }
  expect((await to(tells)).json).toEqual([[true, true, true], 'tested'])
  const origin = await serve(tells)
  const headers = { 'mcp-router.tool-call': '{"tool":"x"}', 'Symbol(mcp-router.tool-call)': 'x' }
  const { 'Symbol(mcp-router.tool-call)': _, ...valid } = headers
  expect(await (await fetch(origin, { headers: valid })).json()).toEqual([[false, false, false], null])
  expect([undefined, null, 'x', new Request(origin)].map(isToolCall)).toEqual([false, false, false, false])
})

it('lets `prepare` set the user before the app sees the request, and fails with its error', async () => {
  const user: Listener = (req, res) => void res.end((req as { user?: string }).user)
  const prepare = async (req: unknown) => Object.assign(req as object, { user: 'ann' })
  expect((await to(user, 'GET /', { prepare })).text).toBe('ann')
  const failing = () => {
    throw new Error('no user')
  }
  await expect(to(user, 'GET /', { prepare: failing })).rejects.toThrow('no user')
})

it('fails with the error that `prepare` destroyed the request with, and the app never gets it', async () => {
  const ran: string[] = []
  const dispatch = createDispatch((_req, res) => void res.end(String(ran.push('app'))))
  const prepare = (req: unknown): void => void (req as IncomingMessage).socket.destroy(new Error('not today'))
  await expect(call(dispatch, 'GET /', { prepare })).rejects.toThrow('not today')
})

it('refuses calls from inside a route that runs as a tool, at any depth', async () => {
  const inner = createDispatch((_req, res) => void res.end('never'))
  const outer = createDispatch(async (_req, res) => {
    await new Promise(setImmediate)
    try {
      res.end((await call(inner, 'GET /')).text)
    } catch (error) {
      res.statusCode = 400
      res.end((error as Error).message)
    }
  })
  const answer = await call(outer, 'GET /')
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('the route behind the tool tested called a tool of its own app')
  expect((await call(inner, 'GET /')).text).toBe('never')
})

it("doesn't treat a later call as nested if something kept the context of an earlier one", async () => {
  let later = (): Promise<string> => Promise.reject(new Error('not made yet'))
  const dispatch: Dispatch = createDispatch((_req, res) => {
    // Like a pool that is created when it is first needed.
    later = AsyncResource.bind(async () => (await call(dispatch, 'GET /')).text)
    res.end('fine')
  })
  await call(dispatch, 'GET /')
  expect(await later()).toBe('fine')
})

it('has no address if the socket of the call can no longer be read', async () => {
  const gone = new Proxy(
    {},
    {
      get: () => {
        throw new Error('ERR_HTTP2_SOCKET_UNBOUND')
      },
    },
  )
  const outer = { ...outerWith(gone, '10.5.5.5') }
  const answer = await to(
    (req, res) => void res.end(`${req.socket.remoteAddress} ${req.socket.remotePort}`),
    'GET /',
    { outer },
  )
  expect(answer.text).toBe('10.5.5.5 undefined')
})

it('runs each of 200 callers in their own async context, and keeps none of their data', async () => {
  const caller = new AsyncLocalStorage<number>()
  const dispatch = createDispatch(async (req, res) => {
    await new Promise(setImmediate)
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => {
      parts.push(part)
    })
    req.on('end', () => {
      res.write(`${req.url} ${Buffer.concat(parts)} `)
      setImmediate(() => res.end(String(caller.getStore())))
    })
  })
  const ids = Array.from({ length: 200 }, (_, id) => id)
  const texts = await Promise.all(
    ids.map((id) =>
      caller.run(id, async () => (await call(dispatch, `POST /${id}`, { body: `b${id}` })).text),
    ),
  )
  expect(texts).toEqual(ids.map((id) => `/${id} b${id} ${id}`))
})
