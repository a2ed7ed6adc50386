/** A Koa app as a listener of inner requests, whose `ctx` it makes ready before any middleware runs. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Listener } from './exchange.js'
import { hasPreparedUser } from './prepared-user.js'

/** The part of a Koa app that is needed, the same in Koa 2 and 3. */
export interface KoaApp {
  callback(): Listener
}

interface Internals extends KoaApp {
  createContext(req: IncomingMessage, res: ServerResponse): KoaContext
  on(...given: unknown[]): unknown
}

interface KoaContext {
  readonly state: Record<string, unknown>
}

/** The chain is composed here, as by `listen()`. The app itself, its `ctx.app` included, stays what it was. */
export function koaListener(app: KoaApp): Listener {
  const own = app as Internals
  const view = Object.create(own) as Internals
  view.createContext = (req, res) => {
    const ctx = own.createContext(req, res)
    if (hasPreparedUser(req)) ctx.state.user = req.user
    return ctx
  }
  view.on = (...given) => own.on(...given)
  return view.callback()
}
