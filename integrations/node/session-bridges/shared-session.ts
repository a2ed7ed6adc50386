/**
 * One session for the request that carries a call and for the request that the call makes. Both read it from the store;
 * with an object each, the one that saves last would undo what the other has written.
 */

import type { IncomingMessage } from 'node:http'
import { followCookieSession, hasCookieSession } from './cookie-session.js'

/** What express-session puts on a request. */
interface Holder {
  session?: unknown
  sessionID?: unknown
  sessionStore?: unknown
  readonly headers: IncomingMessage['headers']
}

/**
 * Where the inner request's own session middleware comes to the session of the outer one, in the same store, the inner
 * request gets the outer's object. Any other session stays its own.
 */
export function shareSession(inner: IncomingMessage, carrier: unknown): void {
  if (!isObject(carrier)) return
  if (hasCookieSession(carrier)) {
    followCookieSession(inner, carrier)
    return
  }
  const outer = carrier as Holder
  if (typeof outer.sessionID !== 'string' || !isObject(outer.session)) return
  const own: { session?: unknown; sessionID?: unknown } = {}
  let shared = false
  const holder = (): typeof own => (shared ? outer : own)
  const isSame = (): boolean =>
    (inner as Holder).sessionStore === outer.sessionStore &&
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

/** Nobody sent it, so it was made for this request. */
function isNew(id: unknown, { headers }: Holder): boolean {
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
