/**
 * Determines the era of a request and reads its envelope: the metadata that 2026-07-28 requires in every request (Base
 * protocol, Request metadata; Transports, Streamable HTTP, Request headers). The body decides; headers must agree.
 */

import { ErrorCode, refusal } from '../errors/errors.js'
import { describe, isObject } from '../support/values.js'
import { sameValue } from './header-value.js'
import type { ClientInfo, Identity } from './identity.js'
import { metaOf, versionKey } from './params.js'
import {
  checkRequestHeaders,
  checkVersion,
  type Headers,
  mismatch,
  type RequestHeaders,
} from './request-headers.js'
import { assumedVersion, type Era, isModernVersion, type Revision } from './revisions.js'
import type { ClientCapabilities, JsonRpcRequest, LoggingLevel, Meta, Params, RequestId } from './types.js'

export interface Envelope {
  readonly revision: Revision
  readonly client: ClientInfo | undefined
  /** The least severe log notice to send; `undefined`: none. */
  readonly logLevel: LoggingLevel | undefined
  readonly progressToken: RequestId | undefined
  readonly sessionId: string | undefined
  /** Throws when the session belongs to somebody else. */
  readonly assertOwner?: Negotiation['assertOwner']
}

/** The outcome of a legacy client's handshake. Legacy requests don't repeat it. */
export interface Negotiation {
  /** Default 2025-03-26. */
  readonly protocolVersion?: string | undefined
  readonly client?: ClientInfo | undefined
  readonly sessionId?: string | undefined
  /** The level the client set, or the router's default. */
  readonly logLevel: LoggingLevel
  /** Throws when the session belongs to somebody else. */
  readonly assertOwner?: ((identity: Identity) => void) | undefined
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientInfoKey = 'io.modelcontextprotocol/clientInfo'
const logLevelKey = 'io.modelcontextprotocol/logLevel'

/** Whether a request is modern: it has its revision in the body, or a modern one in the header. */
export function isModernRequest(
  request: { method: string; params?: unknown },
  headers: Headers | undefined,
): boolean {
  const said = metaOf(request.params)?.[versionKey]
  const initializes = request.method === 'initialize'
  if (said !== undefined) return !(initializes && typeof said === 'string' && !isModernVersion(said))
  return headers !== undefined && isModernHeader(headers)
}

/** Whether `MCP-Protocol-Version` names a modern revision. */
export function isModernHeader(headers: Headers): boolean {
  const version = headers.header('mcp-protocol-version')
  return version !== undefined && isModernVersion(sameValue(version))
}

/** Reads a legacy request's envelope. */
export function readLegacyEnvelope(
  request: JsonRpcRequest,
  spoken: readonly Revision[],
  agreed: Negotiation,
): Envelope {
  const version = agreed.protocolVersion ?? assumedVersion
  const revision = revisionOf(spoken, 'legacy', version) ?? spoken.findLast(({ era }) => era === 'legacy')
  if (revision === undefined) throw unsupportedVersion(version, spoken)
  const { client, sessionId, logLevel, assertOwner } = agreed
  const progressToken = progressTokenOf(request.params?._meta)
  return { revision, client, sessionId, logLevel, progressToken, assertOwner }
}

/**
 * Reads and checks a modern request's envelope: required keys, then the version header, the version, and the headers
 * that mirror the body. Throws in that order, which clients rely on.
 */
export function readModernEnvelope(
  request: JsonRpcRequest,
  spoken: readonly Revision[],
  mirror: RequestHeaders,
): Envelope {
  if (request.method === 'initialize' && metaOf(request.params)?.[versionKey] === undefined) {
    throw mismatch(
      '`initialize` belongs to revisions before 2026-07-28; leave out MCP-Protocol-Version or send `_meta`',
    )
  }
  const meta = requiredMeta(request)
  const version = meta[versionKey] as string
  checkVersion(version, mirror)
  const revision = revisionOf(spoken, 'modern', version)
  if (revision === undefined) throw unsupportedVersion(version, spoken)
  checkRequestHeaders(request, mirror)
  return {
    revision,
    client: clientOf(meta),
    logLevel: meta[logLevelKey] as LoggingLevel | undefined,
    progressToken: progressTokenOf(meta),
    sessionId: undefined,
  }
}

function revisionOf(spoken: readonly Revision[], era: Era, version: string): Revision | undefined {
  for (const revision of spoken) if (revision.version === version && revision.era === era) return revision
  return undefined
}

/** Longer versions are truncated in the error. Characters. */
const longestVersion = 64

/** Creates error -32022 with the supported versions. */
export function unsupportedVersion(requested: string, spoken: readonly Revision[]): Error {
  const supported = spoken.filter((revision) => revision.era === 'modern').map((revision) => revision.version)
  return refusal(
    ErrorCode.UnsupportedProtocolVersion,
    `Unsupported protocol version ${describe(requested)}`,
    {
      data: { supported, requested: requested.slice(0, longestVersion) },
      status: 400,
    },
  )
}

function requiredMeta(request: JsonRpcRequest): Meta {
  const meta = metaOf(request.params) ?? {}
  if (meta[versionKey] === undefined || meta[capabilitiesKey] === undefined) {
    const missing = [versionKey, capabilitiesKey].filter((key) => meta[key] === undefined)
    throw badMeta(`expected ${missing.join(' and ')} in params._meta`)
  }
  if (typeof meta[versionKey] !== 'string') throw badMeta(`expected ${versionKey} to be a string`)
  if (!isObject(meta[capabilitiesKey])) throw badMeta(`expected ${capabilitiesKey} to be an object`)
  const info = meta[clientInfoKey]
  if (
    info !== undefined &&
    !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')
  ) {
    throw badMeta(`expected ${clientInfoKey} to hold a name and a version`)
  }
  return meta
}

function badMeta(message: string): Error {
  return refusal(ErrorCode.InvalidParams, `Invalid params: ${message}`, { status: 400 })
}

function clientOf(meta: Meta): ClientInfo {
  const info = meta[clientInfoKey] as { name: string; version: string } | undefined
  const capabilities = meta[capabilitiesKey] as ClientCapabilities
  return { name: info?.name, version: info?.version, capabilities }
}

function progressTokenOf(meta: Meta | undefined): RequestId | undefined {
  const token = isObject(meta) ? meta.progressToken : undefined
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as RequestId) : undefined
}

export interface Handshake {
  readonly protocolVersion: string
  readonly client: ClientInfo
}

export function isHandshake(message: unknown): message is Record<string, unknown> {
  return isObject(message) && message.method === 'initialize'
}

/** Returns the handshake of a successful `initialize`; `undefined` for other messages and for refused ones. */
export function handshakeOf(message: unknown, answer: unknown): Handshake | undefined {
  if (!isHandshake(message) || !isObject(answer) || !isObject(answer.result)) return undefined
  // A successful `initialize` has params, and its capabilities are an object or absent.
  const { clientInfo, capabilities = {} } = message.params as Params
  const { name, version } = isObject(clientInfo) ? clientInfo : {}
  return {
    protocolVersion: answer.result.protocolVersion as string,
    client: { name: text(name), version: text(version), capabilities: capabilities as ClientCapabilities },
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
