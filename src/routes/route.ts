/** The shapes between discovery, schemas, dispatch and the tools made of them: one existing route as data. */

import type { Register, RequestInfo } from '../definitions/context.js'
import type { CommonOptions, ToolAnnotations } from '../definitions/options.js'
import { labelText } from '../definitions/route-report.js'
import type { JsonSchema, Schema } from '../schema/types.js'
import type { Template } from './discovery/path-template.js'
import type { ParameterStyles, QueryParser } from './request/parameter-styles.js'
import type { ShadowedBy } from './request/shadowed-by.js'
import type { Follow } from './schema/refs.js'

/** One method of one existing route, as its framework's discovery found it. */
export interface Route {
  readonly framework: 'express' | 'fastify' | 'koa' | 'openapi'
  /** Upper case. */
  readonly method: string
  /** The whole path below the app's root, prefixes included. */
  readonly template: Template
  /** The middleware in front of the handler, outermost first, those of routers above included. */
  readonly guards: readonly RouteGuard[]
  /** Why nobody here can tell what stands in front of it; then `guards` is empty. */
  readonly guardsUnread?: string | undefined
  /** The name of the handler function; empty: none. */
  readonly handlerName: string
  /** What `asTool()`, or `config.mcp` in Fastify, says of it. */
  readonly marker: RouteMarker | undefined
  /** What `asTool()` says where it stands in front of a router, or with `use`. It marks no route, but may hide those behind. */
  readonly markersInFront?: readonly RouteMarker[] | undefined
  /** What the framework, or a validator on the route, knows of its input and answer. */
  readonly schema: RouteSchema | undefined
  /** How the app reads query strings. Default: `simple`. */
  readonly queryParser?: QueryParser | undefined
  /**
   * What a request must say besides its path, by name, as people read it: `{ version: '1.2.0' }` (Fastify's constraints,
   * the host of a router of Koa). Of routes with one address the constraints are a part of it.
   */
  readonly constraints?: Readonly<Record<string, string>> | undefined
  /** The headers that say so: they win over what the caller sent. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether a request with these headers is for it, where its own headers cannot make sure of that. Default: it is. */
  readonly accepts?: ((headers: Readonly<Record<string, string>>) => boolean) | undefined
  /** What its framework knows it by. Told with each call, so that it can be seen where one would end. */
  readonly identity?: unknown
  /**
   * Whether nothing behind it is reached for sure: one of its handlers takes no `next`. Where routes are asked in their
   * order (Express, Koa) one for every method, or of a catch-all, is a middleware unless it ends.
   */
  readonly ends?: boolean | undefined
  /** Its own handlers, where what stands behind it is reached through them. */
  readonly passes?: readonly RouteGuard[] | undefined
  /** What its router asks in its place for a finished path, where order alone does not say so (Koa's `exclusive`). */
  readonly shadowedBy?: ((path: string) => string | undefined) | undefined
  /** What takes a finished path in its place, among the routes of the app that an operation of a document runs through. */
  readonly siblings?: ShadowedBy | undefined
  /** Why it can be no tool, whatever is asked for: "catch-all", "hidden", "our own endpoint", … */
  readonly obstacle?: string | undefined
}

/** A middleware in front of a route. */
export interface RouteGuard {
  /** The name of its function; empty: an anonymous one. */
  readonly name: string
  readonly handle: unknown
  /** Declared with the route, not for several routes. Default: nobody knows. */
  readonly own?: boolean | undefined
}

/** What was there and could not be read, with the reason and what to do. */
export interface Unread {
  readonly path: string
  readonly reason: string
  /** Somebody named it: it is warned of even where no routes are asked for. */
  readonly named?: boolean | undefined
}

/**
 * A route whose path only the app's own matcher knows, a regular expression, or a router that is mounted at one. It is no
 * tool; but in an app that asks its routes in order it may be asked first.
 */
export interface PatternRoute {
  /** How many of the routes found stand in front of it. */
  readonly at: number
  /** What of it takes a request; `undefined`: nothing. */
  shadowing(method: string, path: string): string | undefined
  /** Its own handlers, where it passes on what it fits: `fits` says what that is. */
  readonly passes?: { readonly guards: readonly RouteGuard[]; fits(method: string, path: string): boolean }
  /** As that of a route. */
  readonly accepts?: Route['accepts']
}

/** What was found in an app: its routes, and what could not be read. */
export interface Discovered {
  readonly routes: readonly Route[]
  readonly unread: readonly Unread[]
  /** Default: none. */
  readonly patterns?: readonly PatternRoute[] | undefined
}

/** The parts of a request as one source describes them, each a schema of any library or JSON Schema. */
export interface DescribedParts {
  readonly params?: Schema | undefined
  readonly query?: Schema | undefined
  readonly body?: Schema | undefined
  /** Request headers. Those that the marker names are arguments. */
  readonly headers?: Schema | undefined
  /** Follows the references in the schemas. Default: inside each schema itself. */
  readonly follow?: Follow | undefined
  /** It checks some values and lets all others through (express-validator). */
  readonly partial?: boolean | undefined
}

/** The parts of a request and its answer. */
export interface RouteSchema extends DescribedParts {
  /** Weaker sources: they describe the arguments that this one doesn't, and add missing words. The strongest first. */
  readonly fallbacks?: readonly DescribedParts[] | undefined
  /** The answer of status 2xx. */
  readonly response?: Schema | undefined
  /** False: a request without any body is fine. Default: true, where there is a `body`. */
  readonly bodyRequired?: boolean | undefined
  /** False: it is known to take none. Default: where there is no `body`, nobody knows. */
  readonly takesBody?: boolean | undefined
  /** How the body travels. Default: `application/json`. */
  readonly consumes?: string | undefined
  /** How single parameters are written, by part and name, where a document says so. */
  readonly styles?: ParameterStyles | undefined
  /** Parameters by which callers show who they are: never arguments. */
  readonly secrets?: readonly { readonly part: 'query' | 'header'; readonly name: string }[] | undefined
  readonly operationId?: string | undefined
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly deprecated?: boolean | undefined
  /** Never a tool. */
  readonly hidden?: boolean | undefined
  /** What a reader could not read, and why. */
  readonly notes?: readonly string[] | undefined
  /** Where it was read: "fastify", "express-validator", "celebrate", "openapi", … */
  readonly source: string
}

/** A schema of any library, or JSON Schema with any of its keywords. */
export type PartSchema = Schema | (JsonSchema & { readonly [keyword: string]: unknown })

/**
 * The options of `asTool()`; in Fastify's `config.mcp` `true` is the empty marker, `false` hides the route. What is said
 * here wins over what the framework, a validator or a document says.
 */
export interface RouteMarker extends CommonOptions<Register, boolean> {
  readonly annotations?: ToolAnnotations | undefined
  /** Path parameters. */
  readonly params?: PartSchema | undefined
  readonly query?: PartSchema | undefined
  readonly body?: PartSchema | undefined
  /** Request headers that are arguments: `['if-match']`. No other header is one, whatever a schema says. */
  readonly headers?: readonly string[] | undefined
  /** The answer of status 2xx. */
  readonly response?: PartSchema | undefined
  /**
   * How the body travels: `multipart/form-data`, `application/x-www-form-urlencoded`, `application/octet-stream`, …
   * Default: `application/json`, or what the route's own schema says.
   */
  readonly consumes?: string | undefined
  /** Asks the user first, and refuses where the client cannot be asked. */
  readonly confirm?: boolean | undefined
  /** The handler itself checks the caller, which nobody can see from outside: for the report only. */
  readonly guarded?: boolean | undefined
  /** Never a tool, whatever a pattern says. */
  readonly hidden?: boolean | undefined
}

/** One request to a route, in process. */
export interface InnerRequest {
  readonly method: string
  /** Origin-form: path and query, encoded. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  /** Ends the inner request when it aborts. */
  readonly signal: AbortSignal
  /** Tells the same as `signal`. Given by those who need no signal: making one and listening to it costs a call a tenth. */
  readonly waiting?: Waiting | undefined
  /** Most bytes of the answer's body that are kept; what comes after is read and dropped. */
  readonly maxBytes: number
  /** Told of each piece of a streamed body (server-sent events, NDJSON) as it comes. */
  readonly onHead?: ((status: number, headers: InnerHeaders) => void) | undefined
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined
  /** The tool that is called: what `isToolCall(req)` goes by. */
  readonly tool?: string | undefined
  /** The route's template as text, for traces. */
  readonly route?: string | undefined
  /** That of the route. */
  readonly identity?: unknown
  /** Sees the finished request before the app does, to set `req.user` for instance. */
  readonly prepare?: ((request: unknown) => unknown) | undefined
}

/** Whether somebody still waits for an answer. */
export interface Waiting {
  /** Throws why nobody does. */
  assertOpen(): void
  /** Calls `listener` when nobody does any more; returns a way to stop listening. */
  onEnd(listener: (reason: unknown) => void): () => void
}

/** Lower-case names; `set-cookie` is a list. */
export type InnerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a route answered to a call in process. */
export interface InnerResponse {
  readonly status: number
  readonly headers: InnerHeaders
  readonly body: Uint8Array
  /** More came than `maxBytes`. */
  readonly truncated: boolean
}

/** Sends one request through the whole app. `outer` is the request that carried the call, where there was one. */
export type Dispatch = (request: InnerRequest, outer: RequestInfo | undefined) => Promise<InnerResponse>

/** An app whose routes may become tools: what a mount hands to the core. */
export interface RouteSource {
  /** Changes when routes were added since. Cheap: asked at every list. */
  fingerprint(): string | number
  discover(): Discovered
  /** Whether any route may be marked, where that can be told without discovery. Default: it may. */
  marked?(): boolean
  readonly dispatch: Dispatch
}

/** `GET /tasks/{id}`, and what tells it from others there: `GET /tasks (version 1.2.0)`. */
export function labelOf({ method, template, constraints }: Route): string {
  return labelText(method, template.text, constraints)
}
