/** Turns an HTTP refusal, of a guard's middleware or of a route, into the error of the call. */

import { type HttpMessage, headerOf } from './body-text.js'
import { ErrorCode, McpError, NotFoundError, ToolError } from './errors.js'
import { type Problem, problemIn } from './problem.js'

/** An HTTP response that takes the place of the call. */
export interface HttpRefusal {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string | Uint8Array
}

/**
 * The error to throw for a response that isn't a success, or that came in place of the call: a middleware may refuse with
 * a page or a redirect.
 *
 * 401 and 403 with a challenge keep their HTTP status. Other 4xx are failures that the model reads, with the body's
 * message and fields, and the seconds to wait; so is a 503 that says how long to wait, without its body. Everything else
 * is a fault: its message goes to the log, and to the client in development alone.
 * @param source How the log names what refused: `GET /tasks`.
 */
export function fromHttpRefusal(refusal: HttpRefusal, source = 'the middleware'): Error {
  const { status, headers } = refusal
  const seconds = status === 429 || status === 503 ? retryAfterSeconds(refusal) : undefined
  if (status === 503 && seconds !== undefined) {
    return new ToolError(`503 Service Unavailable.${waitFor(seconds)}`)
  }
  const problem = problemIn({ headers, body: bytesOf(refusal.body) })
  if (status >= 200 && status < 400) return new ToolError(problem.message || `Refused with status ${status}`)
  if (status < 400 || status >= 500) return faultOf(status, problem, source)
  const challenge = headerOf(refusal, 'www-authenticate')
  if (challenge !== undefined && (status === 401 || status === 403)) {
    const code = status === 401 ? ErrorCode.Unauthorized : ErrorCode.Forbidden
    const http = { status, headers: { 'WWW-Authenticate': challenge } }
    return new McpError(code, problem.message || defaults[status], undefined, http, true)
  }
  const said = describe(status, problem)
  const message = seconds === undefined ? said : `${said.replace(/\w$/, '$&.')}${waitFor(seconds)}`
  return status === 404 ? new NotFoundError(message) : new ToolError(message)
}

const encoder = new TextEncoder()

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? encoder.encode(body) : body
}

function faultOf(status: number, { message }: Problem, source: string): Error {
  const said = message === undefined || message === '' ? '' : `: ${message}`
  return new Error(`${source} answered ${status}${said}`)
}

const defaults = { 401: 'Sign in to use this', 403: 'You may not do this' } as const

/** `422 Unprocessable Content: The title is too long` and a line per field. */
function describe(status: number, { message, fields }: Problem): string {
  const phrase = phrases[status] ?? 'Refused'
  const says = message === undefined || isPhrase(message, status, phrase) ? '' : `: ${message}`
  return [`${status} ${phrase}${says}`, ...fields.map((field) => `- ${field}`)].join('\n')
}

/** Whether a message only repeats the status, as Express's do: `Not Found`, `404 Not Found`, `Not found.` */
function isPhrase(message: string, status: number, phrase: string): boolean {
  const said = message.trim().replace(/[.!]$/, '').toLowerCase()
  return (
    said === '' ||
    said === `${status}` ||
    [phrase, `${status} ${phrase}`, `${status}: ${phrase}`].some((one) => one.toLowerCase() === said)
  )
}

function waitFor(seconds: number): string {
  return ` Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a Teapot",
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
}

/** Larger numbers in a reset header are seconds since 1970 instead of seconds to wait. */
const epochBegins = 1_000_000_000

/** Returns the seconds to wait: whole, 0 or more. `undefined` if the response doesn't say. */
export function retryAfterSeconds(
  response: Pick<HttpMessage, 'headers'>,
  now: number = Date.now(),
): number | undefined {
  const retryAfter = headerOf(response, 'retry-after')
  if (retryAfter !== undefined) return ofNumber(retryAfter, now) ?? ofDate(retryAfter, now)
  // `limit=5, remaining=0, reset=30` of the older drafts, `"default";r=0;t=30` of the newer ones.
  const limit = headerOf(response, 'ratelimit')
  const inLimit = limit === undefined ? undefined : /(?:^|[;,\s])(?:reset|t)=(\d+)/i.exec(limit)?.[1]
  for (const value of [
    headerOf(response, 'ratelimit-reset'),
    inLimit,
    headerOf(response, 'x-ratelimit-reset'),
    headerOf(response, 'x-rate-limit-reset'),
  ]) {
    if (value !== undefined) return ofNumber(value, now) ?? ofDate(value, now)
  }
  return undefined
}

function ofNumber(text: string, now: number): number | undefined {
  if (!/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return undefined
  const number = Number(text)
  return Math.ceil(number >= epochBegins ? Math.max(0, number - now / 1_000) : number)
}

function ofDate(text: string, now: number): number | undefined {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1_000))
}
