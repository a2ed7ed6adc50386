/** Caches the results of the token verifier for a short time. Concurrent requests with one token share a verification. */

import { runtime } from '#runtime'
import { Interrupted, messageOf } from '../../errors/classify-error.js'
import { ErrorCode, type McpError, refusal, UnauthorizedError } from '../../errors/errors.js'
import { withTimeout } from '../../support/deadlines.js'
import { ExpiringMap } from '../../support/expiring-map.js'
import { isThenable } from '../../support/maybe-promise.js'
import { describe, isObject } from '../../support/values.js'
import type { Principal, TokenUse, TokenVerifier } from './auth-options.js'
import { Redaction } from './redaction.js'
import { verifierStatus } from './verifier-status.js'

/** The maximum number of cached principals. Keys contain a digest of the token, not the token itself. */
const maxPrincipals = 10_000
/** The maximum number of cached refusals. They're separate, so that invalid tokens can't evict valid ones. */
const maxRefusals = 1_000
/** The maximum time a refusal is cached in milliseconds: the token may become valid soon, or its signing key may be new. */
const maxRefusalMs = 10_000

export interface TokenCacheParts {
  readonly verify: TokenVerifier
  readonly cacheMs: number
  /** The time limit of one verification; 0 for no limit. */
  readonly timeoutMs: number
}

export class TokenCache {
  readonly #parts: TokenCacheParts
  /** Expires by a monotonic clock: setting the system clock back must not extend a revoked token. */
  readonly #principals = new ExpiringMap<Principal>(maxPrincipals)
  readonly #refusals = new ExpiringMap<McpError>(maxRefusals)
  readonly #pending = new Map<string, Promise<Principal>>()

  constructor(parts: TokenCacheParts) {
    this.#parts = parts
  }

  /** Returns the principal of a token, synchronously if it's cached. Throws, or rejects with, the verifier's error. */
  get(token: string, use: TokenUse): Principal | Promise<Principal> {
    if (this.#parts.cacheMs === 0) return this.#verify(token, use).then(assertUnexpired)
    // A token that is valid for one resource may be invalid for another.
    const key = runtime.digest(token) + use.resource
    return (
      this.#cachedPrincipal(key) ??
      this.#pending.get(key) ??
      this.#cachedRefusal(key) ??
      this.#verifyOnce(key, token, use)
    )
  }

  #cachedRefusal(key: string): Promise<never> | undefined {
    const refused = this.#refusals.get(key, performance.now())
    return refused === undefined ? undefined : Promise.reject(refused)
  }

  #cachedPrincipal(key: string): Principal | undefined {
    const principal = this.#principals.get(key, performance.now())
    if (principal === undefined || !isExpired(principal)) return principal
    this.#principals.delete(key)
    return undefined
  }

  #verifyOnce(key: string, token: string, use: TokenUse): Promise<Principal> {
    const { cacheMs } = this.#parts
    const verdict = this.#verify(token, use).then(
      (principal) => {
        // Expiry isn't cached as a refusal, because the system clock may be set back.
        assertUnexpired(principal)
        const now = performance.now()
        this.#principals.set(key, principal, now + cacheMs, now)
        return principal
      },
      (error: unknown) => {
        const status = verifierStatus(error)
        const now = performance.now()
        if (status === 401 || status === 403)
          this.#refusals.set(key, toRefusal(error, status, token), now + Math.min(cacheMs, maxRefusalMs), now)
        throw error
      },
    )
    this.#pending.set(key, verdict)
    const done = (): void => void this.#pending.delete(key)
    verdict.then(done, done)
    return verdict
  }

  async #verify(token: string, use: TokenUse): Promise<Principal> {
    const { verify, timeoutMs } = this.#parts
    const result: unknown = verify(token, use)
    const principal =
      isThenable(result) && timeoutMs > 0
        ? withTimeout(result, timeoutMs, () => throwTimeout(timeoutMs))
        : result
    return toPrincipal(await principal)
  }
}

function assertUnexpired(principal: Principal): Principal {
  if (isExpired(principal)) throw new UnauthorizedError('it has expired')
  return principal
}

/** The refusal to cache for an error of the verifier, without the token. */
function toRefusal(error: unknown, status: 401 | 403, token: string): McpError {
  const code = status === 401 ? ErrorCode.Unauthorized : ErrorCode.Forbidden
  return refusal(code, new Redaction(token).text(messageOf(error)), { status })
}

function isExpired({ expiresAt }: Principal): boolean {
  return expiresAt !== undefined && expiresAt * 1000 <= Date.now()
}

function throwTimeout(timeoutMs: number): never {
  throw new Interrupted('TimeoutError', `\`verify\` did not answer within ${timeoutMs} ms`)
}

/** Checks the result of `verify`, so that a wrong shape fails here rather than in a tool. Frozen, because calls share it. */
function toPrincipal(value: unknown): Principal {
  if (value === undefined || value === null) throw new UnauthorizedError('`verify` returned no principal')
  if (!isObject(value)) throw invalidResult('an object', value)
  const { subject, clientId, scopes, tenant, claims = {}, expiresAt } = value
  if (typeof subject !== 'string' || subject === '')
    throw invalidResult('`subject` to be a string that is not empty', subject)
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string'))
    throw invalidResult('`scopes` to be an array of strings', scopes)
  if (!isObject(claims)) throw invalidResult('`claims` to be an object', claims)
  if (expiresAt !== undefined && !Number.isFinite(expiresAt))
    throw invalidResult('`expiresAt` to be a number of seconds', expiresAt)
  for (const [name, text] of Object.entries({ clientId, tenant })) {
    if (text !== undefined && typeof text !== 'string')
      throw invalidResult(`\`${name}\` to be a string`, text)
  }
  return Object.freeze({
    subject,
    clientId: clientId as string | undefined,
    scopes: Object.freeze([...scopes]),
    tenant: tenant as string | undefined,
    claims: Object.freeze({ ...claims }),
    expiresAt: expiresAt as number | undefined,
  })
}

function invalidResult(expected: string, value: unknown): TypeError {
  return new TypeError(`auth.verify(): expected ${expected} in its result, got ${describe(value)}`)
}
