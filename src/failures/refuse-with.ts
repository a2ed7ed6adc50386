/** Turns the HTTP refusal of a framework's middleware into the refusal of a call. */

import { ErrorCode, McpError, ToolError } from '../errors.js'
import { isObject } from '../protocol/jsonrpc.js'

/** What a middleware answered instead of passing on. */
export interface HttpRefusal {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/**
 * The error to throw. Challenges, 401 and 403 with `WWW-Authenticate`, keep their HTTP status and header; everything
 * else is a failure that the model may read, with the seconds to wait where they are known.
 */
export function refuseWith({ status, headers, body }: HttpRefusal): Error {
  const challenge = headers['www-authenticate']
  const message = messageIn(body) ?? defaults[status] ?? `Refused with status ${status}`
  if (challenge !== undefined && (status === 401 || status === 403)) {
    const code = status === 401 ? ErrorCode.Unauthorized : ErrorCode.Forbidden
    return new McpError(
      code,
      message,
      undefined,
      { status, headers: { 'WWW-Authenticate': challenge } },
      true,
    )
  }
  const seconds = Number(headers['retry-after'])
  const told = /again|wait|retry/i.test(message) && message.includes(String(seconds))
  const wait =
    headers['retry-after'] !== undefined && seconds >= 0 && !told ? ` Try again in ${seconds} seconds.` : ''
  return new ToolError(`${message}${wait}`)
}

const defaults: Readonly<Record<number, string>> = {
  401: 'Sign in to use this',
  403: 'You may not do this',
  429: 'Too many requests.',
  503: 'Not available at the moment.',
}

/** The message of a JSON body, or a short text one; pages are not for the model. */
function messageIn(body: string): string | undefined {
  const text = body.trim()
  if (text === '' || text.startsWith('<')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'string') return parsed
    const { message, error, detail } = isObject(parsed) ? parsed : {}
    const nested = isObject(error) ? error.message : error
    return [message, nested, detail].find((part): part is string => typeof part === 'string')
  } catch {
    return text.length <= 300 ? text : undefined
  }
}
