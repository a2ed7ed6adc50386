/** What a framework must bring for the tests of route tools: a small app around a mount, in words that all can translate. */

import type { McpRouter } from 'mcp-router'
import type { AnyMountOptions } from 'mcp-router/adapter'
import type { Listener } from '../../../integrations/node/inject/exchange.js'
import type { RouteMarker } from '../../../src/internal.js'
import type { Started } from '../../contract/host.js'

/** What the frameworks know of a request, in the same words. */
export interface Asked {
  /** Whom the login in front of all routes found. */
  readonly user: Caller | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** What the framework's own upload middleware read. */
  readonly files: readonly UploadedFile[]
  /** What `isToolCall()` says of the framework's own request. */
  readonly isToolCall: boolean
  readonly headers: Readonly<Record<string, unknown>>
  /** Aborts when the client of the route has left. */
  readonly left: AbortSignal
}

export interface Caller {
  readonly id: string
  readonly role: string
}

export interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly type: string
  readonly text: string
}

export interface Answered {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is answered as JSON. */
  readonly body?: object | string | Buffer
  /** Written piece by piece. */
  readonly pieces?: AsyncIterable<string>
}

/** One route of the app. What `run` throws is left to the framework's own handling of errors. */
export interface ApiRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** In a spelling that all frameworks share: `/tasks/:id`. */
  readonly path: string
  /** How the route is marked as a tool; `undefined`: it is not. */
  readonly marker?: RouteMarker
  /**
   * What stands in front to read files: the framework's own upload middleware, multer and its kin, for files of 1,000
   * bytes at most; or a parser that leaves the body as it is.
   */
  readonly uploads?: 'form' | 'bytes'
  /** Refuses who is not logged in. */
  readonly guarded?: boolean
  readonly run: (asked: Asked) => Answered | Promise<Answered>
}

export interface Api {
  readonly router: McpRouter<object>
  readonly options: AnyMountOptions
  readonly routes: readonly ApiRoute[]
  /** How the app reads queries. Default: as its framework does. */
  readonly parseQuery?: ((query: string) => Record<string, unknown>) | undefined
}

export interface RunningApi extends Started {
  /** The whole app, as `http.createServer` would take it. */
  readonly listener: Listener
  /** Declares one more route; `undefined` where the framework takes none once it listens. */
  readonly add: ((route: ApiRoute) => void) | undefined
}

export interface RouteHost {
  readonly name: string
  start(api: Api): Promise<RunningApi>
}
