/** Answers of routes as tests write them, and what becomes of them. */

import { type ToolResultOptions, toToolResult } from '../../../src/routes/response/to-tool-result.js'
import type { InnerHeaders, InnerResponse } from '../../../src/routes/route.js'

export const json = 'application/json; charset=utf-8'

/** An answer with this body: text and bytes as they are, everything else as JSON. */
export function answer(
  status: number,
  body: unknown = '',
  type: string | undefined = typeof body === 'object' && !(body instanceof Uint8Array) ? json : undefined,
  headers: InnerHeaders = {},
): InnerResponse {
  const bytes =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return {
    status,
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
    body: new Uint8Array(bytes),
    truncated: false,
  }
}

export function shown(
  response: InnerResponse,
  options: Partial<ToolResultOptions> = {},
): ReturnType<typeof toToolResult> {
  return toToolResult(response, {
    request: { method: 'GET', url: '/tasks?x=1' },
    maxResultBytes: 1024,
    ...options,
  })
}

/** What the model or client reads of a refusal. */
export function refused(response: InnerResponse): Error {
  try {
    shown(response)
  } catch (error) {
    return error as Error
  }
  throw new Error('expected a refusal')
}
