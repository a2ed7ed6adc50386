/** `client.listen()`: a `subscriptions/listen` that stays open (specification 2026-07-28, Subscriptions). */

import type { JsonRpcNotification } from '../../src/client-adapter.js'
import type { Connection } from './connection.js'

/** What to be told of, spelled as on the wire. */
export interface Subscription {
  readonly toolsListChanged?: boolean | undefined
  readonly resourcesListChanged?: boolean | undefined
  readonly promptsListChanged?: boolean | undefined
  /** URIs. */
  readonly resourceSubscriptions?: readonly string[] | undefined
}

export interface Subscribed {
  /** What the router agreed to tell. */
  readonly notifications: Subscription
  /** Ends it; resolves once it is over. */
  stop(): Promise<void>
}

export async function listen(
  connection: Connection,
  notifications: Subscription,
  next: (method: string) => Promise<JsonRpcNotification>,
): Promise<Subscribed> {
  if (!connection.isModern) {
    throw new TypeError(
      `listen() needs 2026-07-28; this client speaks ${connection.protocolVersion}, whose notices come over HTTP alone`,
    )
  }
  const acknowledged = next('notifications/subscriptions/acknowledged')
  const { id, over } = connection.open('subscriptions/listen', { notifications })
  const ended = over.then(nothing)
  // Who stopped it, or closed the client, knows that it is over.
  ended.catch(nothing)
  const first = await Promise.race([acknowledged, ended])
  return {
    notifications: (first?.params?.notifications ?? {}) as Subscription,
    async stop() {
      await connection.notify('notifications/cancelled', { requestId: id })
      await ended.catch(nothing)
    },
  }
}

const nothing = (): undefined => undefined
