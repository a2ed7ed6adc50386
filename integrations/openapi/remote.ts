/** Sends the calls of a document's tools to another server, by `fetch`. */

import type { Dispatch, InnerResponse } from '../../src/adapter.js'
import { loopHeader, loopHeaderInside } from '../node/inject/loop-header.js'
import { nestedCallError } from '../node/inject/nesting.js'

/** Takes what `headers(ctx)` of the options says, on its way into the request. */
export interface HeaderCarrier {
  readonly headers: Headers
}

/**
 * Who called us is nobody's business over there: what is to be known of them `headers(ctx)` says. Nor do hop-by-hop
 * headers, or our own address, mean anything there.
 */
const ours = /^(?:authorization|cookie|host|connection|forwarded|x-forwarded-.*|x-real-ip|proxy-.*|baggage)$/

/** All requests go to the origin of `baseUrl`, and below its path. Redirects are answers: none is followed. */
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
      if (!ours.test(name)) headers.set(name, value)
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

/** `fetch` has decoded the body already, and a challenge over there is for us: it must not start a login of our client. */
const dropped: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'www-authenticate'])

function headersOf(response: Response): InnerResponse['headers'] {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !dropped.has(name)))
  const cookies = response.headers.getSetCookie()
  return cookies.length > 0 ? { ...headers, 'set-cookie': cookies } : headers
}

type Request = Parameters<Dispatch>[0]

/** Reads no more than `maxBytes` of a body. */
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
    // Leaving the loop closes the connection: an answer may have no end.
    break
  }
  return { body: new Uint8Array(Buffer.concat(kept)), truncated }
}
