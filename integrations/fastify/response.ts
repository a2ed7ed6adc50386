/** Sends an `HttpResponse` through a reply, so that the app's headers and hooks apply to it. */

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
  // The body is already JSON text. A serializer that the app set on the reply would encode it again.
  reply.code(status).serializer(identity)
  for (const name in headers) setHeader(reply, name, headers[name] as string)
  if (!isPieces(body)) {
    reply.send(toPayload(body))
    return writtenWhole
  }
  const stream = new ReplyStream(body)
  reply.send(stream)
  return stream
}

function identity(payload: unknown): string {
  return payload as string
}

/** Sets a header. Appends to `Vary`, which hooks of the app may have set. */
export function setHeader(reply: FastifyReply, name: string, value: string): void {
  const present = name === 'Vary' ? reply.getHeader('Vary') : undefined
  reply.header(name, present === undefined ? value : appendToList(String(present), value))
}

function appendToList(present: string, value: string): string {
  const names = present.toLowerCase().split(/\s*,\s*/)
  return names.includes(value.toLowerCase()) ? present : `${present}, ${value}`
}

/** Temporary `Content-Encoding`: the hooks of plugins skip responses that are encoded already. */
const noTransform = 'no-transform'

/**
 * Keeps streams from being compressed. Compression would buffer pieces, and `@fastify/compress` ignores
 * `Cache-Control: no-transform`. It compresses in a hook of the route, so this hook must be the route's first.
 */
export const preventCompression: onSendHookHandler = (_request, reply, payload, done) => {
  if (payload instanceof Readable && !reply.hasHeader('Content-Encoding')) {
    reply.header('Content-Encoding', noTransform)
  }
  done(null, payload)
}

const finishStream: onSendHookHandler = (_request, reply, payload, done) => {
  if (reply.getHeader('Content-Encoding') === noTransform) reply.removeHeader('Content-Encoding')
  done(null, payload instanceof Readable ? ReplyStream.around(payload) : payload)
}

/**
 * Adds `finishStream` as a route's last hook. Registered in the plugin's scope, so it runs after inherited `onRoute`
 * hooks.
 */
export const addFinishStream: onRouteHookHandler = (route) => {
  route.onSend = [route.onSend ?? [], finishStream].flat()
}
