/** Verifies access tokens that are JWTs, with the public keys of their issuer. */

import { errors, jwtVerify } from 'jose'
import { McpError, type TokenVerifier } from '../../src/adapter.js'
import { checkVerifierOptions, duration, oneOrMoreTexts, secureUrl } from './checks.js'
import { principalOf } from './principal.js'
import { assertTokenLength, invalidToken, unavailable } from './refusals.js'
import { remoteKeys } from './remote-keys.js'

/** Options of `jwtVerifier()`: the accepted issuer, audiences and algorithms, and how keys are fetched. */
export interface JwtVerifierOptions {
  /** The issuer, spelled exactly as `iss` in its tokens. https, or http on loopback. */
  issuer: string
  /** The URL of the issuer's public keys. Default: `jwks_uri` of its metadata, fetched when the first token comes. */
  jwksUri?: string | undefined
  /** Accepted audiences; `aud` must contain at least one. Default: the URL of the mount that the request came to. */
  audience?: string | readonly string[] | undefined
  /** Accepted signature algorithms, asymmetric only. Default: RS, PS and ES with 256, 384 and 512 bits, EdDSA. */
  algorithms?: readonly JwtAlgorithm[] | undefined
  /** How far clocks may differ. Seconds, default 5. */
  clockToleranceSec?: number | undefined
  /** How long keys are used before they are fetched again. Milliseconds, default 600,000. */
  keysMaxAgeMs?: number | undefined
  /** How long after a fetch an unknown key id doesn't trigger another fetch. Milliseconds, default 30,000. */
  keysCooldownMs?: number | undefined
  /** Time limit of one request to the issuer. Milliseconds, default 5,000. */
  timeoutMs?: number | undefined
}

/** The accepted signature algorithms, as named in RFC 7518 and RFC 8037. Symmetric ones and `none` are excluded. */
export type JwtAlgorithm = (typeof algorithmNames)[number]

const algorithmNames = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

const required = ['issuer']
const known = {
  issuer: secureUrl,
  jwksUri: secureUrl,
  audience: oneOrMoreTexts,
  algorithms: publicAlgorithms,
  clockToleranceSec: duration,
  keysMaxAgeMs: duration,
  keysCooldownMs: duration,
  timeoutMs: duration,
}

/**
 * Creates a verifier for JWTs. It checks the signature, issuer, audience, `exp` and `nbf`. Tokens without `exp`, `aud` or
 * `sub` are refused.
 *
 * ```ts
 * mcp(router, { publicUrl, auth: { authorizationServers: [issuer], verify: jwtVerifier({ issuer }) } })
 * ```
 *
 * The verifier rejects with a 401 if the token is invalid, and with a 503 if the keys can't be fetched.
 * @throws TypeError for unknown options and invalid values.
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  checkVerifierOptions('jwtVerifier()', options, { known, required })
  const { issuer, jwksUri, audience, clockToleranceSec = 5, timeoutMs = 5000 } = options
  const { keysMaxAgeMs = 600_000, keysCooldownMs = 30_000, algorithms = algorithmNames } = options
  const keyOf = remoteKeys({ issuer, jwksUri, keysMaxAgeMs, keysCooldownMs, timeoutMs })
  const baseOptions = {
    issuer,
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSec,
    requiredClaims: ['exp'],
  }

  return async (token, { resource }) => {
    assertTokenLength(token)
    const accepted = audience ?? resource
    const options = { ...baseOptions, audience: typeof accepted === 'string' ? accepted : [...accepted] }
    const { payload } = await jwtVerify(token, keyOf, options).catch((error: unknown) => {
      throw toMcpError(error)
    })
    return principalOf(payload, clockToleranceSec)
  }
}

/** Maps an error of `jose` to a 401. Any other error says nothing about the token and becomes a 503. */
function toMcpError(error: unknown): McpError {
  if (error instanceof McpError) return error
  if (error instanceof errors.JWTClaimValidationFailed) return invalidToken(claimReason(error.claim))
  const reason = error instanceof errors.JOSEError ? reasons[error.code] : undefined
  return reason === undefined ? unavailable(error) : invalidToken(reason)
}

const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'The token has expired',
  ERR_JWS_INVALID: 'The token is not well-formed',
  ERR_JWT_INVALID: 'The token is not well-formed',
  ERR_JOSE_NOT_SUPPORTED: 'This kind of token is not supported',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The signature algorithm of the token is not accepted',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the token is wrong',
  ERR_JWKS_NO_MATCHING_KEY: 'The token is signed with an unknown key',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'The token does not say which key it is signed with',
}

function claimReason(claim: string): string {
  return Object.hasOwn(claimReasons, claim) ? (claimReasons[claim] as string) : 'The token lacks a claim'
}

const claimReasons: Readonly<Record<string, string>> = {
  iss: 'The token has a different issuer',
  aud: 'The token is meant for another resource',
  nbf: 'The token is not valid yet',
}

/** Accepts only asymmetric algorithms. With a symmetric one, anyone could sign with the public key as the secret. */
function publicAlgorithms(value: unknown, what: string): void {
  const names: unknown[] = Array.isArray(value) ? value : []
  const wrong = names.find((name) => !algorithmNames.some((known) => known === name))
  if (names.length > 0 && wrong === undefined) return
  const got = names.length === 0 ? 'no such array' : String(wrong)
  throw new TypeError(`${what} to be an array of ${algorithmNames.join(', ')}; got ${got}`)
}
