/** A response without a socket that captures its status, headers and body: for middleware that runs around a call. */

import type { IncomingMessage } from 'node:http'
import { ServerResponse } from 'node:http'

/** The response of a middleware. */
export interface CapturedResponse {
  readonly status: number
  /** Lower-case names. Multiple values are joined with ",". */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export interface CaptureOptions {
  /** The prototype of the app's responses. Default: that of Node's own responses. */
  readonly prototype?: object | undefined
  /** Called once, as soon as the response has ended. */
  readonly onEnd: (captured: CapturedResponse) => void
}

/**
 * Creates a response with the app's prototype. Nothing written to it reaches the client, and `request` is unchanged.
 */
export function captureResponse(
  request: IncomingMessage,
  { prototype, onEnd }: CaptureOptions,
): ServerResponse {
  const response = new ServerResponse(request)
  if (prototype !== undefined) Object.setPrototypeOf(response, prototype)
  const chunks: Buffer[] = []
  const state = { sent: false, ended: false }
  const collect = (args: readonly unknown[]): void => {
    const [chunk, encoding] = args
    state.sent = true
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encodingOf(encoding)))
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const overrides = {
    writeHead(status: number, ...rest: unknown[]) {
      response.statusCode = status
      setHeaders(response, rest.at(-1))
      state.sent = true
      return response
    },
    flushHeaders() {
      state.sent = true
    },
    write(...args: unknown[]) {
      collect(args)
      callBack(args)
      return true
    },
    end(...args: unknown[]) {
      if (state.ended) return response
      collect(args)
      state.ended = true
      onEnd({
        status: response.statusCode,
        headers: headersOf(response),
        body: Buffer.concat(chunks).toString(),
      })
      callBack(args)
      response.emit('finish')
      response.emit('close')
      return response
    },
  }
  Object.assign(response, overrides)
  return Object.defineProperties(response, {
    headersSent: { get: () => state.sent, configurable: true },
    writableEnded: { get: () => state.ended, configurable: true },
    writableFinished: { get: () => state.ended, configurable: true },
  })
}

function encodingOf(value: unknown): BufferEncoding {
  return typeof value === 'string' && Buffer.isEncoding(value) ? value : 'utf8'
}

/** Calls the callback that `write` and `end` take as their last argument, in any of their overloads. */
function callBack(args: readonly unknown[]): void {
  const last = args.at(-1)
  if (typeof last === 'function') process.nextTick(last as () => void)
}

function headersOf(response: ServerResponse): Record<string, string> {
  return Object.fromEntries(
    response.getHeaderNames().map((name) => [name, String(response.getHeader(name))] as const),
  )
}

/**
 * Sets headers from either form of `writeHead`: an object, or alternating names and values. Ignores a reason phrase.
 */
function setHeaders(response: ServerResponse, headers: unknown): void {
  const flat = Array.isArray(headers) ? headers.flat() : undefined
  const pairs =
    flat === undefined
      ? Object.entries(typeof headers === 'object' && headers !== null ? headers : {})
      : flat.flatMap((name, index) => (index % 2 === 0 ? [[String(name), flat[index + 1]] as const] : []))
  for (const [name, value] of pairs) if (value !== undefined) response.setHeader(name, value)
}
