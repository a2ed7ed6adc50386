/** Who is calling, as the mount options `user` and `context` say it. */

import type { Auth, Identity } from '../context.js'
import { isThenable, whenReady } from '../thenable.js'
import type { PeerOptions } from './http-peer.js'
import { Redaction } from './redaction.js'
import type { HttpRequest } from './shapes.js'

const none: readonly never[] = []

/** Asks the host: both functions may be asynchronous, most are not. `context` is asked once there is a user. */
export function identify(options: PeerOptions, request: HttpRequest): Identity | Promise<Identity> {
  const { raw, caller } = request
  const auth = options.auth?.of(request)
  const user =
    caller !== undefined && 'user' in caller
      ? caller.user
      : askHost('user()', auth, () => options.user(raw, auth))
  return whenReady(user, (found) => {
    const context = caller?.context ?? askHost('context()', auth, () => options.context?.(raw))
    return whenReady(context, (extra) => ({
      // Logins and decorated requests say `null` for nobody; there is one word for it here.
      user: found ?? undefined,
      auth,
      // Where no token was checked nobody has any.
      scopes: auth?.scopes ?? none,
      context: extra as object | undefined,
    }))
  })
}

/** What it throws must not take the token along that it was given. */
function askHost<T>(owner: string, auth: Auth | undefined, ask: () => T): T | Promise<Awaited<T>> {
  const token = auth?.token
  if (token === undefined) return ask()
  const refuse = (error: unknown): never => {
    throw new Redaction(token).thrown(error, owner)
  }
  try {
    const value = ask()
    return isThenable(value) ? Promise.resolve(value).catch(refuse) : value
  } catch (error) {
    return refuse(error)
  }
}
