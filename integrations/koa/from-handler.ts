/** Makes a tool of Koa middleware that belongs to no route: without the app's own middleware. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDispatch } from '../node/inject/dispatch.js'
import { flatten, type HandlerOptions, type ToolHandler, toToolHandler } from '../node/inject/handler-call.js'
import { runtime } from '../node/runtime.js'

/** The part of Koa's context that is set here, the same in Koa 2 and 3. */
export interface KoaContext {
  params?: unknown
  session?: unknown
  respond?: boolean
  readonly state: Record<string, unknown>
  readonly request: object
}

/** What makes a context and answers with it. */
export interface KoaAppLike {
  createContext(req: IncomingMessage, res: ServerResponse): unknown
}

type Handling = {
  createContext(req: IncomingMessage, res: ServerResponse): KoaContext
  handleRequest(ctx: KoaContext, run: (ctx: KoaContext) => Promise<unknown>): Promise<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: any middleware, whatever context it was typed for
type AnyMiddleware = (ctx: any, next: () => Promise<any>) => unknown
type Middlewares = AnyMiddleware | readonly Middlewares[]

export interface FromHandlerOptions extends HandlerOptions<unknown> {
  /** Whose `ctx` the middleware gets. Default: the app of the MCP request, else a bare one. */
  app?: KoaAppLike | undefined
}

/**
 * Runs Koa middleware as the handler of a tool:
 *
 * ```ts
 * router.tool('user_get', { input, handler: fromHandler([requireLogin, getUser], { params: ['id'] }) })
 * ```
 *
 * Only these run: none of the app's middleware. `ctx.state.user` is the caller, `ctx.request.body` the arguments that
 * are neither `params` nor `query`. What they throw is judged like an error that a tool throws. `prepare` gets Koa's ctx.
 * @throws TypeError for what is no middleware, and for options that do not exist or do not fit.
 */
export function fromHandler(
  middleware: Middlewares,
  { app, ...options }: FromHandlerOptions = {},
): ToolHandler {
  const steps = flatten<AnyMiddleware>('fromHandler()', middleware)
  const starts = new WeakMap<object, Start>()
  let bare: KoaAppLike | undefined
  const appOf = (outer: { app?: KoaAppLike } | undefined): Handling => {
    const found = app ?? outer?.app
    if (found === undefined) bare ??= makeApp(runtime.load('koa'))
    return (found ?? bare) as unknown as Handling
  }
  return toToolHandler('fromHandler()', options, {
    dispatch: createDispatch((req, res) => run(steps, starts.get(req) as Start, res)),
    prepare: (incoming, { params, body }, ctx) => {
      const outer = ctx.request?.raw as { app?: KoaAppLike } | undefined
      starts.set(incoming as IncomingMessage, {
        req: incoming as IncomingMessage,
        app: appOf(outer),
        prepare: async (koa) => {
          Object.assign(koa, { params })
          if (body !== undefined) Object.assign(koa.request, { body })
          if (ctx.user !== undefined) koa.state.user = ctx.user
          await options.prepare?.(koa, ctx)
        },
      })
    },
  })
}

/** What one call starts from. */
interface Start {
  readonly req: IncomingMessage
  readonly app: Handling
  prepare(koa: KoaContext): Promise<void>
}

function makeApp(loaded: unknown): KoaAppLike {
  const Koa = ((loaded as { default?: unknown }).default ?? loaded) as new () => KoaAppLike
  return new Koa()
}

/** Rejects with what was thrown, before Koa makes a page of it. */
async function run(
  steps: readonly AnyMiddleware[],
  { req, app, prepare }: Start,
  res: ServerResponse,
): Promise<void> {
  let failure: { error: unknown } | undefined
  await app.handleRequest(app.createContext(req, res), async (koa) => {
    try {
      await prepare(koa)
      await step(steps, 0, koa)
    } catch (error) {
      failure = { error }
      koa.respond = false
    }
  })
  if (failure !== undefined) throw failure.error
}

async function step(steps: readonly AnyMiddleware[], index: number, koa: KoaContext): Promise<unknown> {
  return steps[index]?.(koa, () => step(steps, index + 1, koa))
}
