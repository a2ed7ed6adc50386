/** What is used of Koa's `ctx`: the part that both majors have, and what koa-mount and routers leave on it. */

import type { IncomingMessage, ServerResponse } from 'node:http'

/** Fits the `ctx` of every app, whatever its `state` and its own members are typed as. */
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

/** What `@koa/router` knows of a route, or of a middleware that it runs. */
export interface Layer {
  readonly path: unknown
  readonly regexp?: RegExp
  /** Empty for what was given to `use`. */
  readonly methods: readonly string[]
  readonly stack: readonly unknown[]
}

/** What others add to `ctx`. */
export interface RoutedContext extends KoaContext {
  /** By koa-mount: what it has cut off. Stays when the request has left the mount again. */
  readonly mountPath?: unknown
  /** By `@koa/router`: what fits the address. Stays too. */
  readonly matched?: readonly Layer[]
  /** By `@koa/router`: the path of the layer that runs, or ran last. */
  readonly routerPath?: unknown
}

/** `undefined` for a request of anything else than Koa. */
export function koaContextOf(raw: unknown): KoaContext | undefined {
  const { request } = (raw ?? {}) as { request?: { ctx?: unknown } }
  return request?.ctx === raw && raw !== undefined ? (raw as KoaContext) : undefined
}
