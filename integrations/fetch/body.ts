/** The body of a web request: read within the limit, or taken from the host that has read it. */

import type { RequestBody } from '../../src/adapter.js'

/** How much of a body that is too large is read away, so that the client gets to read the answer. */
const mostDiscarded = 64 * 1024 * 1024

/** Bytes that are no UTF-8 become what JSON does not have. */
const utf8 = { ignoreBOM: true }

/** The unread body of a request. Never rejects. */
export async function readBody({ headers, body, bodyUsed }: Request, maxBytes: number): Promise<RequestBody> {
  if (bodyUsed || body?.locked) return { kind: 'gone' }
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity') return { kind: 'encoded', encoding }
  if (body === null) return { kind: 'text', text: '' }
  try {
    return await readStream(body.getReader(), maxBytes)
  } catch {
    return { kind: 'broken' }
  }
}

async function readStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<RequestBody> {
  const decoder = new TextDecoder('utf-8', utf8)
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return size > maxBytes ? { kind: 'tooLarge' } : { kind: 'text', text: text + decoder.decode() }
    size += value.length
    if (size <= maxBytes) text += decoder.decode(value, { stream: true })
    else text = ''
    if (size > mostDiscarded) {
      void reader.cancel().catch(() => {})
      return { kind: 'tooLarge' }
    }
  }
}

/** What the host made of the body; held to the limit as far as its size can be told. */
export function takeBody({ headers }: Request, body: unknown, maxBytes: number): RequestBody {
  if (typeof body === 'string') return sized(body, new TextEncoder().encode(body).length, maxBytes)
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body
  if (bytes instanceof Uint8Array)
    return sized(new TextDecoder('utf-8', utf8).decode(bytes), bytes.length, maxBytes)
  if (Number(headers.get('content-length')) > maxBytes) return { kind: 'tooLarge' }
  return { kind: 'parsed', value: body }
}

function sized(text: string, bytes: number, maxBytes: number): RequestBody {
  return bytes > maxBytes ? { kind: 'tooLarge' } : { kind: 'text', text }
}
