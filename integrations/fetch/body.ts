/** Reads the body of a web request up to a limit, or takes it from a host that has read it already. */

import type { RequestBody } from '../../src/adapter.js'

/** Limit on the bytes of a too large body that are read and discarded so that the client can read the response. */
const maxDiscardedBytes = 64 * 1024 * 1024

/**
 * Decoder options. Invalid UTF-8 becomes U+FFFD, and a byte order mark is kept: JSON allows neither outside of
 * strings.
 */
const utf8 = { ignoreBOM: true }

/** Reads the body of a request. Never rejects. */
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
    if (size > maxDiscardedBytes) {
      void reader.cancel().catch(() => {})
      return { kind: 'tooLarge' }
    }
  }
}

/**
 * Converts a body that the host has read: text, bytes or a parsed value. Checks the limit as far as the size is
 * known.
 */
export function takeBody({ headers }: Request, body: unknown, maxBytes: number): RequestBody {
  if (typeof body === 'string') return textBody(body, new TextEncoder().encode(body).length, maxBytes)
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body
  if (bytes instanceof Uint8Array)
    return textBody(new TextDecoder('utf-8', utf8).decode(bytes), bytes.length, maxBytes)
  if (Number(headers.get('content-length')) > maxBytes) return { kind: 'tooLarge' }
  return { kind: 'parsed', value: body }
}

function textBody(text: string, bytes: number, maxBytes: number): RequestBody {
  return bytes > maxBytes ? { kind: 'tooLarge' } : { kind: 'text', text }
}
