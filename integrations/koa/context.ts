/** The members of Koa's `ctx` used here: those of both Koa 2 and 3, and those that koa-mount and routers add. */

import type { IncomingMessage, ServerResponse } from 'node:http'

/** Koa's `ctx`, typed to fit every app, whatever the types of its `state` and own members. */
export interface KoaContext {
  readonly app: { readonly proxy: boolean }
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly request: object
  readonly response: object
  readonly originalUrl: string
  readonly method: string
  readonly path: string
  readonly host: string
  readonly protocol: string
  readonly ip: string
  readonly headerSent: boolean
  status: number
  body: unknown
  set(name: string, value: string): void
  vary(field: string): void
  onerror(error: Error): void
}

/** A layer of `@koa/router`: a route, or a middleware of the router. */
export interface Layer {
  readonly path: unknown
  readonly regexp?: RegExp
  /** Empty for a middleware added with `use`. */
  readonly methods: readonly string[]
  readonly stack: readonly unknown[]
}

/** Koa's `ctx` with the members that koa-mount and `@koa/router` add. */
export interface RoutedContext extends KoaContext {
  /** Added by koa-mount: the prefix that it removed. Remains set after the request has left the mount. */
  readonly mountPath?: unknown
  /** Added by `@koa/router`: the layers that match the path. Remains set, too. */
  readonly matched?: readonly Layer[]
  /** Added by `@koa/router`: the path of the layer that runs, or ran last. */
  readonly routerPath?: unknown
}

/** Returns `raw` if it's Koa's `ctx`, else `undefined`. */
export function koaContextOf(raw: unknown): KoaContext | undefined {
  const { request } = (raw ?? {}) as { request?: { ctx?: unknown } }
  return request?.ctx === raw && raw !== undefined ? (raw as KoaContext) : undefined
}
