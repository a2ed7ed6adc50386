/** `Mcp-Session-Id` over HTTP: handed out by `initialize`, checked on every legacy request, ended by DELETE. */

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

interface Opening {
  readonly protocolVersion: string
  readonly identity: Identity
  /** Whom it counts for. */
  readonly callerKey: string | undefined
}

export class HttpSessions {
  readonly #core: Core
  readonly #userId: UserId | undefined
  readonly #legacyVersions: readonly string[]
  /** Which owner a session was found to belong to, so that its digest is computed once. */
  readonly #verified = new WeakMap<SessionClaims, string>()
  readonly #onStoreError: (error: unknown) => void
  #warned = false

  constructor(core: Core, userId: UserId | undefined) {
    this.#core = core
    this.#userId = userId
    this.#onStoreError = (error) =>
      core.log.warn('the store failed; a client cannot come back for what it missed', { err: error })
    this.#legacyVersions = core.supportedRevisions
      .filter(({ era }) => era === 'legacy')
      .map(({ version }) => version)
  }

  /** Whether a session can be bound to this caller. */
  binds(identity: Identity): boolean {
    return ownerOf(identity, this.#userId).kind !== 'unknown'
  }

  /** Whether streams of this revision have event ids. */
  resumes(protocolVersion: string | undefined): boolean {
    return this.#core.supportedRevisions.some(
      ({ version, resumes }) => resumes && version === protocolVersion,
    )
  }

  /** Where the streams of a session are kept. */
  logParts(session: string): EventLogParts {
    const { store, sessions } = this.#core
    return { store, session, onError: this.#onStoreError, liveness: sessions?.liveness }
  }

  /** Whether sessions are handed out at all. */
  get offered(): boolean {
    return this.#core.sessions !== undefined && this.#core.supportsEra.legacy
  }

  /**
   * What a legacy request relies on. Throws 400 for a version that is not spoken, and 404 for a session that is
   * unknown, expired or ended. Whether it is this caller's is asked later, with `assertOwner`: 403.
   */
  agree(request: HttpRequest, method: string | undefined): Negotiation {
    const { logLevel, sessions } = this.#core
    if (method === 'initialize') return { logLevel }
    const header = request.header('mcp-protocol-version')
    const protocolVersion = header === undefined ? undefined : sameValue(header)
    if (protocolVersion !== undefined && !this.#legacyVersions.includes(protocolVersion)) {
      const spoken = this.#legacyVersions.join(', ')
      throw refusal(
        ErrorCode.InvalidRequest,
        `Bad request: unsupported MCP-Protocol-Version ${describe(protocolVersion)}; expected one of ${spoken}`,
        { status: 400 },
      )
    }
    const sessionId = sessionIdOf(request)
    return sessionId === undefined || sessions === undefined
      ? { protocolVersion, logLevel }
      : this.#open(sessionId)
  }

  /** A session for the client that initialized; `undefined` where none can be bound to its caller. Throws 429. */
  create({ params }: JsonRpcRequest, { protocolVersion, identity, callerKey }: Opening): string | undefined {
    const { sessions, counts, rates } = this.#core
    if (sessions === undefined) return undefined
    const owner = ownerOf(identity, this.#userId)
    if (owner.kind === 'unknown') return this.#warnUnbound()
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

  /** Ends the session of a DELETE. Throws as `agree` does, and 403 for somebody else's. */
  async end(request: HttpRequest, identify: () => Identity | Promise<Identity>): Promise<void> {
    const id = sessionIdOf(request)
    if (id === undefined) {
      throw refusal(ErrorCode.InvalidRequest, 'Bad request: expected the header Mcp-Session-Id', {
        status: 400,
      })
    }
    const claims = this.#claims(id)
    this.#assertOwner(claims, await identify())
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
    if (owner.kind === 'known' && this.#verified.get(claims) === owner.key) return
    if (!isSameOwner(claims.owner, owner)) throw this.#foreign(owner)
    if (owner.kind === 'known') this.#verified.set(claims, owner.key)
  }

  #foreign(owner: Owner): McpError {
    this.#core.log.request.warn(
      `a session was refused: it belongs to another caller than this ${owner.kind} one`,
    )
    return refusal(ErrorCode.Forbidden, 'Forbidden: this session belongs to another caller', { status: 403 })
  }

  #warnUnbound(): undefined {
    if (!this.#warned) {
      this.#core.log.warn(`no session is handed out: ${missingIdMessage('it')}`)
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
