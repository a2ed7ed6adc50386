/** The error for an HTTP response that isn't an MCP response. */

import { isObject } from '../../../src/internal.js'

export class HttpFailure extends Error {
  override readonly name: string = 'HttpFailure'
  readonly status: number

  constructor(url: string, { status, statusText, headers }: Response, text: string) {
    const message = messageOf(text)
    const hint = hintFor(status, headers)
    super(`${url} responded with ${status} ${statusText}${message && `: ${message}`}${hint && `; ${hint}`}`)
    this.status = status
  }

  /** Whether the server refused the caller, rather than this particular request. */
  get isRefusal(): boolean {
    return [401, 403, 407, 429].includes(this.status)
  }
}

function hintFor(status: number, headers: Headers): string {
  if (status === 401) return 'pass a --token, or the credentials that it expects in a --header'
  if (status >= 300 && status < 400) return `it has moved to ${headers.get('location')}: use that URL`
  return status === 404 ? 'is the path right? The endpoint is usually at /mcp' : ''
}

/** The longest message that is shown. Characters. */
const maxMessageLength = 2_000

/** Returns the message in the body, or nothing for HTML. */
function messageOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    const { error, message } = isObject(body) ? body : {}
    const found = isObject(error) ? error.message : (message ?? error)
    if (typeof found === 'string') return found.slice(0, maxMessageLength)
  } catch {
    // The body isn't JSON.
  }
  return /^\s*</.test(text) ? '' : (text.trim().split('\n')[0] ?? '').slice(0, 200)
}
