/** The handler of a tool made of a route: arguments in, one request through the whole app, its answer out. */

import { exchangeOf } from '../call.js'
import type { BaseContext } from '../context.js'
import type { Handler } from '../definitions/entries.js'
import { isObject } from '../protocol/jsonrpc.js'
import { bytesToRead, defaultMaxResultBytes, toAnswer } from './answer.js'
import { progressOf } from './events.js'
import { encodeBody } from './form.js'
import { forwardedHeaders } from './forward.js'
import type { RouteInput } from './input.js'
import type { PathValues } from './path-builder.js'
import { readLinked } from './read-linked.js'
import type { InnerRequest, InnerResponse, Route, RouteSource } from './route.js'
import type { AnyRouteOptions } from './route-options.js'
import { defaultMaxUploadBytes } from './upload.js'

/** Everything that is known before the first call. */
export interface RouteCall {
  readonly name: string
  readonly route: Route
  readonly input: RouteInput
  readonly toPath: (values: PathValues) => string
  readonly source: RouteSource
  readonly options: AnyRouteOptions
  readonly onDrift: (difference: string) => void
  /** Sees each answer. */
  readonly watch: (response: InnerResponse) => void
}

export function routeHandler(call: RouteCall): Handler {
  const { input, source, options, onDrift, watch } = call
  const { maxResultBytes = defaultMaxResultBytes } = options
  const { names, files } = argumentsOf(input)
  return async (args, context) => {
    const ctx = context as BaseContext
    const given = args as Readonly<Record<string, unknown>>
    const request = await toRequest({ ...call, files }, given, ctx)
    const response = await source.dispatch(request, ctx.request)
    watch(response)
    return toAnswer(response, {
      request,
      maxResultBytes,
      output: input.output,
      onDrift,
      arguments: names,
    })
  }
}

async function toRequest(
  { name, route, input, toPath, options, files }: RouteCall & { readonly files: ReadonlySet<string> },
  args: Readonly<Record<string, unknown>>,
  ctx: BaseContext,
): Promise<InnerRequest> {
  const { params, query, headers, body } = input.split(args)
  const path = toPath(params)
  const { prepare, forwardHeaders, maxResultBytes = defaultMaxResultBytes } = options
  const { maxUploadBytes: maxBytes = defaultMaxUploadBytes } = options
  const exchange = exchangeOf(ctx)
  const encoded = await encodeBody(body, input.consumes, {
    maxBytes,
    files,
    readResource: (uri) => readLinked(exchange, uri),
  })
  return {
    method: route.method,
    url: query === '' ? path : `${path}?${query}`,
    headers: {
      ...headers,
      ...forwardedHeaders(ctx.request, { forwardHeaders, meta: exchange.params._meta }),
      ...route.headers,
      ...(encoded !== undefined && { 'content-type': encoded.contentType }),
    },
    body: encoded?.body,
    signal: ctx.signal,
    maxBytes: bytesToRead(maxResultBytes),
    tool: name,
    route: route.template.text,
    prepare: prepare && ((request) => prepare(request, ctx)),
    ...progressOf((done, total, message) => ctx.progress(done, total, message)),
  }
}

/** What the input schema calls its arguments, and which of them are files. */
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

/** Alone, or in a list. */
function isFile(schema: unknown): boolean {
  if (!isObject(schema)) return false
  return schema.format === 'binary' || schema.contentEncoding === 'base64' || isFile(schema.items)
}
