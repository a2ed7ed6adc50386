/**
 * `client.listen()`: a `subscriptions/listen` that stays open (specification 2026-07-28, Subscriptions); before that
 * `resources/subscribe`, and lists that are told of anyway.
 */

import type { ClientCapabilities, JsonRpcNotification } from '../../src/internal.js'
import type { Connection } from './connection.js'

/** What to be told of, spelled as on the wire. */
export interface Subscription {
  readonly toolsListChanged?: boolean | undefined
  readonly resourcesListChanged?: boolean | undefined
  readonly promptsListChanged?: boolean | undefined
  /** URIs. */
  readonly resourceSubscriptions?: readonly string[] | undefined
}

/** A client that listens. */
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
  if (!connection.isModern) return listenBefore(connection, notifications)
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

/** The lists that a router tells of are in its capabilities; nobody can ask it not to. */
async function listenBefore(connection: Connection, notifications: Subscription): Promise<Subscribed> {
  const { resourceSubscriptions, ...lists } = notifications
  const each = (method: string): Promise<unknown> =>
    Promise.all((resourceSubscriptions ?? []).map((uri) => connection.request(method, { uri })))
  const { capabilities } = (await connection.server()) as { capabilities?: ClientCapabilities }
  const told = Object.entries(lists).filter(([field, asked]) => asked && tells(capabilities, field))
  await each('resources/subscribe')
  // Whoever is told of lists is told once the first request after the handshake is answered.
  await connection.request('ping')
  return {
    notifications: { ...Object.fromEntries(told), ...(resourceSubscriptions && { resourceSubscriptions }) },
    stop: () => each('resources/unsubscribe').then(nothing),
  }
}

function tells(capabilities: ClientCapabilities = {}, field: string): boolean {
  const offered = capabilities[field.replace('ListChanged', '')] as { listChanged?: boolean } | undefined
  return offered?.listChanged === true
}

const nothing = (): undefined => undefined
