/** Verifies access tokens of any kind at the authorization server's introspection endpoint (RFC 7662). */

import type { TokenVerifier } from '../../src/adapter.js'
import { BackOff } from './back-off.js'
import { fetchJson, UnusableResponse } from './bounded-fetch.js'
import { checkVerifierOptions, duration, oneOrMoreTexts, secureUrl, text } from './checks.js'
import { principalOf } from './principal.js'
import { assertTokenLength, invalidToken, unavailable } from './refusals.js'

/** Options of `introspectionVerifier()`: the introspection endpoint, this API's client credentials and the checks. */
export interface IntrospectionVerifierOptions {
  /** The URL of the introspection endpoint: https, or http on loopback. */
  endpoint: string
  /** The client id that this API authenticates with, by `client_secret_basic`. */
  clientId: string
  /** The secret of `clientId`. */
  clientSecret: string
  /** The value that `iss` must have if the response contains it. Default: `iss` isn't compared. */
  issuer?: string | undefined
  /** Accepted audiences; `aud` must contain at least one. Default: the URL of the mount that the request came to. */
  audience?: string | readonly string[] | undefined
  /** How far clocks may differ. Seconds, default 5. */
  clockToleranceSec?: number | undefined
  /** Time limit of one introspection request. Milliseconds, default 5,000. */
  timeoutMs?: number | undefined
}

const required = ['endpoint', 'clientId', 'clientSecret']
const known = {
  endpoint: secureUrl,
  clientId: text,
  clientSecret: text,
  issuer: text,
  audience: oneOrMoreTexts,
  clockToleranceSec: duration,
  timeoutMs: duration,
}

type Claims = Readonly<Record<string, unknown>>

/**
 * Creates a verifier that introspects each token at the authorization server. The mount caches results for
 * `auth.cacheMs`, so it may take that long until a revocation takes effect. Responses without `aud` or `sub` are refused.
 *
 * The verifier rejects with a 401 if the token is invalid, and with a 503 if the server gives no usable response.
 * @throws TypeError for unknown options and invalid values.
 */
export function introspectionVerifier(options: IntrospectionVerifierOptions): TokenVerifier {
  checkVerifierOptions('introspectionVerifier()', options, { known, required })
  const { endpoint, clientId, clientSecret, issuer, audience } = options
  const { clockToleranceSec = 5, timeoutMs = 5000 } = options
  const headers = { Authorization: basic(clientId, clientSecret), Accept: 'application/json' }

  const backOff = new BackOff({ toleratedFailures: 2, longestMs: 5_000 })

  const introspect = async (token: string): Promise<Claims> => {
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' })
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetchJson(endpoint, { method: 'POST', headers, body, signal })
    if (typeof response.active !== 'boolean')
      throw new UnusableResponse(endpoint, 'expected `active` in the response')
    return response
  }

  return async (token, { resource }) => {
    assertTokenLength(token)
    const claims = await backOff
      .run(() => introspect(token), isServerFailure)
      .catch((error: unknown) => {
        throw unavailable(error)
      })
    if (claims.active !== true) throw invalidToken('The token is not active')
    checkTimes(claims, clockToleranceSec)
    if (issuer !== undefined && claims.iss !== undefined && claims.iss !== issuer)
      throw invalidToken('The token has a different issuer')
    if (!isForAudience(claims, audience ?? resource))
      throw invalidToken('The token is meant for another resource')
    return principalOf(claims, clockToleranceSec)
  }
}

/**
 * Whether the server fails for every token. Any other response may be caused by this one token, such as one from a
 * firewall in front of the server, and says nothing about the next token.
 */
function isServerFailure(error: unknown): boolean {
  if (!(error instanceof UnusableResponse)) return true
  const { httpStatus = 200 } = error
  return httpStatus >= 500 || httpStatus === 429 || httpStatus === 401
}

function checkTimes({ exp, nbf }: Claims, toleranceSec: number): void {
  const now = Date.now() / 1000
  if (typeof exp === 'number' && exp <= now - toleranceSec) throw invalidToken('The token has expired')
  if (typeof nbf === 'number' && nbf > now + toleranceSec) throw invalidToken('The token is not valid yet')
}

function isForAudience({ aud }: Claims, accepted: string | readonly string[]): boolean {
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  return audiences.some((audience) => typeof audience === 'string' && [accepted].flat().includes(audience))
}

/** Builds the `Authorization` header. RFC 6749, 2.3.1: id and secret are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ '': part }).toString().slice(1),
  )
  return `Basic ${btoa(encoded.join(':'))}`
}
