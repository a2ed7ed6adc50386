/**
 * Decides the era of a request and checks what 2026-07-28 demands of each one, in the order of the specification
 * digest (3.5, 3.6): the body decides, headers are a cross-check.
 */

import type { ClientInfo } from '../context.js'
import { ErrorCode, refusal } from '../errors.js'
import { decodeHeaderValue } from './header-value.js'
import { describe, isObject } from './jsonrpc.js'
import { assumedVersion, isModernVersion, type Revision } from './revisions.js'
import type {
  ClientCapabilities,
  JsonRpcNotification,
  JsonRpcRequest,
  LoggingLevel,
  Meta,
  RequestId,
} from './types.js'

export interface Envelope {
  readonly revision: Revision
  readonly client: ClientInfo | undefined
  /** The least severe log notice to send; `undefined`: none. */
  readonly logLevel: LoggingLevel | undefined
  readonly progressToken: RequestId | undefined
  readonly sessionId: string | undefined
}

/** What a legacy request relies on that it does not say itself. */
export interface Agreement {
  /** Default 2025-03-26. */
  readonly protocolVersion?: string | undefined
  readonly client?: ClientInfo | undefined
  readonly sessionId?: string | undefined
  /** The level the client set, or the router's default. */
  readonly logLevel: LoggingLevel
}

/** Looks up a header by its lower-case name. */
export type HeaderLookup = (name: string) => string | undefined

/** The headers that repeat the body, where the transport has headers. */
export interface Mirror {
  readonly header: HeaderLookup
  /** The key in `params` that `Mcp-Name` repeats for this method. */
  readonly nameKey: string | undefined
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientInfoKey = 'io.modelcontextprotocol/clientInfo'
const logLevelKey = 'io.modelcontextprotocol/logLevel'

/** Whether a request speaks for itself (digest 3.5). */
export function isModernRequest(
  request: { method: string; params?: unknown },
  header: HeaderLookup | undefined,
): boolean {
  const said = metaOf(request.params)?.[versionKey]
  const initializes = request.method === 'initialize'
  if (said !== undefined) return !(initializes && typeof said === 'string' && !isModernVersion(said))
  const mirrored = header?.('mcp-protocol-version')
  return mirrored !== undefined && isModernVersion(mirrored.trim())
}

/** Reads a legacy request's envelope. */
export function readLegacyEnvelope(
  request: JsonRpcRequest,
  spoken: readonly Revision[],
  agreed: Agreement,
): Envelope {
  const version = agreed.protocolVersion ?? assumedVersion
  const legacy = spoken.filter((revision) => revision.era === 'legacy')
  const revision = legacy.find((candidate) => candidate.version === version) ?? legacy.at(-1)
  if (revision === undefined) throw notSpoken(version, spoken)
  const { client, sessionId, logLevel } = agreed
  return { revision, client, sessionId, logLevel, progressToken: progressTokenOf(request.params?._meta) }
}

/**
 * Reads and checks a modern request's envelope: required keys, then the version header, the version, and the headers
 * that mirror the body. Throws the refusals of digest 3.6, rows 4 to 7.
 */
export function readModernEnvelope(
  request: JsonRpcRequest,
  spoken: readonly Revision[],
  mirror: Mirror | undefined,
): Envelope {
  if (request.method === 'initialize' && metaOf(request.params)?.[versionKey] === undefined) {
    throw mismatch(
      '`initialize` belongs to revisions before 2026-07-28; leave out MCP-Protocol-Version or send `_meta`',
    )
  }
  const meta = requiredMeta(request)
  const version = meta[versionKey] as string
  const mirrored = mirror?.header('mcp-protocol-version')
  if (mirrored !== undefined && mirrored.trim() !== version) {
    throw versionMismatch(mirrored, version)
  }
  const revision = spoken.find((candidate) => candidate.version === version && candidate.era === 'modern')
  if (revision === undefined) throw notSpoken(version, spoken)
  if (mirror !== undefined) checkMirrors(request, mirror)
  return {
    revision,
    client: clientOf(meta),
    logLevel: meta[logLevelKey] as LoggingLevel | undefined,
    progressToken: progressTokenOf(meta),
    sessionId: undefined,
  }
}

/** -32022 with what would be understood. */
export function notSpoken(requested: string, spoken: readonly Revision[]): Error {
  const supported = spoken.filter((revision) => revision.era === 'modern').map((revision) => revision.version)
  return refusal(
    ErrorCode.UnsupportedProtocolVersion,
    `Unsupported protocol version ${describe(requested)}`,
    {
      data: { supported, requested },
      status: 400,
    },
  )
}

export function mismatch(message: string): Error {
  return refusal(ErrorCode.HeaderMismatch, `Header mismatch: ${message}`, { status: 400 })
}

/** Notifications of 2026-07-28 need no headers; those that are there must not contradict the body. */
export function checkNotification(notification: JsonRpcNotification, header: HeaderLookup): void {
  const version = header('mcp-protocol-version')
  const said = metaOf(notification.params)?.[versionKey]
  if (version !== undefined && said !== undefined && version.trim() !== said)
    throw versionMismatch(version, said)
  const method = header('mcp-method')
  if (method !== undefined && method.trim() !== notification.method)
    throw methodMismatch(method, notification.method)
}

function versionMismatch(header: string, said: unknown): Error {
  return mismatch(`MCP-Protocol-Version is ${describe(header)}, but _meta says ${describe(said)}`)
}

function methodMismatch(header: string, said: string): Error {
  return mismatch(`Mcp-Method is ${describe(header)}, but the body says ${describe(said)}`)
}

function checkMirrors(request: JsonRpcRequest, { header, nameKey }: Mirror): void {
  if (header('mcp-protocol-version') === undefined) throw mismatch('expected the header MCP-Protocol-Version')
  const method = header('mcp-method')
  if (method === undefined) throw mismatch('expected the header Mcp-Method')
  if (method.trim() !== request.method) {
    throw methodMismatch(method, request.method)
  }
  if (nameKey === undefined) return
  const said = request.params?.[nameKey]
  const raw = header('mcp-name')
  if (raw === undefined) throw mismatch('expected the header Mcp-Name')
  const name = decodeHeaderValue(raw)
  if (name === undefined)
    throw mismatch('Mcp-Name is not readable: expected visible ASCII or canonical base64')
  if (name !== said) throw mismatch(`Mcp-Name is ${describe(name)}, but the body says ${describe(said)}`)
}

function requiredMeta(request: JsonRpcRequest): Meta {
  const meta = metaOf(request.params) ?? {}
  const missing = [versionKey, capabilitiesKey].filter((key) => meta[key] === undefined)
  if (missing.length > 0) throw badMeta(`expected ${missing.join(' and ')} in params._meta`)
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

function metaOf(params: unknown): Meta | undefined {
  const meta = isObject(params) ? params._meta : undefined
  return isObject(meta) ? meta : undefined
}

function progressTokenOf(meta: Meta | undefined): RequestId | undefined {
  const token = isObject(meta) ? meta.progressToken : undefined
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as RequestId) : undefined
}
