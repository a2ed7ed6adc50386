/** What a verifier said of tokens: kept for a short while, and asked for once where several requests wait for it. */

import { runtime } from '#runtime'
import { Interrupted, messageOf } from '../../errors/classify-error.js'
import { ErrorCode, type McpError, refusal, UnauthorizedError } from '../../errors/errors.js'
import { withTimeout } from '../../support/deadlines.js'
import { ExpiringMap } from '../../support/expiring-map.js'
import { isThenable } from '../../support/maybe-promise.js'
import { describe, isObject } from '../../support/values.js'
import type { Principal, TokenUse, TokenVerifier } from './auth-options.js'
import { Redaction } from './redaction.js'
import { statusOf } from './verifier-status.js'

/** How many are kept; the oldest go first. Without their tokens, of which only a digest is. */
const mostVerdicts = 10_000
/** Refusals have room of their own: anybody can send wrong tokens, and drives out no right one. */
const mostRefusals = 1_000
/** A token that is refused now may be good soon: it isn't valid yet, or its key is new. Milliseconds. */
const longestRefusalMs = 10_000

export interface TokenCacheParts {
  readonly verify: TokenVerifier
  readonly cacheMs: number
  /** For one verification; 0 for no limit. */
  readonly timeoutMs: number
}

export class TokenCache {
  readonly #parts: TokenCacheParts
  /** By a clock that nobody sets: a revoked token must not live on because the time of day was put back. */
  readonly #kept = new ExpiringMap<Principal>(mostVerdicts)
  readonly #refused = new ExpiringMap<McpError>(mostRefusals)
  readonly #pending = new Map<string, Promise<Principal>>()

  constructor(parts: TokenCacheParts) {
    this.#parts = parts
  }

  /** At once where the verdict is known. Throws, or rejects with, what the verifier does. */
  of(token: string, use: TokenUse): Principal | Promise<Principal> {
    if (this.#parts.cacheMs === 0) return this.#verify(token, use).then(unexpired)
    // What is right for one resource says nothing of another.
    const key = runtime.digest(token) + use.resource
    return this.#keptOf(key) ?? this.#pending.get(key) ?? this.#refusalOf(key) ?? this.#begin(key, token, use)
  }

  #refusalOf(key: string): Promise<never> | undefined {
    const refused = this.#refused.get(key, performance.now())
    return refused === undefined ? undefined : Promise.reject(refused)
  }

  #keptOf(key: string): Principal | undefined {
    const principal = this.#kept.get(key, performance.now())
    if (principal === undefined || !isOver(principal)) return principal
    this.#kept.delete(key)
    return undefined
  }

  #begin(key: string, token: string, use: TokenUse): Promise<Principal> {
    const { cacheMs } = this.#parts
    const verdict = this.#verify(token, use).then(
      (principal) => {
        // Not kept as a refusal: the time of day may be set back.
        unexpired(principal)
        const now = performance.now()
        this.#kept.set(key, principal, now + cacheMs, now)
        return principal
      },
      (error: unknown) => {
        const status = statusOf(error)
        const now = performance.now()
        if (status === 401 || status === 403)
          this.#refused.set(
            key,
            toRefusal(error, status, token),
            now + Math.min(cacheMs, longestRefusalMs),
            now,
          )
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
    const answer: unknown = verify(token, use)
    const told =
      isThenable(answer) && timeoutMs > 0 ? withTimeout(answer, timeoutMs, () => late(timeoutMs)) : answer
    return toPrincipal(await told)
  }
}

function unexpired(principal: Principal): Principal {
  if (isOver(principal)) throw new UnauthorizedError('it has expired')
  return principal
}

/** The token may be in what was thrown, and is not kept. */
function toRefusal(error: unknown, status: 401 | 403, token: string): McpError {
  const code = status === 401 ? ErrorCode.Unauthorized : ErrorCode.Forbidden
  return refusal(code, new Redaction(token).text(messageOf(error)), { status })
}

function isOver({ expiresAt }: Principal): boolean {
  return expiresAt !== undefined && expiresAt * 1000 <= Date.now()
}

function late(timeoutMs: number): never {
  throw new Interrupted('TimeoutError', `\`verify\` did not answer within ${timeoutMs} ms`)
}

/** What a wrong shape would do, it would do inside of a tool. It is shared by calls, so none may change it. */
function toPrincipal(value: unknown): Principal {
  if (value === undefined || value === null) throw new UnauthorizedError('`verify` returned nobody')
  if (!isObject(value)) throw unfit('an object', value)
  const { subject, clientId, scopes, tenant, claims = {}, expiresAt } = value
  if (typeof subject !== 'string' || subject === '') throw unfit('`subject` to be text', subject)
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string'))
    throw unfit('`scopes` to be an array of texts', scopes)
  if (!isObject(claims)) throw unfit('`claims` to be an object', claims)
  if (expiresAt !== undefined && !Number.isFinite(expiresAt))
    throw unfit('`expiresAt` to be seconds', expiresAt)
  for (const [name, text] of Object.entries({ clientId, tenant })) {
    if (text !== undefined && typeof text !== 'string') throw unfit(`\`${name}\` to be text`, text)
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

function unfit(expected: string, came: unknown): TypeError {
  return new TypeError(`auth.verify(): expected ${expected} in what it returned, got ${describe(came)}`)
}
