/** Who is calling, as the mount options `user` and `context` say it. */

import type { Auth, Identity } from '../../protocol/identity.js'
import type { Core } from '../../server/core.js'
import type { UserId } from '../../sessions/owner.js'
import { isThenable, whenReady } from '../../support/maybe-promise.js'
import type { HttpRequest } from '../http/shapes.js'
import type { Authenticator } from './authenticator.js'
import { Redaction } from './redaction.js'

const none: readonly never[] = []

/** How a mount finds out who calls. */
export interface CallerOptions {
  readonly core: Core
  readonly userId: UserId | undefined
  /** The app gave `user`: it may know of a caller what it did not know before. */
  readonly asksUser?: boolean
  /** False: `user` is asked when a connection begins, and never again. */
  readonly rechecksUser?: boolean | undefined
  readonly user: (raw: unknown, auth: Auth | undefined) => unknown
  readonly context: ((raw: unknown) => unknown) | undefined
  /** `undefined`: the mount checks no tokens. */
  readonly auth: Authenticator | undefined
}

/** Asks the host: both functions may be asynchronous, most are not. `context` is asked once there is a user. */
export function resolveCaller(options: CallerOptions, request: HttpRequest): Identity | Promise<Identity> {
  const asked: CallerLookup = { options, request, auth: options.auth?.of(request) }
  return whenReady(askForUser(asked), withContext, asked)
}

/** The user alone, as the host knows them now. */
export function askUser(options: CallerOptions, request: HttpRequest): unknown {
  return askForUser({ options, request, auth: options.auth?.of(request) })
}

function askForUser(asked: CallerLookup): unknown {
  const { caller } = asked.request
  return caller !== undefined && 'user' in caller ? caller.user : askHost('user()', asked, userOf)
}

/** Warns where a WebSocket mount lets everybody in, and another mount of the router asks who calls. */
export function noteDoor({ doors, log, requireUser }: Core, door: Partial<Core['doors']>): void {
  const warned = doors.asks && doors.open !== undefined
  Object.assign(doors, door)
  if (warned || requireUser || !doors.asks || doors.open === undefined) return
  log.warn(
    `${doors.open} has neither \`user\` nor \`auth\`, but another mount of this router has: no middleware runs for an upgrade, so everybody may call over WebSocket`,
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

function withContext(user: unknown, asked: CallerLookup): Identity | Promise<Identity> {
  const context = asked.request.caller?.context ?? askHost('context()', asked, contextOf)
  // Logins and decorated requests say `null` for nobody; there is one word for it here.
  const found = user ?? undefined
  if (!isThenable(context)) return identityOf(found, context, asked)
  return Promise.resolve(context).then((known) => identityOf(found, known, asked))
}

function identityOf(user: unknown, context: unknown, { auth }: CallerLookup): Identity {
  // Where no token was checked nobody has any.
  return { user, auth, scopes: auth?.scopes ?? none, context: context as object | undefined }
}

/** What it throws must not take the token along that it was given. */
function askHost(owner: string, asked: CallerLookup, ask: (asked: CallerLookup) => unknown): unknown {
  const token = asked.auth?.token
  return token === undefined ? ask(asked) : askWith(token, owner, () => ask(asked))
}

function askWith(token: string, owner: string, ask: () => unknown): unknown {
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
