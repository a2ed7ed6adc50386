/**
 * Subscriptions to changes: `resources/subscribe` and `resources/unsubscribe` before 2026-07-28, `subscriptions/listen`
 * since (specification, Subscriptions).
 */

import { assertTaskExtension } from '../client-requests/client-request.js'
import { ErrorCode, refusal } from '../errors/errors.js'
import { listNames } from '../notifications/notification.js'
import { maxSubscriptions } from '../notifications/session-subscriptions.js'
import { listFields, Subscription, type SubscriptionFilter } from '../notifications/subscription.js'
import { VisibilityFilter } from '../notifications/visibility-filter.js'
import type { Identity } from '../protocol/identity.js'
import { invalidParams, objectParam, stringParam } from '../protocol/params.js'
import type { Result } from '../protocol/types.js'
import { keyOf } from '../sessions/sessions.js'
import { describe } from '../support/values.js'
import type { Task } from '../tasks/task.js'
import { offers } from './discovery.js'
import { assertReadable, assertScopes, isReadable } from './resources.js'
import type { MethodExchange } from './services.js'
import { mayFollow } from './tasks.js'

export async function subscribe(exchange: MethodExchange): Promise<Result> {
  const uri = stringParam(exchange.params, 'uri')
  assertReadable(exchange, await exchange.resolveCaller(), uri)
  const { sessions, subscriptions } = exchange.services
  const { sessionId, peer } = exchange
  // A connection is told from the moment on that other machines are heard.
  if (peer.uris !== undefined) await heard(exchange)
  const added =
    sessionId !== undefined && sessions !== undefined
      ? await subscriptions.add(keyOf(sessionId), uri, sessions.remainingMs(sessionId))
      : addTo(urisOf(exchange, peer.uris), uri)
  if (added) return {}
  throw refusal(
    ErrorCode.InvalidRequest,
    `Too many subscriptions: expected at most ${maxSubscriptions} in a session; unsubscribe from another one first`,
  )
}

/** Removes a subscription. Unknown URIs are ignored. */
export async function unsubscribe(exchange: MethodExchange): Promise<Result> {
  const uri = stringParam(exchange.params, 'uri')
  const { sessions, subscriptions } = exchange.services
  const { sessionId, peer } = exchange
  if (sessionId !== undefined && sessions !== undefined) {
    await subscriptions.delete(keyOf(sessionId), uri, sessions.remainingMs(sessionId))
  } else {
    urisOf(exchange, peer.uris).delete(uri)
  }
  return {}
}

function urisOf({ request }: MethodExchange, uris: Set<string> | undefined): Set<string> {
  if (uris !== undefined) return uris
  throw refusal(ErrorCode.InvalidRequest, `${request.method} needs a session: initialize first`, {
    status: 400,
  })
}

function addTo(uris: Set<string>, uri: string): boolean {
  return uris.has(uri) || (uris.size < maxSubscriptions && uris.add(uri).has(uri))
}

/** Opens a subscription. It starts with the accepted filters and ends with a result; the transport keeps it open. */
export async function listen(
  exchange: MethodExchange,
): Promise<{ result: Result; subscription: Subscription }> {
  const { services, peer, request } = exchange
  if (!canListen(exchange)) {
    throw refusal(ErrorCode.MethodNotFound, `Method not found: ${describe(request.method)}`, { status: 404 })
  }
  const identity = await exchange.resolveCaller()
  const asked = readFilter(exchange)
  const filter = {
    ...honour(asked, exchange, identity),
    tasks: await ownTasks(asked.tasks, exchange, identity),
  }
  await heard(exchange)
  peer.reserve()
  const visibility = new VisibilityFilter(services, { identity, request: peer.request })
  return { result: {}, subscription: new Subscription(services, request.id, { filter, visibility }) }
}

/** Resolves once notifications of other machines arrive here. */
async function heard(exchange: MethodExchange): Promise<void> {
  const { registry, notifications } = exchange.services
  await exchange.withTimeout('the store', registry.defaults.timeoutMs, notifications.ready())
}

function canListen({ services }: MethodExchange): boolean {
  const catalog = services.registry.catalog()
  return listNames.some((name) => offers[name](catalog))
}

function readFilter({ params }: MethodExchange): SubscriptionFilter {
  if (params.notifications === undefined) throw invalidParams('expected notifications to be an object')
  const asked = objectParam(params, 'notifications')
  for (const field of Object.values(listFields)) {
    const value = asked[field]
    if (value !== undefined && typeof value !== 'boolean') {
      throw invalidParams(`expected notifications.${field} to be true or false, got ${describe(value)}`)
    }
  }
  const lists = listNames.filter((name) => asked[listFields[name]] === true)
  const { resourceSubscriptions, taskIds } = asked
  return {
    lists,
    uris: readStrings('resourceSubscriptions', resourceSubscriptions),
    tasks: taskIds === undefined ? undefined : [...(readStrings('taskIds', taskIds) ?? [])],
  }
}

function readStrings(field: string, value: unknown): Set<string> | undefined {
  if (value === undefined) return undefined
  const name = `notifications.${field}`
  if (!Array.isArray(value)) throw invalidParams(`expected ${name} to be an array, got ${describe(value)}`)
  if (value.length > maxSubscriptions) {
    throw invalidParams(`expected ${name} to name at most ${maxSubscriptions}, got ${value.length}`)
  }
  const odd = value.find((uri) => typeof uri !== 'string')
  if (odd !== undefined) throw invalidParams(`expected ${name} to hold strings, got ${describe(odd)}`)
  return new Set(value as string[])
}

/** Returns the existing ones of the requested tasks (Tasks extension). Throws 403 for another caller's task. */
async function ownTasks(
  ids: readonly string[] | undefined,
  exchange: MethodExchange,
  identity: Identity,
): Promise<readonly string[] | undefined> {
  if (ids === undefined) return undefined
  assertTaskExtension(exchange, 'notifications.taskIds')
  const found = await Promise.all(ids.map((id) => exchange.services.tasks.find(id)))
  const tasks = found.filter((task) => task !== undefined && mayFollow(exchange, identity, task))
  return tasks.map((task) => (task as Task).id)
}

/** Reduces the filters to available capabilities and to resources that the caller may read. */
function honour(
  { lists, uris }: SubscriptionFilter,
  exchange: MethodExchange,
  identity: Identity,
): Omit<SubscriptionFilter, 'tasks'> {
  const catalog = exchange.services.registry.catalog()
  const served = lists.filter((name) => offers[name](catalog))
  if (uris === undefined || !offers.resources(catalog)) return { lists: served, uris: undefined }
  const readable = [...uris].filter((uri) => isReadable(exchange, identity, uri))
  assertScopes(exchange, identity, readable)
  return { lists: served, uris: new Set(readable) }
}
