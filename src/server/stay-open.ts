/** Keeps a subscription open where answers do not travel as HTTP answers: the request is answered when it is over. */

import type { Subscription } from '../notifications/subscription.js'
import type { JsonRpcNotification, JsonRpcResponse, RequestId } from '../protocol/types.js'
import type { Peer } from '../request/peer.js'
import { parseJson } from '../support/long-numbers.js'
import type { Core } from './core.js'

/** Resolves to the result; to nothing once the client left, or cancelled. */
export function holdSubscription(
  { inFlight }: Core,
  { subscription, id }: { subscription: Subscription; id: RequestId },
  peer: Peer,
): Promise<JsonRpcResponse | undefined> {
  return new Promise((resolve) => {
    let over = false
    const end = (answer?: JsonRpcResponse): void => {
      over = true
      peer.connection?.release(subscription)
      inFlight.delete(cancellable)
      subscription.stop()
      stopListening?.()
      resolve(answer)
    }
    let stopListening: (() => void) | undefined
    const cancellable = { request: { id }, scope: peer.scope, inFlightIndex: -1, abort: () => end() }
    inFlight.add(cancellable)
    stopListening = peer.onDisconnect(() => end())
    // It may have left already.
    if (over) return stopListening()
    subscription.start({
      notify: (json) => peer.send(parseJson(json) as JsonRpcNotification),
      finish: (json) => end(JSON.parse(json) as JsonRpcResponse),
    })
    peer.connection?.hold(subscription)
  })
}
