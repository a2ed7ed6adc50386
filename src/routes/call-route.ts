/**
 * The handler of a route's tool: turns arguments into one in-process request to the app, and its response into a
 * result.
 */

import { exchangeOf } from '../calls/create-context.js'
import type { BaseContext } from '../definitions/context.js'
import type { Handler } from '../definitions/entries.js'
import { ToolError } from '../errors/errors.js'
import type { MethodServices } from '../methods/services.js'
import type { Exchange } from '../request/exchange.js'
import { isThenable, whenReady } from '../support/maybe-promise.js'
import { type EncodedBody, encodeBody } from './request/encode-body.js'
import { isFile } from './request/file-arguments.js'
import { forwardedHeaders } from './request/forwarded-headers.js'
import type { RouteInput } from './request/input.js'
import type { PathValues } from './request/path-builder.js'
import { defaultMaxUploadBytes, readLinked } from './request/upload.js'
import { progressOf } from './response/event-stream.js'
import { bytesToRead, defaultMaxResultBytes, toToolResult } from './response/to-tool-result.js'
import { type InnerRequest, type InnerResponse, labelOf, type Route, type RouteSource } from './route.js'
import type { AnyRouteOptions } from './route-options.js'

type Headers = Readonly<Record<string, string>>

/** Everything a call needs that is known in advance. */
export interface RouteCall {
  readonly name: string
  readonly route: Route
  readonly input: RouteInput
  readonly toPath: (values: PathValues, headers: Headers) => string
  readonly source: RouteSource
  readonly options: AnyRouteOptions
  readonly onDrift: (difference: string) => void
  /** Called with each response. */
  readonly onResponse: (response: InnerResponse) => void
}

export function routeHandler(call: RouteCall): Handler {
  const { input, source, options, onDrift, onResponse } = call
  const { maxResultBytes = defaultMaxResultBytes } = options
  const { names, files } = argumentsOf(input)
  const withFiles = { ...call, files }
  return async (args, context) => {
    const ctx = context as BaseContext
    const pending = toRequest(withFiles, args as Readonly<Record<string, unknown>>, ctx)
    const request = isThenable(pending) ? await pending : pending
    const response = await source.dispatch(request, ctx.request)
    onResponse(response)
    return toToolResult(response, {
      request,
      maxResultBytes,
      output: input.output,
      onDrift,
      arguments: names,
    })
  }
}

interface RouteCallWithFiles extends RouteCall {
  readonly files: ReadonlySet<string>
}

/** Builds the request. Synchronous unless files have to be read first. */
function toRequest(
  call: RouteCallWithFiles,
  args: Readonly<Record<string, unknown>>,
  ctx: BaseContext,
): InnerRequest | Promise<InnerRequest> {
  const { input, toPath, options, files } = call
  const { params, query, headers: own, body } = input.split(args)
  const headers = headersOf(call, own, ctx)
  const path = toPath(params, headers)
  const url = query === '' ? path : `${path}?${query}`
  const { maxUploadBytes: maxBytes = defaultMaxUploadBytes } = options
  const exchange = exchangeOf<MethodServices>(ctx)
  const encoded = encodeBody(body, input.consumes, {
    maxBytes,
    files,
    readResource: (uri) => readLinked(exchange, uri),
  })
  return whenReady(encoded, (sent) => new RouteRequest(call, { url, headers, sent }, ctx))
}

/** Combines the forwarded headers, those from arguments, and those that the route requires. */
function headersOf({ route, options }: RouteCall, own: Headers, ctx: BaseContext): Record<string, string> {
  const { _meta: meta } = exchangeOf(ctx).params
  const headers = forwardedHeaders(ctx.request, { forwardHeaders: options.forwardHeaders, meta }, own)
  if (route.headers !== undefined) setRequiredHeaders(headers, route.headers)
  if (route.accepts?.(headers) === false) {
    throw new ToolError(`${labelOf(route)} does not accept requests with the host ${headers.host}`)
  }
  return headers
}

/** Sets the headers that the route requires. Apps that trust a proxy read the host from `x-forwarded-host`. */
function setRequiredHeaders(headers: Record<string, string>, required: Headers): void {
  Object.assign(headers, required)
  const { host } = required
  if (host !== undefined && headers['x-forwarded-host'] !== undefined) headers['x-forwarded-host'] = host
}

interface RequestContent {
  readonly url: string
  readonly headers: Record<string, string>
  readonly sent: EncodedBody | undefined
}

/**
 * An inner request. A class, so that the signal is created only on access and all requests have the same hidden class.
 */
class RouteRequest implements InnerRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: EncodedBody['body'] | undefined
  readonly waiting: InnerRequest['waiting']
  readonly maxBytes: number
  readonly tool: string
  readonly route: string
  readonly identity: unknown
  readonly prepare: InnerRequest['prepare']
  readonly onHead: InnerRequest['onHead']
  readonly onChunk: InnerRequest['onChunk']
  readonly #ctx: BaseContext

  constructor({ name, route, options }: RouteCall, { url, headers, sent }: RequestContent, ctx: BaseContext) {
    const { prepare, maxResultBytes = defaultMaxResultBytes } = options
    const exchange = exchangeOf(ctx)
    const progress = wantsProgress(exchange)
      ? progressOf((done, total, message) => ctx.progress(done, total, message))
      : undefined
    if (sent !== undefined) headers['content-type'] = sent.contentType
    this.method = route.method
    this.url = url
    this.headers = headers
    this.body = sent?.body
    this.waiting = exchange
    this.maxBytes = bytesToRead(maxResultBytes)
    this.tool = name
    this.route = route.template.text
    this.identity = route.identity
    this.prepare = prepare && ((request) => prepare(request, ctx))
    this.onHead = progress?.onHead
    this.onChunk = progress?.onChunk
    this.#ctx = ctx
  }

  get signal(): AbortSignal {
    return this.#ctx.signal
  }
}

/** Whether the client sent a progress token. */
function wantsProgress({ envelope }: Exchange): boolean {
  return envelope.progressToken !== undefined
}

/** Returns the names of the arguments in the input schema, and those that are files. */
function argumentsOf({ input }: RouteInput): {
  readonly names: readonly string[]
  readonly files: Set<string>
} {
  const { jsonSchema } = input['~standard'] as { jsonSchema?: { input(): { properties?: object } } }
  const properties = Object.entries(jsonSchema?.input().properties ?? {})
  return {
    names: properties.map(([name]) => name),
    files: new Set(properties.filter(([, schema]) => isFile(schema)).map(([name]) => name)),
  }
}
