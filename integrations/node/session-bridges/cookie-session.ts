/**
 * What a route writes to a session of cookie-session, which is itself the cookie: each request has its own, and the
 * cookie of the inner answer goes nowhere. So the request that carries the call takes over what became of it, and its own
 * middleware says so to the client.
 */

import type { ServerResponse } from 'node:http'

/** What cookie-session puts on a request of Express. */
interface Holder {
  /** Made of the options of its middleware, so that an app may change them for one request. */
  sessionOptions?: object
  session?: Session | null
  readonly res?: ServerResponse
  readonly headers?: { readonly cookie?: string | undefined }
}

type Followed = Holder & { readonly sessionOptions: object }

type Session = Readonly<Record<string, unknown>> & { readonly isNew?: boolean; readonly isChanged?: boolean }

/** Whether this one has run on the request. */
export function hasCookieSession(holder: object): holder is Followed {
  return (
    isObject((holder as Holder).sessionOptions) &&
    isObject(Object.getPrototypeOf((holder as Holder).sessionOptions))
  )
}

/** Waits for the same middleware on the inner request, and for the end of its answer. */
export function followCookieSession(inner: object, outer: Followed): void {
  const holder: Holder = inner
  let own: object | undefined
  Object.defineProperty(inner, 'sessionOptions', {
    get: () => own,
    set(options: object) {
      if (own === undefined) holder.res?.once('finish', () => takeOver(holder, outer))
      own = options
    },
    configurable: true,
    enumerable: true,
  })
}

/** Too late where the answer of the outer one has begun. */
function takeOver({ session, sessionOptions, headers }: Holder, outer: Followed): void {
  // What somebody else's cookie made is not for this caller.
  if (headers?.cookie !== outer.headers?.cookie) return
  if (sessionOptions === undefined || !isSame(sessionOptions, outer.sessionOptions)) return
  if (outer.res === undefined || outer.res.headersSent) return
  if (session === null) outer.session = null
  else if (isWritten(session)) outer.session = { ...session }
  else return
  Object.assign(outer.sessionOptions, sessionOptions)
}

/** What cookie-session itself would send. */
function isWritten(session: Session | undefined): session is Session {
  if (session?.isChanged !== true) return false
  return session.isNew !== true || Object.keys(session).length > 0
}

/** Two sessions of one name may have keys of their own. */
function isSame(options: object, others: object): boolean {
  return Object.getPrototypeOf(options) === Object.getPrototypeOf(others)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
