/** What clients say without asking for an answer. */

import type { JsonRpcNotification } from '../protocol/types.js'
import { RequestCancelled } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { scopeOf } from '../sessions/sessions.js'
import { traceNotification } from '../tracing/trace-notification.js'
import type { Core } from './core.js'

export function acceptNotification(core: Core, message: JsonRpcNotification, peer: Peer): void {
  traceNotification(core, message, peer, () =>
    accept(core, message, scopeOf(peer.negotiated().sessionId, peer.scope)),
  )
}

/** One notification asks for something: what the others tell is not needed here. */
function accept(
  core: Core,
  { method, params }: JsonRpcNotification,
  scope: string | object | undefined,
): void {
  if (method !== 'notifications/cancelled') return
  const { requestId, reason } = params ?? {}
  const text = typeof reason === 'string' ? `the client cancelled: ${reason}` : 'the client cancelled'
  const running = core.inFlight.find(scope, requestId)
  if (running !== undefined) running.abort(new RequestCancelled(text))
  else if (typeof scope === 'string') void core.sessions?.cancelElsewhere(scope, { requestId, reason: text })
}
