/** The services that tracing needs from the router. */

import type { Exchange } from '../request/exchange.js'
import type { RequestServices } from '../request/services.js'
import type { RecentCalls } from './recent-calls.js'
import type { Tracer } from './tracer.js'

export interface TracingServices extends RequestServices {
  /** `undefined` if the explorer is off. */
  readonly recentCalls: RecentCalls | undefined
  /** Runs around every request; `undefined` without a tracer. */
  readonly tracer: Tracer | undefined
  /** Finds the tool that `call_tool` names; `undefined` without tool search. */
  readonly toolSearch: ToolUnwrapper | undefined
}

export interface ToolUnwrapper {
  unwrap(name: string, args: Readonly<Record<string, unknown>>): { readonly name: string }
}

export type TracedExchange = Exchange<TracingServices>
