/** Negotiates the revision: tries the newest first, then `initialize` (specification, Versioning). */

import {
  ErrorCode,
  isObject,
  type JsonRpcResponse,
  McpError,
  newestRevision,
  type Result,
  revisions,
  versionKey,
} from '../../../src/internal.js'
import { HttpFailure } from './http-failure.js'
import { Deadlines } from './patience.js'
import { ServerFailure } from './server-failure.js'
import type { Wire } from './wire.js'

/** The client's name and capabilities, and how it negotiates. */
export interface NegotiateOptions {
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly capabilities: Readonly<Record<string, object>>
  /** Use a revision before 2026-07-28 even if the server supports the newest. */
  readonly legacy?: boolean | undefined
  /** Time limits of requests. Default: none. */
  readonly deadlines?: Deadlines | undefined
}

export interface Negotiated {
  readonly wire: Wire
  readonly version: string
  /** The result of `server/discover` or `initialize`. */
  readonly server: Result
}

/** Time limit of `server/discover`, since a server that doesn't know it may never respond. Milliseconds. */
const discoverTimeoutMs = 10_000

const legacyVersions = revisions.filter(({ era }) => era === 'legacy').map(({ version }) => version)
/** Error codes that only servers of 2026-07-28 use. */
const modernCodes: readonly number[] = [
  ErrorCode.HeaderMismatch,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.UnsupportedProtocolVersion,
]

/**
 * Negotiates the revision with the server. `openSse`: opens the transport of 2024-11-05, for servers that
 * support no other.
 * @throws McpError, HttpFailure or ServerFailure for the server's response, TypeError if no response comes
 */
export async function negotiate(
  wire: Wire,
  options: NegotiateOptions,
  openSse?: (() => Promise<Wire>) | undefined,
): Promise<Negotiated> {
  const server = options.legacy === true ? undefined : await discover(wire, options)
  if (server !== undefined) return { wire, version: newestRevision.version, server }
  try {
    return await initialize(wire, options)
  } catch (error) {
    const isUnsupported =
      error instanceof HttpFailure && !error.isRefusal && error.status >= 400 && error.status < 500
    if (!isUnsupported || openSse === undefined) throw error
    const sse = await openSse().catch(() => {
      throw error
    })
    return await initialize(sse, options)
  }
}

/** Returns the `_meta` that describes the client in each request of 2026-07-28. */
export function envelope({ clientInfo, capabilities }: NegotiateOptions): Record<string, unknown> {
  return {
    [versionKey]: newestRevision.version,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
}

/** Returns the result of a response. @throws McpError for a JSON-RPC error */
export function resultOf(answer: JsonRpcResponse): Result {
  if ('result' in answer) return answer.result
  const { code, message, data } = answer.error
  throw new McpError(code, message, data)
}

/** Sends `server/discover`. Returns `undefined` if the server supports only earlier revisions. */
async function discover(wire: Wire, options: NegotiateOptions): Promise<Result | undefined> {
  const request = {
    jsonrpc: '2.0',
    id: 'discover',
    method: 'server/discover',
    params: { _meta: envelope(options) },
  } as const
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(timeout), discoverTimeoutMs)
  try {
    const answer = await wire.request(request, { onMessage: () => {}, signal: timeout.signal })
    if ('result' in answer) return supportsNewest(answer.result) ? answer.result : undefined
    if (!modernCodes.includes(answer.error.code)) return undefined
    if (answer.error.code === ErrorCode.UnsupportedProtocolVersion) return undefined
    return resultOf(answer)
  } catch (error) {
    const isLegacy =
      error === timeout || (error instanceof HttpFailure && !error.isRefusal && error.status >= 400)
    if (isLegacy) return undefined
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function supportsNewest({ supportedVersions }: Result): boolean {
  return Array.isArray(supportedVersions) && supportedVersions.includes(newestRevision.version)
}

async function initialize(
  wire: Wire,
  { clientInfo, capabilities, deadlines = new Deadlines() }: NegotiateOptions,
): Promise<Negotiated> {
  const params = { protocolVersion: legacyVersions.at(-1), capabilities, clientInfo }
  const request = { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params } as const
  const deadline = deadlines.start('initialize')
  const answer = await wire
    .request(request, { onMessage: () => {}, signal: deadline.signal })
    .finally(() => deadline.end())
  const server = resultOf(answer)
  const { protocolVersion: version } = server
  if (typeof version !== 'string' || !legacyVersions.includes(version)) {
    throw new ServerFailure(
      `the server chose revision ${String(version)}; this client supports ${legacyVersions.join(', ')}`,
    )
  }
  wire.negotiated(version)
  await wire.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return { wire, version, server }
}

/** Whether the server declares a capability. */
export function hasCapability({ capabilities }: Result, name: string): boolean {
  return isObject(capabilities) && isObject(capabilities[name])
}
