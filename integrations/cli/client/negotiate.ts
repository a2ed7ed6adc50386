/** Finds out which revision a server speaks: the newest first, then the handshake (specification, Versioning). */

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
import { Patience } from './patience.js'
import { ServerFailure } from './server-failure.js'
import type { Wire } from './wire.js'

/** What a client says of itself. */
export interface Hello {
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly capabilities: Readonly<Record<string, object>>
  /** Speak as clients did before 2026-07-28, whatever the server knows. */
  readonly legacy?: boolean | undefined
  /** Limits for a server that is silent. Default: none. */
  readonly patience?: Patience | undefined
}

export interface Agreed {
  readonly wire: Wire
  readonly version: string
  /** What the server says of itself. */
  readonly server: Result
}

/** A server that knows none of this may not answer at all. Milliseconds. */
const patience = 10_000

const legacy = revisions.filter(({ era }) => era === 'legacy').map(({ version }) => version)
/** What only servers of 2026-07-28 answer. */
const modernCodes: readonly number[] = [
  ErrorCode.HeaderMismatch,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.UnsupportedProtocolVersion,
]

/**
 * `older`: opens the transport of 2024-11-05, where there may be one at the same place.
 * @throws McpError, HttpFailure or ServerFailure for what the server answers, TypeError where nobody answers.
 */
export async function negotiate(
  wire: Wire,
  hello: Hello,
  older?: (() => Promise<Wire>) | undefined,
): Promise<Agreed> {
  const server = hello.legacy === true ? undefined : await discover(wire, hello)
  if (server !== undefined) return { wire, version: newestRevision.version, server }
  try {
    return await shakeHands(wire, hello)
  } catch (error) {
    const none = error instanceof HttpFailure && !error.isRefusal && error.status >= 400 && error.status < 500
    if (!none || older === undefined) throw error
    const second = await older().catch(() => {
      throw error
    })
    return await shakeHands(second, hello)
  }
}

/** What a request of 2026-07-28 says of its client. */
export function envelope({ clientInfo, capabilities }: Hello): Record<string, unknown> {
  return {
    [versionKey]: newestRevision.version,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
}

/** The result of an answer. @throws McpError */
export function resultOf(answer: JsonRpcResponse): Result {
  if ('result' in answer) return answer.result
  const { code, message, data } = answer.error
  throw new McpError(code, message, data)
}

/** `undefined`: it speaks older revisions. */
async function discover(wire: Wire, hello: Hello): Promise<Result | undefined> {
  const request = {
    jsonrpc: '2.0',
    id: 'discover',
    method: 'server/discover',
    params: { _meta: envelope(hello) },
  } as const
  const silence = new AbortController()
  const late = setTimeout(() => silence.abort(silence), patience)
  try {
    const answer = await wire.request(request, { hear: () => {}, signal: silence.signal })
    if ('result' in answer) return speaksNewest(answer.result) ? answer.result : undefined
    if (!modernCodes.includes(answer.error.code)) return undefined
    if (answer.error.code === ErrorCode.UnsupportedProtocolVersion) return undefined
    return resultOf(answer)
  } catch (error) {
    const older =
      error === silence || (error instanceof HttpFailure && !error.isRefusal && error.status >= 400)
    if (older) return undefined
    throw error
  } finally {
    clearTimeout(late)
  }
}

function speaksNewest({ supportedVersions }: Result): boolean {
  return Array.isArray(supportedVersions) && supportedVersions.includes(newestRevision.version)
}

async function shakeHands(
  wire: Wire,
  { clientInfo, capabilities, patience: limits = new Patience() }: Hello,
): Promise<Agreed> {
  const params = { protocolVersion: legacy.at(-1), capabilities, clientInfo }
  const request = { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params } as const
  const deadline = limits.begin('initialize')
  const answer = await wire
    .request(request, { hear: () => {}, signal: deadline.signal })
    .finally(() => deadline.end())
  const server = resultOf(answer)
  const { protocolVersion: version } = server
  if (typeof version !== 'string' || !legacy.includes(version)) {
    throw new ServerFailure(`the server speaks ${String(version)}; this client speaks ${legacy.join(', ')}`)
  }
  wire.agree(version)
  await wire.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return { wire, version, server }
}

/** What a server says it can do. */
export function canDo({ capabilities }: Result, name: string): boolean {
  return isObject(capabilities) && isObject(capabilities[name])
}
