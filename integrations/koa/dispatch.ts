/** Sends inner requests through a whole Koa app. */

import type { Dispatch } from '../../src/adapter.js'
import { createDispatch } from '../node/inject/dispatch.js'
import { type KoaApp, koaListener } from '../node/inject/koa-app.js'

export type { KoaApp } from '../node/inject/koa-app.js'

/** The chain is composed once, at the first call: routes may come until then. */
export function koaDispatch(app: KoaApp): Dispatch {
  let dispatch: Dispatch | undefined
  return (request, outer) => {
    dispatch ??= createDispatch(koaListener(app))
    return dispatch(request, outer)
  }
}
