/** Sends an `HttpResponse` through a reply, so that headers and hooks of the app apply to it. */

import { Readable } from 'node:stream'
import type { FastifyReply, onRouteHookHandler, onSendHookHandler } from 'fastify'
import { type HttpResponse, isPieces } from '../../src/adapter.js'
import { notWritten, toPayload, type Written, writtenWhole } from '../node/response.js'
import { ReplyStream } from './reply-stream.js'

export function sendResponse(reply: FastifyReply, { status, headers, body }: HttpResponse): Written {
  if (reply.sent || reply.raw.headersSent) {
    if (isPieces(body)) body.leave()
    return notWritten
  }
  // The body is JSON text already; a serializer that the app gave the reply would quote it.
  reply.code(status).serializer(asItIs)
  for (const name in headers) setHeader(reply, name, headers[name] as string)
  if (!isPieces(body)) {
    reply.send(toPayload(body))
    return writtenWhole
  }
  const stream = new ReplyStream(body)
  reply.send(stream)
  return stream
}

function asItIs(payload: unknown): string {
  return payload as string
}

/** `Vary` is a list that hooks of the app may have begun. */
export function setHeader(reply: FastifyReply, name: string, value: string): void {
  const present = name === 'Vary' ? reply.getHeader('Vary') : undefined
  reply.header(name, present === undefined ? value : joined(String(present), value))
}

function joined(present: string, value: string): string {
  const names = present.toLowerCase().split(/\s*,\s*/)
  return names.includes(value.toLowerCase()) ? present : `${present}, ${value}`
}

/** Stands in `Content-Encoding` while the hooks of plugins run, which leave alone what is encoded already. */
const noTransform = 'no-transform'

/**
 * Compression holds pieces back until it has enough of them, and `@fastify/compress` does not read
 * `Cache-Control: no-transform`. It is a hook of the route, so the first one takes streams out of its reach.
 */
export const beginStream: onSendHookHandler = (_request, reply, payload, done) => {
  if (payload instanceof Readable && !reply.hasHeader('Content-Encoding')) {
    reply.header('Content-Encoding', noTransform)
  }
  done(null, payload)
}

const endStream: onSendHookHandler = (_request, reply, payload, done) => {
  if (reply.getHeader('Content-Encoding') === noTransform) reply.removeHeader('Content-Encoding')
  done(null, payload instanceof Readable ? ReplyStream.around(payload) : payload)
}

/** Added in our own scope, where it runs after those of plugins that the scope has inherited. */
export const endStreamLast: onRouteHookHandler = (route) => {
  route.onSend = [route.onSend ?? [], endStream].flat()
}
