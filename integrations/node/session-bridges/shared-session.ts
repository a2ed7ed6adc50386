/**
 * Shares one session between the request that carries a call and the inner request of the call. Both load the session
 * from the store; with an object each, the request that saves last would overwrite the other's changes.
 */

import type { IncomingMessage } from 'node:http'
import { followCookieSession, hasCookieSession } from './cookie-session.js'

/** Properties that express-session sets on a request. */
interface SessionRequest {
  session?: unknown
  sessionID?: unknown
  sessionStore?: unknown
  readonly headers: IncomingMessage['headers']
}

/**
 * Gives the inner request the session object of the outer request, if the inner request's middleware arrives at the
 * same session in the same store. Any other session stays separate.
 */
export function shareSession(inner: IncomingMessage, carrier: unknown): void {
  if (!isObject(carrier)) return
  if (hasCookieSession(carrier)) {
    followCookieSession(inner, carrier)
    return
  }
  const outer = carrier as SessionRequest
  if (typeof outer.sessionID !== 'string' || !isObject(outer.session)) return
  const own: { session?: unknown; sessionID?: unknown } = {}
  let shared = false
  const holder = (): typeof own => (shared ? outer : own)
  const isSame = (): boolean =>
    (inner as SessionRequest).sessionStore === outer.sessionStore &&
    (own.sessionID === outer.sessionID || (isNew(own.sessionID, outer) && isNew(outer.sessionID, outer)))
  define(inner, 'sessionID', {
    get: () => holder().sessionID,
    set(value) {
      holder().sessionID = value
    },
  })
  define(inner, 'session', {
    get: () => holder().session,
    set(value) {
      if (!shared && isObject(value) && isSame()) shared = true
      else holder().session = value
    },
  })
}

/** Whether the session was created for this request: the client didn't send its id. */
function isNew(id: unknown, { headers }: SessionRequest): boolean {
  if (typeof id !== 'string') return false
  const sent = headers.cookie ?? ''
  return !sent.includes(id) && !sent.includes(encodeURIComponent(id))
}

function define(target: object, name: string, property: PropertyDescriptor): void {
  Object.defineProperty(target, name, { ...property, configurable: true, enumerable: true })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
