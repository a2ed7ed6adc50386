/** HTTP/2 requests and responses as every framework's mount uses them, if their stream ends early. */

import http2, { type ClientHttp2Stream, constants } from 'node:http2'
import type { HttpResponse } from 'mcp-router/adapter'
import { expect, it, onTestFinished } from 'vitest'
import { NodeRequest } from '../../../integrations/node/request.js'
import { EventStream } from '../../../src/transports/http/sse.js'
import { latch } from '../../contract/fixtures.js'
import { listening } from './host.js'

/** A request that came over HTTP/2, and the stream of its client. */
async function received(send: (stream: ClientHttp2Stream) => void) {
  const arrived = latch<NodeRequest>()
  const closed = latch()
  const server = http2.createServer((req, res) => {
    res.once('close', closed.open)
    const host = { url: req.url, host: req.authority, trustsProxy: false, ip: () => undefined }
    arrived.open(new NodeRequest(req as never, res as never, 'main', host))
  })
  const { origin } = await listening(server)
  const session = http2.connect(origin.replace('https:', 'http:')).on('error', () => {})
  onTestFinished(() => session.destroy())
  const stream = session.request({ ':method': 'POST', ':path': '/mcp' })
  send(stream.on('error', () => {}))
  const request = await arrived.opened
  const answered = latch<boolean>()
  request.onClose(answered.open)
  return { request, stream, answered, closed, leave: () => stream.close(constants.NGHTTP2_CANCEL) }
}

const answer = (body: HttpResponse['body']): HttpResponse => ({ status: 200, headers: {}, body })

it('reports that a response was read', async () => {
  const { request, stream, answered } = await received((sent) => sent.end('{}'))
  expect(await request.readBody(100)).toEqual({ kind: 'text', text: '{}' })
  stream.resume()
  request.respond(answer('x'))
  expect(await answered.opened).toBe(true)
})

it('reports that a response was written, but cancelled before all of it was read', async () => {
  const { request, answered, leave } = await received((sent) => sent.end('{}'))
  request.respond(answer('x'.repeat(1_000_000)))
  leave()
  expect(await answered.opened).toBe(false)
})

it('ends a stream whose client disconnected between two pieces', async () => {
  const { request, stream, answered, closed, leave } = await received((sent) => sent.end('{}'))
  const ended = latch()
  const pieces = new EventStream(ended.open)
  stream.resume()
  request.respond(answer(pieces))
  pieces.notify('"first"')
  leave()
  await closed.opened
  pieces.notify('"second"')
  pieces.notify('"third"')
  await ended.opened
  expect(await answered.opened).toBe(false)
})

it('treats the body of a cancelled stream as broken, even if it looks complete', async () => {
  const { request, closed, leave } = await received((sent) => sent.write('{}'))
  leave()
  await closed.opened
  expect(await request.readBody(100)).toEqual({ kind: 'broken' })
})

it('knows at once that a client disconnected earlier', async () => {
  const { request, closed, leave } = await received((sent) => sent.end('{}'))
  leave()
  await closed.opened
  const late = latch<boolean>()
  request.onClose(late.open)
  expect(await late.opened).toBe(false)
  request.respond(answer('x'))
})
