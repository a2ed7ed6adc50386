/**
 * Implements `client.listen()` with an open `subscriptions/listen` request (specification 2026-07-28, Subscriptions). In
 * earlier revisions it uses `resources/subscribe`, and routers send list changes anyway.
 */

import type { ClientCapabilities, JsonRpcNotification } from '../../src/internal.js'
import type { Connection } from './connection.js'

/** The notifications of a subscription, as in `subscriptions/listen`. */
export interface Subscription {
  readonly toolsListChanged?: boolean | undefined
  readonly resourcesListChanged?: boolean | undefined
  readonly promptsListChanged?: boolean | undefined
  /** The URIs of resources. */
  readonly resourceSubscriptions?: readonly string[] | undefined
}

/** An active subscription. */
export interface Subscribed {
  /** The notifications that the router acknowledged. */
  readonly notifications: Subscription
  /** Ends the subscription. Resolves once it has ended. */
  stop(): Promise<void>
}

export async function listen(
  connection: Connection,
  notifications: Subscription,
  next: (method: string) => Promise<JsonRpcNotification>,
): Promise<Subscribed> {
  if (!connection.isModern) return listenLegacy(connection, notifications)
  const acknowledged = next('notifications/subscriptions/acknowledged')
  const { id, result } = connection.open('subscriptions/listen', { notifications })
  const ended = result.then(nothing)
  // Prevents unhandled rejections after `stop()` or `close()`.
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

/** Subscribes before 2026-07-28. The router's capabilities say which list changes it sends, subscribed or not. */
async function listenLegacy(connection: Connection, notifications: Subscription): Promise<Subscribed> {
  const { resourceSubscriptions, ...lists } = notifications
  const each = (method: string): Promise<unknown> =>
    Promise.all((resourceSubscriptions ?? []).map((uri) => connection.request(method, { uri })))
  const { capabilities } = (await connection.server()) as { capabilities?: ClientCapabilities }
  const sent = Object.entries(lists).filter(([field, wanted]) => wanted && sendsChanges(capabilities, field))
  await each('resources/subscribe')
  // The router sends list changes only after it has answered the first request after the handshake.
  await connection.request('ping')
  return {
    notifications: { ...Object.fromEntries(sent), ...(resourceSubscriptions && { resourceSubscriptions }) },
    stop: () => each('resources/unsubscribe').then(nothing),
  }
}

function sendsChanges(capabilities: ClientCapabilities = {}, field: string): boolean {
  const offered = capabilities[field.replace('ListChanged', '')] as { listChanged?: boolean } | undefined
  return offered?.listChanged === true
}

const nothing = (): undefined => undefined
