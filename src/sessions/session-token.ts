/**
 * Encodes the claims of a legacy `Mcp-Session-Id` (specification 2025-11-25, Session management). The encoding is compact:
 * sealed (`sealed-tokens.ts`) and as base64url, it never exceeds 512 characters.
 */

import type { ClientCapabilities } from '../protocol/types.js'
import { isObject } from '../support/values.js'

export interface SessionClaims {
  /** The negotiated revision. */
  readonly protocolVersion: string
  /** The client's declared capabilities that are in `CAPABILITIES`, without settings of extensions. */
  readonly capabilities: ClientCapabilities
  /** Self-reported, for display only. Both strings are cut at 64 characters. */
  readonly client: { readonly name: string; readonly version: string } | undefined
  /** The 32-byte digest of the caller's id and tenant; `undefined` for an anonymous session. */
  readonly owner: Uint8Array | undefined
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * Known client capabilities (specification, Capability negotiation). An entry's index is its bit in the token, so only
 * append. At most 32.
 */
const CAPABILITIES: readonly (readonly string[])[] = [
  ['roots'],
  ['roots', 'listChanged'],
  ['sampling'],
  ['sampling', 'tools'],
  ['sampling', 'context'],
  ['elicitation'],
  ['elicitation', 'form'],
  ['elicitation', 'url'],
  ['tasks'],
  ['tasks', 'list'],
  ['tasks', 'cancel'],
  ['tasks', 'requests', 'sampling', 'createMessage'],
  ['tasks', 'requests', 'elicitation', 'create'],
  ['extensions', 'io.modelcontextprotocol/ui'],
]

/** The first byte. A different layout needs a new number; tokens in the old layout then count as unknown sessions. */
const FORMAT = 1

/** The size of the head: format and presence flags (one byte each), capability bits (4 bytes), expiry (8 bytes). */
const HEAD_BYTES = 14
const HAS_CLIENT = 1
const HAS_OWNER = 2
const OWNER_BYTES = 32

/**
 * 512 characters hold 384 bytes; sealing takes 40 of them. Head, owner, three strings and their lengths take 321 of the
 * remaining 344. The name's 192 bytes hold 64 characters of up to three bytes, which covers every script in use, but only
 * 48 emoji.
 */
const MAX_CHARACTERS = 64
const BUDGET = { protocolVersion: 16, name: 192, version: 64 }

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Encodes the claims of a session.
 * @throws RangeError if `owner` isn't 32 bytes long.
 */
export function encodeSession({
  protocolVersion,
  capabilities,
  client,
  owner,
  expiresAt,
}: SessionClaims): Uint8Array {
  if (owner && owner.length !== OWNER_BYTES) throw new RangeError(`owner is ${owner.length} bytes, not 32`)
  const head = new DataView(new ArrayBuffer(HEAD_BYTES))
  head.setUint8(0, FORMAT)
  head.setUint8(1, (client ? HAS_CLIENT : 0) | (owner ? HAS_OWNER : 0))
  head.setUint32(2, toBits(capabilities))
  head.setFloat64(6, expiresAt)
  return Uint8Array.of(
    ...new Uint8Array(head.buffer),
    ...(owner ?? []),
    ...encodeText(protocolVersion, BUDGET.protocolVersion),
    ...(client ? encodeText(client.name, BUDGET.name) : []),
    ...(client ? encodeText(client.version, BUDGET.version) : []),
  )
}

/** Decodes the output of `encodeSession`. Returns `undefined` for any other bytes. */
export function decodeSession(bytes: Uint8Array): SessionClaims | undefined {
  try {
    return readClaims(bytes)
  } catch {
    return undefined // truncated, or not UTF-8
  }
}

function readClaims(bytes: Uint8Array): SessionClaims | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint8(0) !== FORMAT) return undefined
  const flags = view.getUint8(1)
  let at = HEAD_BYTES
  const take = (length: number): Uint8Array => {
    const start = at
    at += length
    if (at > bytes.length) throw new RangeError('truncated')
    return bytes.slice(start, at)
  }
  const takeText = (): string => decoder.decode(take(view.getUint8(at++)))

  const owner = flags & HAS_OWNER ? take(OWNER_BYTES) : undefined
  const protocolVersion = takeText()
  const client = flags & HAS_CLIENT ? { name: takeText(), version: takeText() } : undefined
  if (at !== bytes.length) return undefined
  const capabilities = fromBits(view.getUint32(2))
  return { protocolVersion, capabilities, client, owner, expiresAt: view.getFloat64(6) }
}

/** Encodes text as a length byte and UTF-8, cut at 64 characters and at `budget` bytes, never within a character. */
function encodeText(text: string, budget: number): number[] {
  const characters = [...text.slice(0, 2 * MAX_CHARACTERS)].slice(0, MAX_CHARACTERS)
  const bytes = new Uint8Array(budget)
  const { written } = encoder.encodeInto(characters.join(''), bytes) // never writes half a character
  return [written, ...bytes.subarray(0, written)]
}

function toBits(capabilities: ClientCapabilities): number {
  return CAPABILITIES.reduce(
    (bits, path, bit) => (declares(capabilities, path) ? bits | (1 << bit) : bits),
    0,
  )
}

/** Whether the capability is present: an object, or `true` for `listChanged`. */
function declares(capabilities: ClientCapabilities, path: readonly string[]): boolean {
  let value: unknown = capabilities
  for (const key of path) value = isObject(value) ? value[key] : undefined
  return value === true || isObject(value)
}

function fromBits(bits: number): ClientCapabilities {
  const capabilities: CapabilityTree = {}
  for (const [bit, path] of CAPABILITIES.entries()) {
    if (bits & (1 << bit)) declare(capabilities, path)
  }
  return capabilities
}

interface CapabilityTree {
  [key: string]: CapabilityTree | true
}

function declare(capabilities: CapabilityTree, path: readonly string[]): void {
  let parent = capabilities
  for (const key of path) {
    const value = key === 'listChanged' ? true : (parent[key] ?? {})
    parent[key] = value
    if (value === true) return
    parent = value
  }
}
