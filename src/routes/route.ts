/**
 * The data that discovery, schemas, dispatch and route tools exchange: routes, and in-process requests and responses.
 */

import type { Register, RequestInfo } from '../definitions/context.js'
import type { CommonOptions, ToolAnnotations } from '../definitions/options.js'
import { labelText } from '../definitions/route-report.js'
import type { JsonSchema, Schema } from '../schema/types.js'
import type { Template } from './discovery/path-template.js'
import type { ParameterStyles, QueryParser } from './request/parameter-styles.js'
import type { ShadowedBy } from './request/shadowed-by.js'
import type { Follow } from './schema/refs.js'

/** One method of an existing route, as discovered in its framework. */
export interface Route {
  readonly framework: 'express' | 'fastify' | 'koa' | 'openapi'
  /** Upper case. */
  readonly method: string
  /** The full path below the app's root, including prefixes. */
  readonly template: Template
  /** The middleware in front of the handler, outermost first, including that of parent routers. */
  readonly guards: readonly RouteGuard[]
  /** Why the middleware is unknown; `guards` is empty then. */
  readonly guardsUnread?: string | undefined
  /** The name of the handler function; empty if it has none. */
  readonly handlerName: string
  /** The options of `asTool()`, or of `config.mcp` in Fastify. */
  readonly marker: RouteMarker | undefined
  /** The options of `asTool()` in front of a router or in `use`. They don't mark the route, but may hide it. */
  readonly markersInFront?: readonly RouteMarker[] | undefined
  /** Schemas from the framework or from a validator on the route. */
  readonly schema: RouteSchema | undefined
  /** The app's query string parser. Default: `simple`. */
  readonly queryParser?: QueryParser | undefined
  /**
   * Further conditions that a request must meet, in readable form: `{ version: '1.2.0' }` (Fastify's constraints, the
   * host of a Koa router). They distinguish routes with the same path.
   */
  readonly constraints?: Readonly<Record<string, string>> | undefined
  /** Headers that satisfy the constraints. They override the caller's. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether the route accepts a request with these headers, if `headers` can't guarantee it. Default: it does. */
  readonly accepts?: ((headers: Readonly<Record<string, string>>) => boolean) | undefined
  /** The framework's own object for this route. Passed with each call, to detect where the request ended up. */
  readonly identity?: unknown
  /**
   * Whether requests never get past this route, because one of its handlers takes no `next`. In frameworks that match
   * in order (Express, Koa), a route for every method or a catch-all counts as middleware unless it ends.
   */
  readonly ends?: boolean | undefined
  /** The route's own handlers, if requests can get past it. */
  readonly passes?: readonly RouteGuard[] | undefined
  /**
   * Returns the route that its router matches instead for this path, if order alone doesn't decide (Koa's `exclusive`).
   */
  readonly shadowedBy?: ((path: string) => string | undefined) | undefined
  /**
   * Returns the app's route that would match this path instead. Set for operations of a document that call through an
   * app.
   */
  readonly siblings?: ShadowedBy | undefined
  /** Why it can't become a tool in any case: "catch-all", "hidden", "our own endpoint", … */
  readonly obstacle?: string | undefined
}

/** A middleware in front of a route. */
export interface RouteGuard {
  /** The name of its function; empty if it is anonymous. */
  readonly name: string
  readonly handle: unknown
  /** Whether it was declared with this route rather than for several routes. Default: unknown. */
  readonly own?: boolean | undefined
}

/** A part of the app that could not be read, with the reason and what to do. */
export interface Unread {
  readonly path: string
  readonly reason: string
  /** Whether an option names it; if so, it is reported even without selected routes. */
  readonly named?: boolean | undefined
}

/**
 * A route whose path only the app's own matcher understands: a regular expression, or a router mounted at one. It can't
 * become a tool. In a framework that matches in order it may match before other routes.
 */
export interface PatternRoute {
  /** The number of discovered routes that precede it. */
  readonly at: number
  /** Returns the label of the handler in it that would get this request, or `undefined`. */
  shadowing(method: string, path: string): string | undefined
  /** Its handlers, if requests can get past it. `fits`: whether a request passes through them. */
  readonly passes?: { readonly guards: readonly RouteGuard[]; fits(method: string, path: string): boolean }
  /** As in `Route`. */
  readonly accepts?: Route['accepts']
}

/** The result of discovery: the app's routes and its unreadable parts. */
export interface Discovered {
  readonly routes: readonly Route[]
  readonly unread: readonly Unread[]
  /** Default: no patterns. */
  readonly patterns?: readonly PatternRoute[] | undefined
  /** Why the app may have routes that are missing here, hidden ones among them. `undefined`: all of them are here. */
  readonly incomplete?: string | undefined
}

/** Schemas for the parts of a request from one source. Each is a schema of any library, or JSON Schema. */
export interface DescribedParts {
  readonly params?: Schema | undefined
  readonly query?: Schema | undefined
  readonly body?: Schema | undefined
  /** Request headers. Those that the marker names become arguments. */
  readonly headers?: Schema | undefined
  /** Resolves references in the schemas. Default: within each schema. */
  readonly follow?: Follow | undefined
  /** Whether the source describes only some values and lets all others through (express-validator). */
  readonly partial?: boolean | undefined
}

/** Schemas for the parts of a request and its response. */
export interface RouteSchema extends DescribedParts {
  /**
   * Weaker sources, strongest first. They describe the arguments that this source doesn't, and add missing
   * descriptions.
   */
  readonly fallbacks?: readonly DescribedParts[] | undefined
  /** The body of a response with status 2xx. */
  readonly response?: Schema | undefined
  /** False if a request without a body is valid. Default: true if there is a `body`. */
  readonly bodyRequired?: boolean | undefined
  /** False if the route is known not to take a body. Default: unknown if there is no `body`. */
  readonly takesBody?: boolean | undefined
  /** The media type of the request body. Default: `application/json`. */
  readonly consumes?: string | undefined
  /** Serialization styles of single parameters, by part and name, if a document specifies them. */
  readonly styles?: ParameterStyles | undefined
  /** Parameters with credentials. They never become arguments. */
  readonly secrets?: readonly { readonly part: 'query' | 'header'; readonly name: string }[] | undefined
  readonly operationId?: string | undefined
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly deprecated?: boolean | undefined
  /** Never becomes a tool. */
  readonly hidden?: boolean | undefined
  /** Parts that could not be read, with reasons. */
  readonly notes?: readonly string[] | undefined
  /** The origin of the schemas: "fastify", "express-validator", "celebrate", "openapi", … */
  readonly source: string
}

/** A schema of any library, or JSON Schema with any of its keywords. */
export type PartSchema = Schema | (JsonSchema & { readonly [keyword: string]: unknown })

/**
 * The options of `asTool()`. In Fastify's `config.mcp`, `true` is the empty marker, and `false` hides the route. They
 * override schemas from the framework, a validator or a document.
 */
export interface RouteMarker extends CommonOptions<Register, boolean> {
  readonly annotations?: ToolAnnotations | undefined
  /** Path parameters. */
  readonly params?: PartSchema | undefined
  readonly query?: PartSchema | undefined
  readonly body?: PartSchema | undefined
  /** Request headers that become arguments: `['if-match']`. No other headers do, even if a schema declares them. */
  readonly headers?: readonly string[] | undefined
  /** The body of a response with status 2xx. */
  readonly response?: PartSchema | undefined
  /**
   * The media type of the request body: `multipart/form-data`, `application/x-www-form-urlencoded`,
   * `application/octet-stream`, … Default: the type in the route's own schema, else `application/json`.
   */
  readonly consumes?: string | undefined
  /** Asks the user for confirmation first, and rejects clients without elicitation. */
  readonly confirm?: boolean | undefined
  /** Whether the handler itself checks the caller, which discovery can't see. Used for reports only. */
  readonly guarded?: boolean | undefined
  /** Never becomes a tool, even if a pattern includes it. */
  readonly hidden?: boolean | undefined
}

/** An in-process request to a route. */
export interface InnerRequest {
  readonly method: string
  /** Origin-form: path and query, encoded. */
  readonly url: string
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  /** Aborts the inner request. */
  readonly signal: AbortSignal
  /**
   * An alternative to `signal`. Callers without a signal provide it, because creating and observing one takes 10% of a
   * call.
   */
  readonly waiting?: Waiting | undefined
  /** Maximum number of bytes of the response body to keep. The rest is read and discarded. */
  readonly maxBytes: number
  /** Called with the head and then each chunk of a streamed body (server-sent events, NDJSON) as it arrives. */
  readonly onHead?: ((status: number, headers: InnerHeaders) => void) | undefined
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined
  /** The name of the called tool. `isToolCall(req)` reads it. */
  readonly tool?: string | undefined
  /** The route's template as text, for tracing. */
  readonly route?: string | undefined
  /** The `identity` of the route. */
  readonly identity?: unknown
  /** Called with the finished request before the app gets it, for example to set `req.user`. */
  readonly prepare?: ((request: unknown) => unknown) | undefined
}

/** Whether a caller still waits for the response. */
export interface Waiting {
  /** Throws the reason if the request has ended. */
  assertOpen(): void
  /** Calls `listener` with the reason when the request ends. Returns a function that removes the listener. */
  onEnd(listener: (reason: unknown) => void): () => void
}

/** Header names are lower case; `set-cookie` is a list. */
export type InnerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** The response of a route to an in-process request. */
export interface InnerResponse {
  readonly status: number
  readonly headers: InnerHeaders
  readonly body: Uint8Array
  /** Whether the body was longer than `maxBytes`. */
  readonly truncated: boolean
}

/** Sends a request through the whole app. `outer` is the HTTP request that carried the call, if any. */
export type Dispatch = (request: InnerRequest, outer: RequestInfo | undefined) => Promise<InnerResponse>

/** An app whose routes may become tools. Mounts pass it to the core. */
export interface RouteSource {
  /** Changes when the app's routes change. Must be cheap, because it runs for every list. */
  fingerprint(): string | number
  discover(): Discovered
  /** Whether any route may be marked, if that is known without discovery. Default: true. */
  marked?(): boolean
  readonly dispatch: Dispatch
}

/** Returns the label of a route in messages: `GET /tasks/{id}`, or with constraints `GET /tasks (version 1.2.0)`. */
export function labelOf({ method, template, constraints }: Route): string {
  return labelText(method, template.text, constraints)
}
