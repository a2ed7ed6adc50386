/** `router.notify`: sends notifications to clients from anywhere in the app. */

import type { Params } from '../protocol/types.js'
import { describe, isObject } from '../support/values.js'
import {
  isProtocolNotification,
  type ListName,
  listChanged,
  Notification,
  resourceUpdated,
} from './notification.js'
import type { NotificationHub } from './notification-hub.js'

/**
 * Sends notifications to the clients of every machine that shares the store. Every method resolves once the notification
 * is published, and doesn't reject if the store fails or a client is disconnected.
 */
export interface Notify {
  /**
   * Sends `notifications/resources/updated` to the clients subscribed to this URI.
   * @throws TypeError if `uri` isn't a string.
   */
  resourceUpdated(uri: string): Promise<void>
  /**
   * Sends `notifications/tools/list_changed`. Needed only if the list changed although no definition did, such as when
   * `visible` returns a different result.
   */
  toolsChanged(): Promise<void>
  /** Sends `notifications/resources/list_changed`, such as when a template's `list` returns a different result. */
  resourcesChanged(): Promise<void>
  /** Sends `notifications/prompts/list_changed`, such as when `visible` returns a different result. */
  promptsChanged(): Promise<void>
  /**
   * Sends a custom notification, such as `notifications/acme/rebuilt`, to clients of revisions before 2026-07-28, the only
   * ones that can receive it.
   * @throws TypeError if `method` belongs to the protocol, or `params` can't be serialized as JSON.
   */
  custom(method: string, params?: Readonly<Record<string, unknown>>): Promise<void>
}

export function toNotify(hub: NotificationHub): Notify {
  const changed = (name: ListName) => (): Promise<void> => hub.publish(new Notification(listChanged[name]))
  return {
    resourceUpdated(uri) {
      if (typeof uri !== 'string') {
        throw new TypeError(`notify.resourceUpdated(): expected a URI, got ${describe(uri)}`)
      }
      return hub.publish(new Notification(resourceUpdated, { uri }))
    },
    toolsChanged: changed('tools'),
    resourcesChanged: changed('resources'),
    promptsChanged: changed('prompts'),
    custom: (method, params) => hub.publish(customNotification(method, params)),
  }
}

/** Protocol notifications that only make sense in a certain context, such as during a request. Apps can't send them. */
const reservedMethods =
  /^notifications\/(progress|message|cancelled|initialized|subscriptions\/|elicitation\/|tasks)/

function customNotification(method: unknown, params: unknown): Notification {
  if (typeof method !== 'string' || method === '') {
    throw new TypeError(`notify.custom(): expected the name of a notification, got ${describe(method)}`)
  }
  if (params !== undefined && !isObject(params)) {
    throw new TypeError(`notify.custom(): expected params to be an object, got ${describe(params)}`)
  }
  const custom = new Notification(method, params as Params | undefined)
  if (isProtocolNotification(custom) || reservedMethods.test(method)) {
    throw new TypeError(`notify.custom(): ${describe(method)} is a notification of the protocol`)
  }
  // Throws if JSON can't represent the parameters.
  void custom.text
  return custom
}
