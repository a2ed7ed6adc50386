/** `Mcp-Session-Id` over HTTP: created by `initialize`, checked in every legacy request, ended by DELETE. */

import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import type { Negotiation } from '../../protocol/envelope.js'
import { sameValue } from '../../protocol/header-value.js'
import type { Identity } from '../../protocol/identity.js'
import type { JsonRpcRequest } from '../../protocol/types.js'
import type { Core } from '../../server/core.js'
import type { EventLogParts } from '../../sessions/event-log.js'
import {
  digestOf,
  isSameOwner,
  missingIdMessage,
  type Owner,
  ownerOf,
  type UserId,
} from '../../sessions/owner.js'
import type { SessionClaims } from '../../sessions/session-token.js'
import { describe, isObject } from '../../support/values.js'
import type { HttpRequest } from './shapes.js'

interface NewSession {
  readonly protocolVersion: string
  readonly identity: Identity
  /** The key that the session counts by. */
  readonly callerKey: string | undefined
}

export class HttpSessions {
  readonly #core: Core
  readonly #userId: UserId | undefined
  readonly #legacyVersions: readonly string[]
  /** The verified owner of each session, so that the owner's digest is computed once. */
  readonly #verifiedOwners = new WeakMap<SessionClaims, string>()
  readonly #onStoreError: (error: unknown) => void
  #warned = false

  constructor(core: Core, userId: UserId | undefined) {
    this.#core = core
    this.#userId = userId
    this.#onStoreError = (error) =>
      core.log.warn('the store failed; clients cannot resume their streams', { err: error })
    this.#legacyVersions = core.supportedRevisions
      .filter(({ era }) => era === 'legacy')
      .map(({ version }) => version)
  }

  /** Whether a session can be bound to this caller. */
  canBind(identity: Identity): boolean {
    return ownerOf(identity, this.#userId).kind !== 'unknown'
  }

  /** Whether streams of this revision have event ids. */
  canResume(protocolVersion: string | undefined): boolean {
    return this.#core.supportedRevisions.some(
      ({ version, resumes }) => resumes && version === protocolVersion,
    )
  }

  /** The parts for the event logs of a session's streams. */
  logParts(session: string): EventLogParts {
    const { store, sessions } = this.#core
    return { store, session, onError: this.#onStoreError, liveness: sessions?.liveness }
  }

  /** Whether the router has sessions. */
  get isOffered(): boolean {
    return this.#core.sessions !== undefined && this.#core.supportsEra.legacy
  }

  /**
   * The negotiated revision, client and session of a legacy request. Throws 400 for an unsupported version, and 404 for a
   * session that is unknown, expired or ended. The returned `assertOwner` throws 403 if it's another caller's session.
   */
  negotiate(request: HttpRequest, method: string | undefined): Negotiation {
    const { logLevel, sessions } = this.#core
    if (method === 'initialize') return { logLevel }
    const header = request.header('mcp-protocol-version')
    const protocolVersion = header === undefined ? undefined : sameValue(header)
    if (protocolVersion !== undefined && !this.#legacyVersions.includes(protocolVersion)) {
      const versions = this.#legacyVersions.join(', ')
      throw refusal(
        ErrorCode.InvalidRequest,
        `Bad request: unsupported MCP-Protocol-Version ${describe(protocolVersion)}; expected one of ${versions}`,
        { status: 400 },
      )
    }
    const sessionId = sessionIdOf(request)
    return sessionId === undefined || sessions === undefined
      ? { protocolVersion, logLevel }
      : this.#open(sessionId)
  }

  /** Creates a session and returns its id; `undefined` if it can't be bound to the caller. Throws 429. */
  create(
    { params }: JsonRpcRequest,
    { protocolVersion, identity, callerKey }: NewSession,
  ): string | undefined {
    const { sessions, counts, rates } = this.#core
    if (sessions === undefined) return undefined
    const owner = ownerOf(identity, this.#userId)
    if (owner.kind === 'unknown') return this.#warnMissingId()
    const refused = rates.sessions.consume(callerKey)
    if (refused !== undefined) throw refused
    counts.sessions += 1
    const capabilities = isObject(params?.capabilities) ? params.capabilities : {}
    return sessions.create({
      protocolVersion,
      capabilities,
      client: clientOf(params?.clientInfo),
      owner: digestOf(owner),
    })
  }

  /** Ends the session of a DELETE request. Throws like `negotiate`, and 403 for another caller's session. */
  async end(request: HttpRequest, resolveCaller: () => Identity | Promise<Identity>): Promise<void> {
    const id = sessionIdOf(request)
    if (id === undefined) {
      throw refusal(ErrorCode.InvalidRequest, 'Bad request: expected the header Mcp-Session-Id', {
        status: 400,
      })
    }
    const claims = this.#claims(id)
    this.#assertOwner(claims, await resolveCaller())
    await this.#core.sessions?.end(id, claims)
  }

  #open(sessionId: string): Negotiation {
    const claims = this.#claims(sessionId)
    const { protocolVersion, capabilities, client } = claims
    return {
      protocolVersion,
      client: { name: client?.name, version: client?.version, capabilities },
      sessionId,
      logLevel: this.#core.sessions?.logLevel(sessionId) ?? this.#core.logLevel,
      assertOwner: (identity) => this.#assertOwner(claims, identity),
    }
  }

  #claims(id: string): SessionClaims {
    const claims = this.#core.sessions?.open(id)
    if (claims !== undefined && this.#legacyVersions.includes(claims.protocolVersion)) return claims
    throw refusal(
      ErrorCode.SessionNotFound,
      'Session not found: it is unknown, expired or ended; initialize again',
      { status: 404 },
    )
  }

  #assertOwner(claims: SessionClaims, identity: Identity): void {
    const owner = ownerOf(identity, this.#userId)
    if (owner.kind === 'known' && this.#verifiedOwners.get(claims) === owner.key) return
    if (!isSameOwner(claims.owner, owner)) throw this.#wrongOwner(owner)
    if (owner.kind === 'known') this.#verifiedOwners.set(claims, owner.key)
  }

  #wrongOwner(owner: Owner): McpError {
    this.#core.log.request.warn(
      `refused access to a session: it belongs to another caller; this one is ${owner.kind}`,
    )
    return refusal(ErrorCode.Forbidden, 'Forbidden: this session belongs to another caller', { status: 403 })
  }

  #warnMissingId(): undefined {
    if (!this.#warned) {
      this.#core.log.warn(`no session is created: ${missingIdMessage('it')}`)
    }
    this.#warned = true
  }
}

function sessionIdOf(request: HttpRequest): string | undefined {
  const header = request.header('mcp-session-id')
  return header === undefined ? undefined : sameValue(header)
}

function clientOf(info: unknown): { name: string; version: string } | undefined {
  if (!isObject(info) || typeof info.name !== 'string') return undefined
  return { name: info.name, version: typeof info.version === 'string' ? info.version : '' }
}
