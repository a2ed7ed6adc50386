/** Helpers for responses of routes and their results. */

import { type ToolResultOptions, toToolResult } from '../../../src/routes/response/to-tool-result.js'
import type { InnerHeaders, InnerResponse } from '../../../src/routes/route.js'

export const json = 'application/json; charset=utf-8'

/** Creates a response with this body: text and bytes as they are, everything else as JSON. */
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

/** Returns the error that the model or client gets for a refusal. */
export function refused(response: InnerResponse): Error {
  try {
    shown(response)
  } catch (error) {
    return error as Error
  }
  throw new Error('expected a refusal')
}
