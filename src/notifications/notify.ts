/** `router.notify`: tells clients of changes, from anywhere in the app. */

import type { Params } from '../protocol/types.js'
import { describe, isObject } from '../support/values.js'
import { isOwn, type ListName, listChanged, Notification, resourceUpdated } from './notification.js'
import type { NotificationHub } from './notification-hub.js'

/**
 * Reaches the clients of every machine that shares the store. Each resolves when the notice was handed on, and never
 * rejects for a store or a client that is away.
 */
export interface Notify {
  /** To the clients that are subscribed to this URI. @throws TypeError when it is no string. */
  resourceUpdated(uri: string): Promise<void>
  /** Lists may have changed although no definition did: `visible` or a template's `list` answer differently now. */
  toolsChanged(): Promise<void>
  resourcesChanged(): Promise<void>
  promptsChanged(): Promise<void>
  /**
   * A notification of your own, such as `notifications/acme/rebuilt`, to the clients that can get one: those before
   * 2026-07-28. @throws TypeError for a method that is the protocol's own, and for what JSON cannot carry.
   */
  custom(method: string, params?: Readonly<Record<string, unknown>>): Promise<void>
}

export function toNotify(notices: NotificationHub): Notify {
  const changed = (name: ListName) => (): Promise<void> =>
    notices.publish(new Notification(listChanged[name]))
  return {
    resourceUpdated(uri) {
      if (typeof uri !== 'string') {
        throw new TypeError(`notify.resourceUpdated(): expected a URI, got ${describe(uri)}`)
      }
      return notices.publish(new Notification(resourceUpdated, { uri }))
    },
    toolsChanged: changed('tools'),
    resourcesChanged: changed('resources'),
    promptsChanged: changed('prompts'),
    custom: (method, params) => notices.publish(customNotice(method, params)),
  }
}

/** What the protocol sends in answer to something must not come out of nowhere. */
const protocolOwn =
  /^notifications\/(progress|message|cancelled|initialized|subscriptions\/|elicitation\/|tasks)/

function customNotice(method: unknown, params: unknown): Notification {
  if (typeof method !== 'string' || method === '') {
    throw new TypeError(`notify.custom(): expected the name of a notification, got ${describe(method)}`)
  }
  if (params !== undefined && !isObject(params)) {
    throw new TypeError(`notify.custom(): expected params to be an object, got ${describe(params)}`)
  }
  const notice = new Notification(method, params as Params | undefined)
  if (isOwn(notice) || protocolOwn.test(method)) {
    throw new TypeError(`notify.custom(): ${describe(method)} is a notification of the protocol`)
  }
  void notice.text
  return notice
}
