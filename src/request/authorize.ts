/** Authorization of a caller for a definition: `requireUser`, `scopes` and `visible`, and the errors for callers who fail. */

import type { RequestInfo } from '../definitions/context.js'
import type { Entry } from '../definitions/entries.js'
import { type Challenge, ErrorCode, type McpError, refusal } from '../errors/errors.js'
import type { Identity } from '../protocol/identity.js'
import { isThenable } from '../support/maybe-promise.js'
import type { Exchange } from './exchange.js'
import type { Peer } from './peer.js'

/** Refuses anonymous callers, and tokens without the scopes that the definition names. */
export function authorize(entry: Entry, exchange: Exchange, identity: Identity): void {
  if (entry.requireUser) assertUser(identity, exchange.peer)
  const { scopes } = entry
  if (!hasScopes(scopes, identity))
    throw insufficientScope(exchange, identity, { owner: ownerOf(entry), scopes })
}

/** Whether `authorize` lets this caller pass. */
export function isAuthorized(entry: Entry, identity: Identity): boolean {
  return !(entry.requireUser && isAnonymous(identity)) && hasScopes(entry.scopes, identity)
}

/** Throws 401 for an anonymous caller. */
export function assertUser(identity: Identity, peer: Peer): void {
  if (isAnonymous(identity)) throw unauthorized(peer, {})
}

/** Whether neither the host's login nor a token identifies the caller. */
export function isAnonymous({ user, auth }: Identity): boolean {
  return (user === undefined || user === null) && auth === undefined
}

export function hasScopes(needed: readonly string[], { scopes }: Identity): boolean {
  return scopes === undefined || needed.every((scope) => scopes.includes(scope))
}

/**
 * The 403 that tells a client to get another token. It lists the missing scopes and the present ones, because the new
 * token replaces the old one (specification, Authorization, Scope challenge).
 */
export function insufficientScope(
  { services, peer }: Exchange,
  { auth, scopes: held = [] }: Identity,
  { owner, scopes }: { readonly owner: string; readonly scopes: readonly string[] },
): McpError {
  if (auth === undefined && peer.challenge !== undefined) return unauthorized(peer, { scopes })
  const message = `Forbidden: ${owner} needs the scopes ${scopes.join(', ')}`
  if (peer.challenge === undefined) {
    if (peer.headers !== undefined)
      services.log.request.warn(`${message}; the mount checks no tokens: give it \`auth\``)
    return refusal(ErrorCode.Forbidden, message, { status: 403, data: { scopes } })
  }
  const description = `This needs the scopes ${scopes.join(' ')}`
  const challenge = { error: 'insufficient_scope', description, scopes: [...scopes, ...held] } as const
  return refusal(ErrorCode.Forbidden, message, {
    status: 403,
    data: { scopes },
    headers: { 'WWW-Authenticate': peer.challenge(challenge) },
  })
}

function unauthorized({ challenge }: Peer, about: Challenge): McpError {
  return refusal(ErrorCode.Unauthorized, 'Sign in to use this', {
    status: 401,
    headers: { 'WWW-Authenticate': challenge?.(about) ?? 'Bearer' },
  })
}

/** The name of a definition in messages: `tool "task_list"`. */
export function ownerOf({ kind, name }: Entry): string {
  return `${kind} "${name}"`
}

/** The caller as `visible` receives it. */
export interface Viewer {
  readonly identity: Identity
  readonly request: RequestInfo | undefined
}

/** Whether the caller may see a definition. If `visible` throws, the definition stays hidden and `onError` gets the error. */
export function isVisibleTo(
  entry: Entry,
  { identity: { user, auth, context }, request }: Viewer,
  onError: (error: unknown, owner: string) => void,
): boolean {
  const { visible } = entry.options
  if (visible === undefined) return true
  try {
    // V8 makes a hidden class for every object that is spread first and added to afterwards.
    const viewer = Object.assign({}, context, { user, auth, request })
    const shown: unknown = visible(viewer as never)
    if (isThenable(shown)) throw new TypeError('`visible` returned a promise: expected true or false')
    return shown === true
  } catch (error) {
    onError(error, `visible of ${entry.kind} "${entry.name}"`)
    return false
  }
}
