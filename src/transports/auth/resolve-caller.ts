/** Resolves the caller of a request through the mount options `user` and `context`. */

import type { Auth, Identity } from '../../protocol/identity.js'
import type { Core } from '../../server/core.js'
import type { UserId } from '../../sessions/owner.js'
import { isThenable, whenReady } from '../../support/maybe-promise.js'
import type { HttpRequest } from '../http/shapes.js'
import type { Authenticator } from './authenticator.js'
import { Redaction } from './redaction.js'

const none: readonly never[] = []

/** The options by which a mount resolves callers. */
export interface CallerOptions {
  readonly core: Core
  readonly userId: UserId | undefined
  /** Whether the app gave the option `user`, so that a check of an open connection may have a new result. */
  readonly hasUserOption?: boolean
  /** If false, `user` is only called when a connection opens. */
  readonly rechecksUser?: boolean | undefined
  readonly user: (raw: unknown, auth: Auth | undefined) => unknown
  readonly context: ((raw: unknown) => unknown) | undefined
  /** `undefined` if the mount doesn't verify tokens. */
  readonly auth: Authenticator | undefined
}

/** Resolves the caller. `user` and `context` may be async, but most aren't. `context` is called after `user`. */
export function resolveCaller(options: CallerOptions, request: HttpRequest): Identity | Promise<Identity> {
  const lookup: CallerLookup = { options, request, auth: options.auth?.authOf(request) }
  return whenReady(lookUpUser(lookup), withContext, lookup)
}

/** Resolves only the user, for checks of open connections. */
export function resolveUser(options: CallerOptions, request: HttpRequest): unknown {
  return lookUpUser({ options, request, auth: options.auth?.authOf(request) })
}

function lookUpUser(lookup: CallerLookup): unknown {
  const { caller } = lookup.request
  return caller !== undefined && 'user' in caller ? caller.user : callHost('user()', lookup, userOf)
}

/** Records whether a mount has a login. Warns if an upgrade mount has none, although another mount of the router has one. */
export function noteLogin({ logins, log, requireUser }: Core, login: Partial<Core['logins']>): void {
  const warned = logins.hasLogin && logins.openUpgrade !== undefined
  Object.assign(logins, login)
  if (warned || requireUser || !logins.hasLogin || logins.openUpgrade === undefined) return
  log.warn(
    `${logins.openUpgrade} has neither \`user\` nor \`auth\`, but another mount of this router has: no middleware runs for an upgrade, so everybody may call over WebSocket`,
  )
}

interface CallerLookup {
  readonly options: CallerOptions
  readonly request: HttpRequest
  readonly auth: Auth | undefined
}

function userOf({ options, request: { raw }, auth }: CallerLookup): unknown {
  return options.user(raw, auth)
}

function contextOf({ options, request: { raw } }: CallerLookup): unknown {
  return options.context?.(raw)
}

function withContext(user: unknown, lookup: CallerLookup): Identity | Promise<Identity> {
  const context = lookup.request.caller?.context ?? callHost('context()', lookup, contextOf)
  // Some logins return `null` without a user. `identity.user` is always `undefined` then.
  const found = user ?? undefined
  if (!isThenable(context)) return identityOf(found, context, lookup)
  return Promise.resolve(context).then((known) => identityOf(found, known, lookup))
}

function identityOf(user: unknown, context: unknown, { auth }: CallerLookup): Identity {
  // Without a verified token, the caller has no scopes.
  return { user, auth, scopes: auth?.scopes ?? none, context: context as object | undefined }
}

/** Calls one of the app's functions. Removes the token from errors that it throws. */
function callHost(owner: string, lookup: CallerLookup, call: (lookup: CallerLookup) => unknown): unknown {
  const token = lookup.auth?.token
  return token === undefined ? call(lookup) : callWithToken(token, owner, () => call(lookup))
}

function callWithToken(token: string, owner: string, call: () => unknown): unknown {
  const rethrow = (error: unknown): never => {
    throw new Redaction(token).thrown(error, owner)
  }
  try {
    const value = call()
    return isThenable(value) ? Promise.resolve(value).catch(rethrow) : value
  } catch (error) {
    return rethrow(error)
  }
}
