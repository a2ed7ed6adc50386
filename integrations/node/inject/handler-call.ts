/** Turns a tool call into a request for single handlers, and their response into the call's result. */

import { type Call, checkOptions, type Dispatch, type InnerRequest, oneOf } from '../../../src/adapter.js'
import {
  aCount,
  aFunction,
  arrayOf,
  aString,
  bytesToRead,
  type Check,
  checkForwardHeaders,
  defaultMaxResultBytes,
  exchangeOf,
  forwardedHeaders,
  progressOf,
  type ToolResult,
  toToolResult,
} from '../../../src/internal.js'

export type ToolContext = Call<object>['ctx']
/** A handler in the form that `router.tool({ handler })` takes. */
export type ToolHandler = (input: unknown, ctx: ToolContext) => Promise<ToolResult>

export interface HandlerOptions<Request> {
  /** Names of the arguments that are passed in `params`. */
  params?: readonly string[] | undefined
  /** Names of the arguments that are passed in `query`. All others form the body. */
  query?: readonly string[] | undefined
  /** Default: POST. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** Names of additional headers of the MCP request to pass on. */
  forwardHeaders?: readonly string[] | undefined
  /** Longer responses are truncated. Bytes; default: 1 MiB. */
  maxResultBytes?: number | undefined
  /** Runs before the handlers, to set properties of the request that they expect from other middleware. */
  prepare?: ((request: Request, ctx: ToolContext) => unknown) | undefined
}

const known: Readonly<Record<string, Check>> = {
  params: arrayOf(aString),
  query: arrayOf(aString),
  method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  forwardHeaders: arrayOf(aString),
  maxResultBytes: aCount,
  prepare: aFunction,
}

/** The parts of a request that the arguments are split into. */
export interface Parts {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** `undefined`: no body. */
  readonly body: unknown
}

/** Flattens nested lists of middleware, in order. @throws TypeError for an element that isn't a function. */
export function flatten<Handler>(owner: string, given: unknown): readonly Handler[] {
  const handlers = [given].flat(Number.POSITIVE_INFINITY)
  if (handlers.length === 0 || handlers.some((handler) => typeof handler !== 'function')) {
    throw new TypeError(`${owner}: expected a handler function, or an array of them`)
  }
  return handlers as Handler[]
}

/** Creates the tool handler. `prepare` sets the parts on the framework's own request. */
export function toToolHandler<Request>(
  owner: string,
  options: HandlerOptions<Request>,
  {
    dispatch,
    prepare,
  }: { dispatch: Dispatch; prepare(request: unknown, parts: Parts, ctx: ToolContext): unknown },
): ToolHandler {
  checkOptions(owner, options, { known })
  const { method = 'POST', maxResultBytes = defaultMaxResultBytes } = options
  const forwardHeaders = checkForwardHeaders(options.forwardHeaders ?? [])
  return async (input, ctx) => {
    const parts = split(input, options, method)
    const hasBody = parts.body !== undefined
    const { name = owner, _meta: meta } = paramsOf(ctx)
    const request: InnerRequest = {
      method,
      url: `/${searchOf(parts.query)}`,
      headers: {
        ...forwardedHeaders(ctx.request, { forwardHeaders, meta }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      body: hasBody ? JSON.stringify(parts.body) : undefined,
      signal: ctx.signal,
      maxBytes: bytesToRead(maxResultBytes),
      tool: name,
      prepare: (incoming) => prepare(incoming, parts, ctx),
      ...progressOf((done, total, message) => ctx.progress(done, total, message)),
    }
    const response = await dispatch(request, ctx.request)
    return toToolResult(response, { request, maxResultBytes, arguments: Object.keys(Object(input)) })
  }
}

/** Returns the params of the call. Empty if the handler was called directly, with a `ctx` of no call. */
function paramsOf(ctx: ToolContext): { name?: string; _meta?: Record<string, unknown> } {
  try {
    return exchangeOf(ctx).params as { name?: string; _meta?: Record<string, unknown> }
  } catch {
    return {}
  }
}

function split(input: unknown, { params = [], query = [] }: HandlerOptions<never>, method: string): Parts {
  const rest: Record<string, unknown> = { ...(input as object) }
  const take = (names: readonly string[]): Record<string, string | readonly string[]> => {
    const taken: Record<string, string | readonly string[]> = {}
    for (const name of names) {
      const value = Object.hasOwn(rest, name) ? rest[name] : undefined
      delete rest[name]
      if (value !== undefined) taken[name] = Array.isArray(value) ? value.map(textOf) : textOf(value)
    }
    return taken
  }
  const taken = take(params) as Record<string, string>
  if (method === 'GET') return { params: taken, query: take(Object.keys(rest)), body: undefined }
  return { params: taken, query: take(query), body: rest }
}

/** Converts an argument to text for the URL. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function searchOf(query: Parts['query']): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === 'string' ? [value] : value) search.append(name, one)
  }
  return search.size === 0 ? '' : `?${search}`
}
