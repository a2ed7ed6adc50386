/** The parts of the router that methods need. */

import type { ToolEntry } from '../definitions/entries.js'
import type { CatalogSection } from '../definitions/registry.js'
import type { NotificationServices } from '../notifications/services.js'
import type { SessionSubscriptions } from '../notifications/session-subscriptions.js'
import type { Exchange } from '../request/exchange.js'
import type { ToolUnwrapper } from '../tracing/services.js'

export interface MethodServices extends NotificationServices {
  /** The resource subscriptions of legacy sessions. */
  readonly subscriptions: SessionSubscriptions
  readonly toolSearch: ToolLists | undefined
}

/** Lists a few tools in place of many. */
export interface ToolLists extends ToolUnwrapper {
  shown(all: CatalogSection<ToolEntry>): CatalogSection<ToolEntry>
  unwrap(name: string, args: Readonly<Record<string, unknown>>): UnwrappedCall
}

/** The call of a tool, or the one that `call_tool` names. */
export interface UnwrappedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export type MethodExchange = Exchange<MethodServices>
