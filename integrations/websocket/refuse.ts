/** Writes an HTTP response to the socket of a refused upgrade. */

import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpResponse } from '../../src/adapter.js'

export function writeRefusal(socket: Duplex, { status, headers, body }: HttpResponse): void {
  const text = typeof body === 'string' ? body : ''
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(text) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
}
