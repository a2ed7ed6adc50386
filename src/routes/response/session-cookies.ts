/** Detects routes that start a new session on every call, which would fill their session store. */

import type { InnerResponse } from '../route.js'

/** A single cookie may be a login; repeated ones mean that the app didn't recognize the caller. */
const tooOften = 3
/** Limits memory, because some apps generate cookie names. */
const mostNames = 100

const isSession = (name: string): boolean => /sess|sid$|^koa\.|auth|token/i.test(name)

/**
 * Creates a listener for inner responses, whose cookies are dropped. Warns once, when a session cookie is set for the
 * third time.
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
