/** Lets in who has a token for this endpoint, and tells everybody else how to get one. */

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
import { statusOf } from './verifier-status.js'

export interface AuthenticatorParts {
  readonly core: Core
  readonly options: AuthOptions
  readonly resource: ProtectedResource
}

export class Authenticator {
  readonly #parts: AuthenticatorParts
  readonly #tokenCache: TokenCache
  /** By the framework's own request: mounts may ask about one twice. */
  readonly #found = new WeakMap<object, AuthState>()
  readonly #reported = new WeakSet<object>()
  #warnedOfPrefix = false
  #warnedOfPort = false

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
    const { core, options } = parts
    const { verify, cacheMs = 10_000 } = options
    this.#tokenCache = new TokenCache({ verify, cacheMs, timeoutMs: core.registry.defaults.timeoutMs })
  }

  /** Nobody comes in without a token. */
  get required(): boolean {
    return this.#parts.options.optional !== true
  }

  /**
   * Reads nothing but headers. Throws, or rejects with, 401 and 403 with their challenges, and 503 where the verdict
   * cannot be had.
   */
  authenticate(request: HttpRequest): void | Promise<void> {
    const key = keyOf(request)
    if (this.#found.has(key)) return
    this.#warnOfPrefix()
    const resource = this.#resourceOf(request)
    const token = this.#tokenOf(request)
    if (token === undefined) {
      this.#found.set(key, anonymous)
      return
    }
    const verdict = this.#tokenCache.of(token, { resource, request })
    if (isThenable(verdict)) return this.#wait(verdict, token, request)
    this.#found.set(key, this.#toFound(token, verdict))
  }

  async #wait(verdict: Promise<Principal>, token: string, request: HttpRequest): Promise<void> {
    const principal = await verdict.catch((error) => {
      throw this.#toRefusal(error, request, token)
    })
    this.#found.set(keyOf(request), this.#toFound(token, principal))
  }

  /** Judges the token of an open connection anew. Rejects as `authenticate` does. */
  async recheck(request: HttpRequest): Promise<void> {
    const token = this.of(request)?.token
    if (token === undefined) return
    const verdict = this.#tokenCache.of(token, { resource: this.#resourceOf(request), request })
    await this.#wait(Promise.resolve(verdict), token, request)
  }

  /** The principal of a request that was judged; `undefined`: an anonymous one. */
  of(request: HttpRequest): Auth | undefined {
    return this.#found.get(keyOf(request))?.auth
  }

  /** When the token ends that it came with, in milliseconds since the epoch; `undefined`: nobody said. */
  expiryOf(request: HttpRequest): number | undefined {
    return this.#found.get(keyOf(request))?.expiresAt
  }

  /** The header that goes with a 401 or 403. */
  challenge(request: HttpRequest, challenge: Challenge): string {
    return challengeText(this.#parts.resource.metadataUrlOf(request), challenge)
  }

  #tokenOf(request: HttpRequest): string | undefined {
    const credentials = readCredentials(request)
    if (credentials.kind === 'token') return credentials.token
    if (credentials.kind === 'malformed') throw this.#invalid(request, credentials.reason)
    if (this.required) throw this.#unauthorized(request, 'Sign in to use this', {})
    return undefined
  }

  /** What tokens must be issued for. Throws 403 for a host that doesn't tell: tokens for other servers would be good here. */
  #resourceOf(request: HttpRequest): string {
    const url = this.#parts.resource.urlOf(request)
    if (url === undefined) {
      throw refusal(
        ErrorCode.InvalidRequest,
        `Forbidden: the host ${describe(request.host)} doesn't tell which resource tokens are for; set \`publicUrl\`, or name the host in \`allowedHosts\``,
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
      `mcp(): clients ask for ${describe(host)}, but tokens must be issued for ${url}; set \`publicUrl\`, or name the port in \`allowedHosts\``,
    )
  }

  #toFound(token: string, { subject, clientId, scopes, tenant, claims, expiresAt }: Principal): AuthState {
    const told = this.#tenantOf(token, claims)
    return {
      auth: { token, subject, clientId, scopes, tenant: told ?? tenant, claims },
      expiresAt: expiresAt === undefined ? undefined : expiresAt * 1000,
    }
  }

  #tenantOf(token: string, claims: Auth['claims']): string | undefined {
    try {
      return toTenant(this.#parts.options.tenant?.(claims))
    } catch (error) {
      // Refusals that are thrown on purpose are for the caller.
      const redaction = new Redaction(token)
      throw brandOf(error) === 'mcp' ? redaction.thrown(error, 'auth.tenant()') : redaction.error(error)
    }
  }

  #toRefusal(error: unknown, request: HttpRequest, token: string): Error {
    const { core, options } = this.#parts
    const status = statusOf(error)
    const redaction = new Redaction(token)
    const reason = redaction.text(messageOf(error))
    if (status === 401) return this.#invalid(request, reason)
    if (status === 403) {
      core.log.request.warn(`a token was refused: ${reason}`)
      const challenge = { error: 'insufficient_scope', scopes: options.scopesSupported } as const
      return refusal(ErrorCode.Forbidden, 'Forbidden: this token does not allow it', {
        status,
        headers: { 'WWW-Authenticate': this.challenge(request, challenge) },
      })
    }
    const reported = redaction.error(error)
    if (status !== 503) return new Error('auth.verify() failed', { cause: reported })
    if (this.#isNew(error)) reportHostFault(core, reported, request.method)
    return refusal(ErrorCode.InternalError, 'The token cannot be checked at the moment; try again later', {
      status,
      headers: { 'Retry-After': '5' },
    })
  }

  /** A verifier that leaves its issuer alone throws one failure many times: the log has it once. */
  #isNew(error: unknown): boolean {
    const { cause } = Object(error) as { cause?: unknown }
    if (typeof cause !== 'object' || cause === null) return true
    if (this.#reported.has(cause)) return false
    this.#reported.add(cause)
    return true
  }

  /** Why it was refused is for the log: nobody is to learn it by trying. */
  #invalid(request: HttpRequest, reason: string): McpError {
    this.#parts.core.log.request.warn(`a token was refused: ${reason}`)
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

/** A request that may come without a token, and did. */
const anonymous: AuthState = { auth: undefined, expiresAt: undefined }

/** A default port may be left out. */
function hasHost(url: string, host: string): boolean {
  const given = host.toLowerCase()
  const { host: own, protocol } = new URL(url)
  return given === own || given === `${own}:${protocol === 'https:' ? 443 : 80}`
}

function keyOf(request: HttpRequest): object {
  const { raw } = request
  return typeof raw === 'object' && raw !== null ? raw : request
}

/** @throws where tenants could not be told apart. */
function toTenant(told: unknown): string | undefined {
  if (told === undefined || told === null) return undefined
  if (typeof told === 'number' || (typeof told === 'string' && told !== '')) return String(told)
  throw new TypeError(`auth.tenant(): expected text, a number or nothing, got ${describe(told)}`)
}
