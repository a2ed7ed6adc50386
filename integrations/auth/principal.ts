/** Turns the claims of a verified token into a `Principal`. Shared by both verifiers. */

import type { Principal } from '../../src/adapter.js'
import { invalidToken } from './refusals.js'

type Claims = Readonly<Record<string, unknown>>

/**
 * Returns the principal of a token. It expires at `exp` plus the tolerance.
 * @throws a 401 if the claims have no subject, or bind the token to a key.
 */
export function principalOf(claims: Claims, toleranceSec: number): Principal {
  const { sub, exp, cnf } = claims
  if (typeof sub !== 'string' || sub === '') throw invalidToken('The token has no subject')
  // RFC 9449, 7.1: a bound token that is sent as a bearer token was likely stolen.
  if (cnf !== undefined) throw invalidToken('The token is bound to a key and is not a bearer token')
  const clientId = [claims.client_id, claims.azp].find((id) => typeof id === 'string') as string | undefined
  return {
    subject: sub,
    clientId,
    scopes: scopesOf(claims.scope ?? claims.scp),
    claims,
    expiresAt: typeof exp === 'number' ? exp + toleranceSec : undefined,
  }
}

/** Returns the scope names. RFC 9068 defines `scope` as a string; other servers send `scp`, as a string or an array. */
function scopesOf(scope: unknown): string[] {
  const parts: unknown[] = Array.isArray(scope) ? scope : [scope]
  const texts = parts.filter((part): part is string => typeof part === 'string')
  return [...new Set(texts.flatMap((text) => text.split(' ')))].filter((name) => name !== '')
}
