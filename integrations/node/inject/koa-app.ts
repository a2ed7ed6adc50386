/** Dispatches inner requests to a Koa app, and prepares their `ctx` before any middleware runs. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatch } from '../../../src/adapter.js'
import { shareKoaSession } from '../session-bridges/koa-session.js'
import { createDispatch } from './dispatch.js'
import type { Listener } from './exchange.js'
import { hasPreparedUser } from './prepared-user.js'
import { toolCallOf } from './tool-call.js'

/** The members of a Koa app used here, the same in Koa 2 and 3. */
export interface KoaApp {
  callback(): Listener
}

interface KoaContext {
  readonly req: IncomingMessage
  readonly state: Record<string, unknown>
}

type Middleware = (ctx: KoaContext) => Promise<unknown>

interface KoaInternals extends KoaApp {
  createContext(req: IncomingMessage, res: ServerResponse): KoaContext
  handleRequest(ctx: KoaContext, chain: Middleware): Promise<unknown>
  on(...given: unknown[]): unknown
}

/**
 * Creates a dispatch to a Koa app. Composes the middleware at the first call, so that the app can add routes until
 * then.
 */
export function koaDispatch(app: KoaApp): Dispatch {
  let dispatch: Dispatch | undefined
  return (request, outer) => {
    dispatch ??= createDispatch(koaListener(app))
    return dispatch(request, outer)
  }
}

/**
 * Composes the middleware, as `listen()` does, on an object that inherits from the app. The app and `ctx.app` are
 * unchanged.
 */
function koaListener(app: KoaApp): Listener {
  const original = app as KoaInternals
  const view = Object.create(original) as KoaInternals
  view.handleRequest = (ctx, chain) => {
    if (hasPreparedUser(ctx.req)) ctx.state.user = ctx.req.user
    const saveSession = shareKoaSession(ctx, toolCallOf(ctx.req)?.carrier)
    return original.handleRequest(ctx, async (same) => {
      await chain(same)
      await saveSession()
    })
  }
  view.createContext = (req, res) => original.createContext(req, res)
  view.on = (...given) => original.on(...given)
  return view.callback()
}
