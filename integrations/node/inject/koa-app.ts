/** A Koa app as a listener of inner requests, whose `ctx` it makes ready before any middleware runs. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatch } from '../../../src/adapter.js'
import { shareKoaSession } from '../session-bridges/koa-session.js'
import { createDispatch } from './dispatch.js'
import type { Listener } from './exchange.js'
import { hasPreparedUser } from './prepared-user.js'
import { toolCallOf } from './tool-call.js'

/** The part of a Koa app that is needed, the same in Koa 2 and 3. */
export interface KoaApp {
  callback(): Listener
}

interface KoaContext {
  readonly req: IncomingMessage
  readonly state: Record<string, unknown>
}

type Chain = (ctx: KoaContext) => Promise<unknown>

interface Internals extends KoaApp {
  createContext(req: IncomingMessage, res: ServerResponse): KoaContext
  handleRequest(ctx: KoaContext, chain: Chain): Promise<unknown>
  on(...given: unknown[]): unknown
}

/** Sends inner requests through a whole Koa app. The chain is composed once, at the first call: routes may come until then. */
export function koaDispatch(app: KoaApp): Dispatch {
  let dispatch: Dispatch | undefined
  return (request, outer) => {
    dispatch ??= createDispatch(koaListener(app))
    return dispatch(request, outer)
  }
}

/** The chain is composed here, as by `listen()`. The app itself, its `ctx.app` included, stays what it was. */
function koaListener(app: KoaApp): Listener {
  const own = app as Internals
  const view = Object.create(own) as Internals
  view.handleRequest = (ctx, chain) => {
    if (hasPreparedUser(ctx.req)) ctx.state.user = ctx.req.user
    const saveSession = shareKoaSession(ctx, toolCallOf(ctx.req)?.carrier)
    return own.handleRequest(ctx, async (same) => {
      await chain(same)
      await saveSession()
    })
  }
  view.createContext = (req, res) => own.createContext(req, res)
  view.on = (...given) => own.on(...given)
  return view.callback()
}
