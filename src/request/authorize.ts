/** Who may use a definition: `requireUser` and `scopes`, and what those are told who may not. */

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

/** 401: the answer to an anonymous caller where a user is required. */
export function assertUser(identity: Identity, peer: Peer): void {
  if (isAnonymous(identity)) throw unauthorized(peer, {})
}

/** Neither the login of the host nor a token says who calls. */
export function isAnonymous({ user, auth }: Identity): boolean {
  return (user === undefined || user === null) && auth === undefined
}

export function hasScopes(needed: readonly string[], { scopes }: Identity): boolean {
  return scopes === undefined || needed.every((scope) => scopes.includes(scope))
}

/**
 * What tells a client to come back with another token. It names every scope that is needed, and those there are, since
 * the new token takes the place of the old one (specification, Authorization, Scope challenge).
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

/** How messages name it. */
export function ownerOf({ kind, name }: Entry): string {
  return `${kind} "${name}"`
}

/** What `visible` may look at. */
export interface Viewer {
  readonly identity: Identity
  readonly request: RequestInfo | undefined
}

/** Whether this caller may know of a definition. One whose `visible` fails stays hidden, and `onError` is told why. */
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
