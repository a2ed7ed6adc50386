/** Sends inner requests through a whole Koa app. */

import type { Dispatch } from '../../src/adapter.js'
import { createDispatch, type Listener } from '../node/inject/dispatch.js'

/** The part of a Koa app that is needed, the same in Koa 2 and 3. */
export interface KoaApp {
  callback(): Listener
}

/** The chain is composed once, at the first call, as by `listen()`. */
export function koaDispatch(app: KoaApp): Dispatch {
  let dispatch: Dispatch | undefined
  return (request, outer) => {
    dispatch ??= createDispatch(app.callback())
    return dispatch(request, outer)
  }
}
