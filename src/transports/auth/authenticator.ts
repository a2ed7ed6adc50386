/** Authenticates requests by their bearer token, and challenges requests without a valid one. */

import { messageOf } from '../../errors/classify-error.js'
import { brandOf, type Challenge, ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import type { Auth } from '../../protocol/identity.js'
import type { Core } from '../../server/core.js'
import { isThenable } from '../../support/maybe-promise.js'
import { describe } from '../../support/values.js'
import { reportHostFault } from '../../tracing/error-report.js'
import type { HttpRequest } from '../http/shapes.js'
import type { AuthOptions, Principal } from './auth-options.js'
import { challengeText, readCredentials } from './bearer.js'
import { metadataOf } from './metadata.js'
import { type ProtectedResource, wellKnown } from './protected-resource.js'
import { Redaction } from './redaction.js'
import { TokenCache } from './token-cache.js'
import { verifierStatus } from './verifier-status.js'

export interface AuthenticatorParts {
  readonly core: Core
  readonly options: AuthOptions
  readonly resource: ProtectedResource
}

export class Authenticator {
  readonly #parts: AuthenticatorParts
  readonly #tokenCache: TokenCache
  /** By the framework's request object, since a mount may authenticate the same request twice. */
  readonly #authStates = new WeakMap<object, AuthState>()
  readonly #reported = new WeakSet<object>()
  #warnedOfPrefix = false
  #warnedOfPort = false

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
    const { core, options } = parts
    const { verify, cacheMs = 10_000 } = options
    this.#tokenCache = new TokenCache({ verify, cacheMs, timeoutMs: core.registry.defaults.timeoutMs })
  }

  /** Whether every request needs a token. */
  get required(): boolean {
    return this.#parts.options.optional !== true
  }

  /**
   * Authenticates a request by its headers. Throws, or rejects with, a 401 or 403 with its challenge, or a 503 if the token
   * can't be verified at the moment.
   */
  authenticate(request: HttpRequest): void | Promise<void> {
    const key = keyOf(request)
    if (this.#authStates.has(key)) return
    this.#warnOfPrefix()
    const resource = this.#resourceOf(request)
    const token = this.#tokenOf(request)
    if (token === undefined) {
      this.#authStates.set(key, anonymous)
      return
    }
    const principal = this.#tokenCache.get(token, { resource, request })
    if (isThenable(principal)) return this.#awaitPrincipal(principal, token, request)
    this.#authStates.set(key, this.#toAuthState(token, principal))
  }

  async #awaitPrincipal(pending: Promise<Principal>, token: string, request: HttpRequest): Promise<void> {
    const principal = await pending.catch((error) => {
      throw this.#toRefusal(error, request, token)
    })
    this.#authStates.set(keyOf(request), this.#toAuthState(token, principal))
  }

  /** Verifies the token of an open connection again. Rejects like `authenticate`. */
  async recheck(request: HttpRequest): Promise<void> {
    const token = this.authOf(request)?.token
    if (token === undefined) return
    const principal = this.#tokenCache.get(token, { resource: this.#resourceOf(request), request })
    await this.#awaitPrincipal(Promise.resolve(principal), token, request)
  }

  /** The `auth` of an authenticated request; `undefined` for an anonymous one. */
  authOf(request: HttpRequest): Auth | undefined {
    return this.#authStates.get(keyOf(request))?.auth
  }

  /** The expiry of the request's token, in milliseconds since the epoch; `undefined` if unknown. */
  expiryOf(request: HttpRequest): number | undefined {
    return this.#authStates.get(keyOf(request))?.expiresAt
  }

  /** The value of the `WWW-Authenticate` header for a 401 or 403. */
  challenge(request: HttpRequest, challenge: Challenge): string {
    return challengeText(this.#parts.resource.metadataUrlOf(request), challenge)
  }

  #tokenOf(request: HttpRequest): string | undefined {
    const credentials = readCredentials(request)
    if (credentials.kind === 'token') return credentials.token
    if (credentials.kind === 'malformed') throw this.#invalidToken(request, credentials.reason)
    if (this.required) throw this.#unauthorized(request, 'Sign in to use this', {})
    return undefined
  }

  /**
   * The resource that tokens must be issued for. Throws 403 for a `Host` header that can't be trusted: otherwise tokens for
   * other servers would be accepted.
   */
  #resourceOf(request: HttpRequest): string {
    const url = this.#parts.resource.urlOf(request)
    if (url === undefined) {
      throw refusal(
        ErrorCode.InvalidRequest,
        `Forbidden: the token's resource can't be derived from the host ${describe(request.host)}; set \`publicUrl\`, or name the host in \`allowedHosts\``,
        { status: 403 },
      )
    }
    this.#warnOfPort(request, url)
    return url
  }

  #warnOfPort({ host = '' }: HttpRequest, url: string): void {
    if (this.#warnedOfPort || this.#parts.resource.isFixed) return
    if (url.includes(`//${host}/`) || hasHost(url, host)) return
    this.#warnedOfPort = true
    this.#parts.core.log.warn(
      `mcp(): clients send the host ${describe(host)}, but tokens must be issued for ${url}; set \`publicUrl\`, or name the port in \`allowedHosts\``,
    )
  }

  #toAuthState(
    token: string,
    { subject, clientId, scopes, tenant, claims, expiresAt }: Principal,
  ): AuthState {
    return {
      auth: { token, subject, clientId, scopes, tenant: this.#tenantOf(token, claims) ?? tenant, claims },
      expiresAt: expiresAt === undefined ? undefined : expiresAt * 1000,
    }
  }

  #tenantOf(token: string, claims: Auth['claims']): string | undefined {
    try {
      return toTenant(this.#parts.options.tenant?.(claims))
    } catch (error) {
      // An `McpError` is thrown on purpose and goes to the caller.
      const redaction = new Redaction(token)
      throw brandOf(error) === 'mcp' ? redaction.thrown(error, 'auth.tenant()') : redaction.error(error)
    }
  }

  #toRefusal(error: unknown, request: HttpRequest, token: string): Error {
    const { core, options } = this.#parts
    const status = verifierStatus(error)
    const redaction = new Redaction(token)
    const reason = redaction.text(messageOf(error))
    if (status === 401) return this.#invalidToken(request, reason)
    if (status === 403) {
      core.log.request.warn(`refused a token: ${reason}`)
      const challenge = { error: 'insufficient_scope', scopes: options.scopesSupported } as const
      return refusal(ErrorCode.Forbidden, 'Forbidden: this token does not give access', {
        status,
        headers: { 'WWW-Authenticate': this.challenge(request, challenge) },
      })
    }
    const reported = redaction.error(error)
    if (status !== 503) return new Error('auth.verify() failed', { cause: reported })
    if (this.#isUnreported(error)) reportHostFault(core, reported, request.method)
    return refusal(ErrorCode.InternalError, 'The token cannot be checked at the moment; try again later', {
      status,
      headers: { 'Retry-After': '5' },
    })
  }

  /**
   * Whether a failure isn't in the log yet. A verifier that backs off from its issuer throws many errors with the same
   * cause, which is logged once.
   */
  #isUnreported(error: unknown): boolean {
    const { cause } = Object(error) as { cause?: unknown }
    if (typeof cause !== 'object' || cause === null) return true
    if (this.#reported.has(cause)) return false
    this.#reported.add(cause)
    return true
  }

  /** The 401 for an invalid token. The reason only goes to the log, so that attackers can't learn from it. */
  #invalidToken(request: HttpRequest, reason: string): McpError {
    this.#parts.core.log.request.warn(`refused a token: ${reason}`)
    const description = 'The token is malformed, expired, revoked, or was issued for something else'
    return this.#unauthorized(request, description, { error: 'invalid_token', description })
  }

  #unauthorized(request: HttpRequest, message: string, challenge: Challenge): McpError {
    const scopes = this.#parts.options.scopesSupported
    return refusal(ErrorCode.Unauthorized, message, {
      status: 401,
      headers: { 'WWW-Authenticate': this.challenge(request, { scopes, ...challenge }) },
    })
  }

  #warnOfPrefix(): void {
    const { core, resource } = this.#parts
    if (this.#warnedOfPrefix || !resource.prefixed || metadataOf(core).atRoot) return
    this.#warnedOfPrefix = true
    core.log.warn(
      `mcp(): \`auth\` is mounted under a prefix, so ${wellKnown} at the host root is not served; add mcpMetadata(router) there`,
    )
  }
}

interface AuthState {
  readonly auth: Auth | undefined
  readonly expiresAt: number | undefined
}

/** The state of a request without a token, if tokens are optional. */
const anonymous: AuthState = { auth: undefined, expiresAt: undefined }

/** Whether `url` has the host, with or without the default port. */
function hasHost(url: string, host: string): boolean {
  const requested = host.toLowerCase()
  const { host: expected, protocol } = new URL(url)
  return requested === expected || requested === `${expected}:${protocol === 'https:' ? 443 : 80}`
}

function keyOf(request: HttpRequest): object {
  const { raw } = request
  return typeof raw === 'object' && raw !== null ? raw : request
}

/** @throws TypeError if the value can't identify a tenant. */
function toTenant(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value)
  throw new TypeError(
    `auth.tenant(): expected a string that is not empty, a number, null or undefined; got ${describe(value)}`,
  )
}
