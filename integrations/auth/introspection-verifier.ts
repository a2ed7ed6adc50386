/** Verifies access tokens of any kind by asking the authorization server: RFC 7662. */

import type { TokenVerifier } from '../../src/adapter.js'
import { BackOff } from './back-off.js'
import { fetchJson, UnusableAnswer } from './bounded-fetch.js'
import { checkVerifierOptions, duration, oneOrMoreTexts, secureUrl, text } from './checks.js'
import { principalOf } from './principal.js'
import { invalidToken, refuseLong, unavailable } from './refusals.js'

/** Whom to ask about tokens, and as whom. */
export interface IntrospectionVerifierOptions {
  /** The introspection endpoint. https, or http on loopback. */
  endpoint: string
  /** As whom this API asks, by `client_secret_basic`. */
  clientId: string
  clientSecret: string
  /** What `iss` must be, where the answer names one. Default: not compared. */
  issuer?: string | undefined
  /** Whom a token must be meant for, one of several. Default: the resource that is asked for. */
  audience?: string | readonly string[] | undefined
  /** How far clocks may differ. Default 5 seconds. */
  clockToleranceSec?: number | undefined
  /** For one request. Default 5,000. */
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
 * A verifier that asks the authorization server about each token; the mount keeps its verdicts for `auth.cacheMs`, so
 * that is how late a revocation is noticed. An answer without `aud` or `sub` is refused.
 *
 * It rejects with a 401 where the token is at fault, and with a 503 where the server gives no usable answer.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function introspectionVerifier(options: IntrospectionVerifierOptions): TokenVerifier {
  checkVerifierOptions('introspectionVerifier()', options, { known, required })
  const { endpoint, clientId, clientSecret, issuer, audience } = options
  const { clockToleranceSec = 5, timeoutMs = 5000 } = options
  const headers = { Authorization: basic(clientId, clientSecret), Accept: 'application/json' }

  const backOff = new BackOff({ patience: 2, longestMs: 5_000 })

  const ask = async (token: string): Promise<Claims> => {
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' })
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetchJson(endpoint, { method: 'POST', headers, body, signal })
    if (typeof answer.active !== 'boolean')
      throw new UnusableAnswer(endpoint, 'expected `active` in the answer')
    return answer
  }

  return async (token, { resource }) => {
    refuseLong(token)
    const claims = await backOff
      .run(() => ask(token), isOfServer)
      .catch((error: unknown) => {
        throw unavailable(error)
      })
    if (claims.active !== true) throw invalidToken('The token is not active')
    checkTimes(claims, clockToleranceSec)
    if (issuer !== undefined && claims.iss !== undefined && claims.iss !== issuer)
      throw invalidToken('The token is of another issuer')
    if (!isMeantFor(claims, audience ?? resource))
      throw invalidToken('The token is meant for another resource')
    return principalOf(claims, clockToleranceSec)
  }
}

/**
 * Whether the server fails for everybody. Any other answer may be the fault of one token, as that of a firewall in front
 * of the server is, and says nothing about the next one.
 */
function isOfServer(error: unknown): boolean {
  if (!(error instanceof UnusableAnswer)) return true
  const { httpStatus = 200 } = error
  return httpStatus >= 500 || httpStatus === 429 || httpStatus === 401
}

function checkTimes({ exp, nbf }: Claims, toleranceSec: number): void {
  const now = Date.now() / 1000
  if (typeof exp === 'number' && exp <= now - toleranceSec) throw invalidToken('The token has expired')
  if (typeof nbf === 'number' && nbf > now + toleranceSec) throw invalidToken('The token is not valid yet')
}

function isMeantFor({ aud }: Claims, wanted: string | readonly string[]): boolean {
  const named: unknown[] = Array.isArray(aud) ? aud : [aud]
  return named.some((one) => typeof one === 'string' && [wanted].flat().includes(one))
}

/** RFC 6749, 2.3.1: both are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ '': part }).toString().slice(1),
  )
  return `Basic ${btoa(encoded.join(':'))}`
}
