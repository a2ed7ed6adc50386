/** Sends calls of a document's tools to another server with `fetch`. */

import type { Dispatch, InnerResponse } from '../../src/adapter.js'
import { loopHeader, loopHeaderInside } from '../node/inject/loop-header.js'
import { nestedCallError } from '../node/inject/nesting.js'

/** Holds the headers of a request, to which the option `headers` adds its own. */
export interface HeaderCarrier {
  readonly headers: Headers
}

/**
 * Headers that aren't sent. Data about the caller goes to the other server only through the option `headers`.
 * Hop-by-hop headers and those with our own address have no meaning there.
 */
const headersNotSent =
  /^(?:authorization|cookie|host|connection|forwarded|x-forwarded-.*|x-real-ip|proxy-.*|baggage)$/

/** Creates a dispatch that sends all requests below `baseUrl`. Redirects are returned as responses, not followed. */
export function remoteDispatch(baseUrl: URL): Dispatch {
  const base = baseUrl.pathname.replace(/\/+$/, '')
  return async (request, outer) => {
    const nested = nestedCallError(outer?.headers)
    if (nested !== undefined) throw nested
    const url = new URL(`${baseUrl.origin}${base}${request.url}`)
    if (url.origin !== baseUrl.origin || !url.pathname.startsWith(`${base}/`)) {
      throw new Error(`${request.method} ${request.url} would leave ${baseUrl.origin}${base}`)
    }
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (!headersNotSent.test(name)) headers.set(name, value)
    await request.prepare?.({ headers } satisfies HeaderCarrier)
    headers.set(loopHeader, loopHeaderInside(outer?.headers))
    const response = await fetch(url, {
      method: request.method,
      headers,
      redirect: 'manual',
      signal: request.signal,
      ...(request.body !== undefined && { body: request.body as NonNullable<RequestInit['body']> }),
    })
    const received = headersOf(response)
    request.onHead?.(response.status, received)
    return { status: response.status, headers: received, ...(await readBody(response, request)) }
  }
}

/**
 * Headers to drop: `fetch` has decoded the body, and a challenge is meant for us: it must not start a login in the
 * client.
 */
const droppedHeaders: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'www-authenticate',
])

function headersOf(response: Response): InnerResponse['headers'] {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !droppedHeaders.has(name)))
  const cookies = response.headers.getSetCookie()
  return cookies.length > 0 ? { ...headers, 'set-cookie': cookies } : headers
}

type Request = Parameters<Dispatch>[0]

/** Reads a body up to `maxBytes`. */
async function readBody(
  response: Response,
  { maxBytes, onChunk }: Request,
): Promise<Pick<InnerResponse, 'body' | 'truncated'>> {
  const kept: Uint8Array[] = []
  let room = maxBytes
  let truncated = false
  for await (const chunk of response.body ?? []) {
    const part = chunk.subarray(0, room)
    onChunk?.(part)
    kept.push(part)
    room -= part.byteLength
    if (part.byteLength === chunk.byteLength) continue
    truncated = true
    // Leaving the loop closes the connection, because the body may be endless.
    break
  }
  return { body: new Uint8Array(Buffer.concat(kept)), truncated }
}
