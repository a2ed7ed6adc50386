/** What a route refused, or failed at, becomes the error of the tool call. */

import { NotFoundError, ToolError } from '../errors.js'
import { refuseWith } from '../failures/refuse-with.js'
import { type Problem, problemIn } from './answer-problem.js'
import { headerOf } from './answer-text.js'
import { secondsToWait } from './answer-wait.js'
import type { InnerRequest, InnerResponse } from './route.js'

type Line = Pick<InnerRequest, 'method' | 'url'>

/**
 * The error to throw for an answer of status 400 or more, or of no status that HTTP knows.
 *
 * 401 and 403 with a challenge keep their HTTP status; other 4xx are failures that the model reads, with the body's
 * message and fields; so is a 503 that says how long to wait, without its body. Everything else is a fault: its
 * message goes to the log, and to the client in development alone.
 */
export function refusalOf(response: InnerResponse, request: Line): Error {
  const { status } = response
  const seconds = status === 429 || status === 503 ? secondsToWait(response) : undefined
  if (status === 503 && seconds !== undefined) {
    return new ToolError(`503 Service Unavailable.${waitFor(seconds)}`)
  }
  const problem = problemIn(response)
  if (status < 400 || status >= 500) return faultOf(response, request, problem)
  const challenge = headerOf(response, 'www-authenticate')
  if (challenge !== undefined && (status === 401 || status === 403)) {
    const headers = { 'www-authenticate': challenge }
    const body = problem.message === undefined ? '' : JSON.stringify(problem.message)
    return refuseWith({ status, headers, body })
  }
  const said = describe(status, problem)
  const message = seconds === undefined ? said : `${said.replace(/\w$/, '$&.')}${waitFor(seconds)}`
  return status === 404 ? new NotFoundError(message) : new ToolError(message)
}

function faultOf({ status }: InnerResponse, { method, url }: Line, { message }: Problem): Error {
  const said = message === undefined || message === '' ? '' : `: ${message}`
  return new Error(`${method} ${url.split('?')[0]} answered ${status}${said}`)
}

/** `422 Unprocessable Content: The title is too long` and a line per field. */
function describe(status: number, { message, fields }: Problem): string {
  const phrase = phrases[status] ?? 'Refused'
  const says = message === undefined || message === '' || message === phrase ? '' : `: ${message}`
  return [`${status} ${phrase}${says}`, ...fields.map((field) => `- ${field}`)].join('\n')
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
