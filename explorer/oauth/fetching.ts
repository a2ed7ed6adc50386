/** Fetches JSON from authorization servers, with error messages that explain what blocks the page. */

import { isObject } from '../../src/support/values.js'

export type Document = Readonly<Record<string, unknown>>

export interface JsonResponse {
  readonly ok: boolean
  readonly status: number
  /** Empty if the body isn't a JSON object. */
  readonly body: Document
}

/** Fetches a JSON object. @throws Error with a message for the user if the response can't be read */
export async function fetchJson(url: string, init: RequestInit = {}): Promise<JsonResponse> {
  const safeOptions = { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' } as const
  const headers = { Accept: 'application/json', ...init.headers }
  let response: Response
  try {
    response = await fetch(url, { ...init, ...safeOptions, headers })
  } catch {
    throw new Error(await explainFailure(url, init.method))
  }
  const body: unknown = await response.json().catch(() => undefined)
  return { ok: response.ok, status: response.status, body: isObject(body) ? body : {} }
}

/**
 * Explains why a request failed, which browsers don't say. If a `no-cors` request succeeds, the server is reachable, and
 * CORS is the reason.
 */
async function explainFailure(url: string, method = 'GET'): Promise<string> {
  const { host } = new URL(url)
  const isReachable = await fetch(url, { mode: 'no-cors', credentials: 'omit' }).then(
    () => true,
    () => false,
  )
  if (!isReachable) return `${host} does not respond (${method} ${url}).`
  return (
    `${host} does not allow pages of ${location.origin} to read its responses: ` +
    `${method} ${url} redirects, or its response lacks the CORS header Access-Control-Allow-Origin. ` +
    'Its operator can allow this origin. Until then, get a token elsewhere and paste it here.'
  )
}

/** Returns an OAuth error in one line. The text comes from the server. */
export function errorText({ error, error_description: why }: Document, fallback: string): string {
  const parts = [error, why].filter((part) => typeof part === 'string' && part !== '')
  return parts.length === 0 ? fallback : parts.join(': ')
}
