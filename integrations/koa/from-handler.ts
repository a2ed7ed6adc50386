/** Turns Koa middleware that doesn't belong to a route into a tool, without the app's own middleware. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDispatch } from '../node/inject/dispatch.js'
import { flatten, type HandlerOptions, type ToolHandler, toToolHandler } from '../node/inject/handler-call.js'
import { runtime } from '../node/runtime.js'

/** The members of Koa's context that are set here, the same in Koa 2 and 3. */
export interface KoaContext {
  params?: unknown
  session?: unknown
  respond?: boolean
  readonly state: Record<string, unknown>
  readonly request: object
}

/** A Koa app, as far as `fromHandler()` needs it. */
export interface KoaAppLike {
  createContext(req: IncomingMessage, res: ServerResponse): unknown
}

type KoaInternals = {
  createContext(req: IncomingMessage, res: ServerResponse): KoaContext
  handleRequest(ctx: KoaContext, run: (ctx: KoaContext) => Promise<unknown>): Promise<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: accepts middleware with any type of context
type AnyMiddleware = (ctx: any, next: () => Promise<any>) => unknown
type Middlewares = AnyMiddleware | readonly Middlewares[]

export interface FromHandlerOptions extends HandlerOptions<unknown> {
  /** App that creates the middleware's `ctx`. Default: the app of the MCP request, else a new app. */
  app?: KoaAppLike | undefined
}

/**
 * Runs Koa middleware as the handler of a tool:
 *
 * ```ts
 * router.tool('user_get', { input, handler: fromHandler([requireLogin, getUser], { params: ['id'] }) })
 * ```
 *
 * Only this middleware runs, and none of the app's own. `ctx.state.user` is the caller, and `ctx.request.body` has the
 * arguments that are in neither `params` nor `query`. An error that the middleware throws is handled like an error that
 * a tool throws. `prepare` gets Koa's `ctx`.
 * @throws TypeError for middleware that isn't a function, and for unknown or invalid options.
 */
export function fromHandler(
  middleware: Middlewares,
  { app, ...options }: FromHandlerOptions = {},
): ToolHandler {
  const steps = flatten<AnyMiddleware>('fromHandler()', middleware)
  const starts = new WeakMap<object, CallStart>()
  let newApp: KoaAppLike | undefined
  const appOf = (outer: { app?: KoaAppLike } | undefined): KoaInternals => {
    const found = app ?? outer?.app
    if (found === undefined) newApp ??= makeApp(runtime.load('koa'))
    return (found ?? newApp) as unknown as KoaInternals
  }
  return toToolHandler('fromHandler()', options, {
    dispatch: createDispatch((req, res) => run(steps, starts.get(req) as CallStart, res)),
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

/** The request, app and preparation of one call. */
interface CallStart {
  readonly req: IncomingMessage
  readonly app: KoaInternals
  prepare(koa: KoaContext): Promise<void>
}

function makeApp(loaded: unknown): KoaAppLike {
  const Koa = ((loaded as { default?: unknown }).default ?? loaded) as new () => KoaAppLike
  return new Koa()
}

/** Runs the middleware. Rejects with a thrown error, before Koa turns it into a response. */
async function run(
  steps: readonly AnyMiddleware[],
  { req, app, prepare }: CallStart,
  res: ServerResponse,
): Promise<void> {
  let failure: { error: unknown } | undefined
  await app.handleRequest(app.createContext(req, res), async (koa) => {
    try {
      await prepare(koa)
      await runStep(steps, 0, koa)
    } catch (error) {
      failure = { error }
      koa.respond = false
    }
  })
  if (failure !== undefined) throw failure.error
}

async function runStep(steps: readonly AnyMiddleware[], index: number, koa: KoaContext): Promise<unknown> {
  return steps[index]?.(koa, () => runStep(steps, index + 1, koa))
}
