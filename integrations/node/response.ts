/** Writes an `HttpResponse` to a Node response: headers of the host stay, slow readers are waited for. */

import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '../../src/adapter.js'

type Flushing = ServerResponse & { flush?: () => void }

/** Resolves when everything was handed to the socket, or the client is gone. Never rejects. */
export async function writeResponse(
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
): Promise<void> {
  if (response.headersSent || response.destroyed) return
  response.statusCode = status
  for (const name in headers) setHeader(response, name, headers[name] as string)
  if (body === undefined) {
    response.end()
  } else if (typeof body === 'string') {
    response.setHeader('Content-Length', Buffer.byteLength(body))
    response.end(body)
  } else {
    await writePieces(response, body)
  }
}

/** `Vary` is a list that earlier middleware may have begun. */
function setHeader(response: ServerResponse, name: string, value: string): void {
  const present = name === 'Vary' ? response.getHeader('Vary') : undefined
  response.setHeader(name, present === undefined ? value : `${String(present)}, ${value}`)
}

async function writePieces(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  response.flushHeaders()
  for await (const piece of pieces) {
    if (response.destroyed) break
    const flows = response.write(piece)
    // Compression middleware holds pieces back until it is told to let go.
    ;(response as Flushing).flush?.()
    if (!flows && !(await drained(response))) break
  }
  response.end()
}

/** False when the client left instead. */
function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const onDrain = (): void => settle(true)
    const onClose = (): void => settle(false)
    const settle = (flows: boolean): void => {
      response.off('drain', onDrain).off('close', onClose)
      resolve(flows)
    }
    response.on('drain', onDrain).on('close', onClose)
  })
}
