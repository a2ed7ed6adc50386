/** Runs an existing `(req, res, next)` middleware around a call, with the request that carried it. */

import type { IncomingMessage } from 'node:http'
import { ServerResponse } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { type Call, checkOptions, oneOf, refuseWith, ToolError } from '../../src/adapter.js'

// biome-ignore lint/suspicious/noExplicitAny: any middleware, whatever parameters it was typed for
type AnyRequestHandler = RequestHandler<any, any, any, any, any>

export interface GuardOptions {
  /** Where no Express request carried the call: `refuse` it (default), or `skip` the middleware. */
  without?: 'refuse' | 'skip' | undefined
}

/**
 * An Express middleware as middleware of a router or a definition:
 * `router.use(guard(requireRole('admin')))`, `{ use: [guard(rateLimit({ limit: 5 }))] }`.
 *
 * It sees the real request and a stand-in response. When it passes on, the headers it set are dropped; when it
 * answers, its answer becomes the refusal of the call. For rules, not for logins: `ctx.user` was read before.
 */
export function guard(
  middleware: AnyRequestHandler,
  options: GuardOptions = {},
): (call: Call<object>, next: () => Promise<unknown>) => Promise<unknown> {
  if (typeof middleware !== 'function' || middleware.length > 3) {
    throw new TypeError('guard(): expected a middleware function (req, res, next)')
  }
  checkOptions('guard()', options, { known: { without: oneOf(['refuse', 'skip']) } })
  const { without = 'refuse' } = options
  return async (call, next) => {
    const req = call.ctx.request?.raw as Request | undefined
    if (req?.res === undefined) {
      if (without === 'skip') return next()
      throw new ToolError(
        'This is guarded by the middleware of an Express app and cannot be called from elsewhere',
      )
    }
    await pass(middleware, req, req.res as unknown as ServerResponse)
    return next()
  }
}

/** Resolves when the middleware passes on; throws its error, or its refusal. */
function pass(middleware: AnyRequestHandler, req: Request, real: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const response = standIn(req, real, (refusal) => reject(refuseWith(refusal)))
    const next = (error?: unknown): void => {
      if (error === undefined || error === null || error === 'route' || error === 'router') resolve()
      else reject(error)
    }
    Promise.resolve(middleware(req, response as never, next)).catch(reject)
  })
}

type Refusal = Parameters<typeof refuseWith>[0]

/** A response of the app's own kind that belongs to no socket and remembers what it was told. */
function standIn(
  req: IncomingMessage,
  real: ServerResponse,
  onRefusal: (refusal: Refusal) => void,
): ServerResponse {
  const response = new ServerResponse(req)
  Object.setPrototypeOf(response, Object.getPrototypeOf(real))
  const { locals, app } = real as { locals?: unknown; app?: unknown }
  Object.assign(response, { req, locals, app })
  const chunks: Buffer[] = []
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    response.statusCode = status
    setHeaders(response, rest.at(-1))
    return response
  }) as ServerResponse['writeHead']
  response.write = ((chunk: unknown) => {
    keep(chunk)
    return true
  }) as ServerResponse['write']
  response.end = ((chunk?: unknown) => {
    keep(chunk)
    const headers: Record<string, string | undefined> = {}
    for (const name of response.getHeaderNames()) headers[name] = String(response.getHeader(name))
    onRefusal({ status: response.statusCode, headers, body: Buffer.concat(chunks).toString() })
    response.emit('finish')
    response.emit('close')
    return response
  }) as ServerResponse['end']
  return response
}

/** Both forms of `writeHead`: an object, or names and values in turn. Anything else is the reason phrase. */
function setHeaders(response: ServerResponse, headers: unknown): void {
  const flat = Array.isArray(headers) ? headers.flat() : undefined
  const pairs =
    flat === undefined
      ? Object.entries(typeof headers === 'object' && headers !== null ? headers : {})
      : flat.flatMap((name, index) => (index % 2 === 0 ? [[String(name), flat[index + 1]] as const] : []))
  for (const [name, value] of pairs) if (value !== undefined) response.setHeader(name, value)
}
