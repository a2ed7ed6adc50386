/**
 * Carries session changes of a route back to the client for cookie-session. There the session is the cookie itself, so
 * each request has its own, and the cookie of the inner response is never sent. The request that carries the call takes
 * over the changed session, and its own cookie-session sends the cookie.
 */

import type { ServerResponse } from 'node:http'

/** Properties that cookie-session sets on a request of Express. */
interface SessionRequest {
  /** Inherits from the middleware's options, so that an app can change them for one request. */
  sessionOptions?: object
  session?: Session | null
  readonly res?: ServerResponse
  readonly headers?: { readonly cookie?: string | undefined }
}

type CookieSessionRequest = SessionRequest & { readonly sessionOptions: object }

type Session = Readonly<Record<string, unknown>> & { readonly isNew?: boolean; readonly isChanged?: boolean }

/** Whether cookie-session has run on the request. */
export function hasCookieSession(request: object): request is CookieSessionRequest {
  return (
    isObject((request as SessionRequest).sessionOptions) &&
    isObject(Object.getPrototypeOf((request as SessionRequest).sessionOptions))
  )
}

/** Waits until cookie-session runs on the inner request, then until the inner response ends. */
export function followCookieSession(inner: object, outer: CookieSessionRequest): void {
  const request: SessionRequest = inner
  let innerOptions: object | undefined
  Object.defineProperty(inner, 'sessionOptions', {
    get: () => innerOptions,
    set(options: object) {
      if (innerOptions === undefined) request.res?.once('finish', () => takeOver(request, outer))
      innerOptions = options
    },
    configurable: true,
    enumerable: true,
  })
}

/** Copies the inner session to the outer request, unless the outer response's headers were already sent. */
function takeOver({ session, sessionOptions, headers }: SessionRequest, outer: CookieSessionRequest): void {
  // With another cookie, the inner session belongs to another caller.
  if (headers?.cookie !== outer.headers?.cookie) return
  if (sessionOptions === undefined || !isSame(sessionOptions, outer.sessionOptions)) return
  if (outer.res === undefined || outer.res.headersSent) return
  if (session === null) outer.session = null
  else if (isWritten(session)) outer.session = { ...session }
  else return
  Object.assign(outer.sessionOptions, sessionOptions)
}

/** Whether cookie-session would send the session: the condition it uses itself. */
function isWritten(session: Session | undefined): session is Session {
  if (session?.isChanged !== true) return false
  return session.isNew !== true || Object.keys(session).length > 0
}

/** Whether both requests ran the same middleware. Sessions of the same name may have different keys. */
function isSame(options: object, others: object): boolean {
  return Object.getPrototypeOf(options) === Object.getPrototypeOf(others)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
