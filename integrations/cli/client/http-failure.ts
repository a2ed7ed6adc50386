/** An HTTP answer that is no answer of the protocol. */

import { isObject } from '../../../src/internal.js'

export class HttpFailure extends Error {
  override readonly name: string = 'HttpFailure'
  readonly status: number

  constructor(url: string, { status, statusText, headers }: Response, text: string) {
    const says = messageOf(text)
    const hint = hintFor(status, headers)
    super(`${url} answers ${status} ${statusText}${says && `: ${says}`}${hint && `; ${hint}`}`)
    this.status = status
  }

  /** It is about who asks, not about what. */
  get isRefusal(): boolean {
    return [401, 403, 407, 429].includes(this.status)
  }
}

function hintFor(status: number, headers: Headers): string {
  if (status === 401) return 'give a --token, or what it asks for in a --header'
  if (status >= 300 && status < 400) return `it has moved to ${headers.get('location')}: use that URL`
  return status === 404 ? 'is the path right? The endpoint is usually at /mcp' : ''
}

/** Characters of a message that are shown. */
const longest = 2_000

/** What the body says in one line, if it is one for people. */
function messageOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    const { error, message } = isObject(body) ? body : {}
    const said = isObject(error) ? error.message : (message ?? error)
    if (typeof said === 'string') return said.slice(0, longest)
  } catch {
    // Not JSON.
  }
  return /^\s*</.test(text) ? '' : (text.trim().split('\n')[0] ?? '').slice(0, 200)
}
