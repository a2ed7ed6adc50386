/** Notices routes that open a new session for every call: their store would fill up. */

import type { InnerResponse } from '../route.js'

/** Once may be a login; again and again means that the app did not know the caller. */
const tooOften = 3
/** Names are the app's own, but some apps make one per call. */
const mostNames = 100

const isSession = (name: string): boolean => /sess|sid$|^koa\.|auth|token/i.test(name)

/**
 * Looks at the cookies of inner answers, which are dropped. Warns once, when a session cookie is set for the third
 * time.
 */
export function cookieWatcher(
  warn: (message: string) => void,
): (response: Pick<InnerResponse, 'headers'>) => void {
  const seen = new Map<string, number>()
  let warned = false
  return ({ headers }) => {
    const given = headers['set-cookie']
    if (warned || given === undefined) return
    for (const cookie of typeof given === 'string' ? [given] : given) {
      const name = cookie.slice(0, cookie.indexOf('=')).trim()
      if (!isSession(name) || isRemoval(cookie)) continue
      const count = (seen.get(name) ?? 0) + 1
      if (seen.size < mostNames || seen.has(name)) seen.set(name, count)
      if (count < tooOften || warned) continue
      warned = true
      warn(
        `routes that run as tools set the session cookie \`${name}\` again and again; it is dropped, so each call may leave a session in your store: send the cookie with the MCP request, or do not save new sessions for callers without one (express-session: \`saveUninitialized: false\`)`,
      )
    }
  }
}

function isRemoval(cookie: string): boolean {
  return /=;|;\s*max-age=0|expires=thu, 01[ -]jan[ -]1970/i.test(cookie)
}
