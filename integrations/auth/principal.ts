/** What a verified token says, whoever verified it. */

import type { Principal } from '../../src/adapter.js'
import { invalidToken } from './refusals.js'

type Claims = Readonly<Record<string, unknown>>

/**
 * It ends with `exp` and the tolerance.
 * @throws a 401 where the claims name nobody, or bind the token to a key that nobody proved to hold.
 */
export function principalOf(claims: Claims, toleranceSec: number): Principal {
  const { sub, exp, cnf } = claims
  if (typeof sub !== 'string' || sub === '') throw invalidToken('The token names no subject')
  // RFC 9449, 7.1: a bound token that is shown as a bearer token was likely stolen.
  if (cnf !== undefined) throw invalidToken('The token is bound to a key and is no bearer token')
  const clientId = [claims.client_id, claims.azp].find((id) => typeof id === 'string') as string | undefined
  return {
    subject: sub,
    clientId,
    scopes: scopesOf(claims.scope ?? claims.scp),
    claims,
    expiresAt: typeof exp === 'number' ? exp + toleranceSec : undefined,
  }
}

/** `scope` is text by RFC 9068; `scp` is what others call it, as text or as an array. */
function scopesOf(scope: unknown): string[] {
  const parts: unknown[] = Array.isArray(scope) ? scope : [scope]
  const texts = parts.filter((part): part is string => typeof part === 'string')
  return [...new Set(texts.flatMap((text) => text.split(' ')))].filter((name) => name !== '')
}
