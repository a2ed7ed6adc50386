/** Verifies access tokens that are JWTs, with the public keys of their issuer. */

import { errors, jwtVerify } from 'jose'
import { McpError, type TokenVerifier } from '../../src/adapter.js'
import { checkVerifierOptions, duration, oneOrMoreTexts, secureUrl } from './checks.js'
import { principalOf } from './principal.js'
import { invalidToken, refuseLong, unavailable } from './refusals.js'
import { remoteKeys } from './remote-keys.js'

/** Whose tokens are taken, and how they must be signed. */
export interface JwtVerifierOptions {
  /** Exactly as `iss` of the tokens spells it. https, or http on loopback. */
  issuer: string
  /** Where its public keys are. Default: what the issuer's metadata says, asked for when the first token comes. */
  jwksUri?: string | undefined
  /** Whom a token must be meant for, one of several. Default: the resource that is asked for. */
  audience?: string | readonly string[] | undefined
  /** Signatures to accept, of public keys only. Default: RS, PS and ES with 256, 384 and 512 bits, EdDSA. */
  algorithms?: readonly JwtAlgorithm[] | undefined
  /** How far clocks may differ. Default 5 seconds. */
  clockToleranceSec?: number | undefined
  /** How long keys are used before they are fetched again. Default 600,000. */
  keysMaxAgeMs?: number | undefined
  /** How long after a fetch unknown key ids lead to no other one. Default 30,000. */
  keysCooldownMs?: number | undefined
  /** For one request to the issuer. Default 5,000. */
  timeoutMs?: number | undefined
}

/** By names of RFC 7518 and RFC 8037. Secrets (HS256 and its kin) and `none` are not among them. */
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
 * A verifier for JWTs: signature, issuer, audience, `exp`, `nbf`. Tokens without `exp`, `aud` or `sub` are refused.
 *
 * ```ts
 * mcp(router, { publicUrl, auth: { authorizationServers: [issuer], verify: jwtVerifier({ issuer }) } })
 * ```
 *
 * It rejects with a 401 where the token is at fault, and with a 503 where the keys cannot be had.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  checkVerifierOptions('jwtVerifier()', options, { known, required })
  const { issuer, jwksUri, audience, clockToleranceSec = 5, timeoutMs = 5000 } = options
  const { keysMaxAgeMs = 600_000, keysCooldownMs = 30_000, algorithms = algorithmNames } = options
  const keyOf = remoteKeys({ issuer, jwksUri, keysMaxAgeMs, keysCooldownMs, timeoutMs })
  const fixed = {
    issuer,
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSec,
    requiredClaims: ['exp'],
  }

  return async (token, { resource }) => {
    refuseLong(token)
    const wanted = audience ?? resource
    const options = { ...fixed, audience: typeof wanted === 'string' ? wanted : [...wanted] }
    const { payload } = await jwtVerify(token, keyOf, options).catch((error: unknown) => {
      throw refusalOf(error)
    })
    return principalOf(payload, clockToleranceSec)
  }
}

/** What is no fault of the token leaves nothing known of it. */
function refusalOf(error: unknown): McpError {
  if (error instanceof McpError) return error
  if (error instanceof errors.JWTClaimValidationFailed) return invalidToken(ofClaim(error.claim))
  const reason = error instanceof errors.JOSEError ? reasons[error.code] : undefined
  return reason === undefined ? unavailable(error) : invalidToken(reason)
}

const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'The token has expired',
  ERR_JWS_INVALID: 'The token is not well-formed',
  ERR_JWT_INVALID: 'The token is not well-formed',
  ERR_JOSE_NOT_SUPPORTED: 'The token is of a kind that is not supported',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The token is signed in a way that is not accepted',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the token is wrong',
  ERR_JWKS_NO_MATCHING_KEY: 'The token is signed with an unknown key',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'The token does not say which key it is signed with',
}

function ofClaim(claim: string): string {
  return Object.hasOwn(claimReasons, claim) ? (claimReasons[claim] as string) : 'The token is not complete'
}

const claimReasons: Readonly<Record<string, string>> = {
  iss: 'The token is of another issuer',
  aud: 'The token is meant for another resource',
  nbf: 'The token is not valid yet',
}

/** A secret would be one that every holder of the public key knows. */
function publicAlgorithms(value: unknown, what: string): void {
  const names: unknown[] = Array.isArray(value) ? value : []
  const wrong = names.find((name) => !algorithmNames.some((one) => one === name))
  if (names.length > 0 && wrong === undefined) return
  const came = names.length === 0 ? 'no array of them' : String(wrong)
  throw new TypeError(`${what} to hold some of ${algorithmNames.join(', ')}; got ${came}`)
}
