/**
 * Base64 (RFC 4648 section 4) and base64url without padding (section 5), in both directions. Decoding is strict:
 * it accepts only text that encoding would have produced, so no two texts mean the same bytes.
 */

type Alphabet = 'base64' | 'base64url'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SYMBOLS: Record<Alphabet, string> = { base64: `${LETTERS}+/`, base64url: `${LETTERS}-_` }

/** Standard base64 with padding: what the protocol's `blob` and `data` fields carry. */
export function toBase64(bytes: Uint8Array): string {
  return encode(bytes, 'base64')
}

/** The bytes of standard base64; `undefined` unless it is canonical and padded. */
export function fromBase64(text: string): Uint8Array | undefined {
  return decodeStrictly(text, 'base64')
}

/** Base64url without padding: safe in headers, URLs and file names. */
export function toBase64Url(bytes: Uint8Array): string {
  return encode(bytes, 'base64url')
}

/** The bytes of base64url; `undefined` unless it is canonical and without padding. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  return decodeStrictly(text, 'base64url')
}

/** Decodes and encodes again: any text but the canonical one comes out different, and is refused. */
function decodeStrictly(text: string, alphabet: Alphabet): Uint8Array | undefined {
  const bytes = decode(text, alphabet)
  return encode(bytes, alphabet) === text ? bytes : undefined
}

function encode(bytes: Uint8Array, alphabet: Alphabet): string {
  // Buffer is ten times as fast.
  const native = globalThis.Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return native ? native.toString(alphabet) : encodePlainly(bytes, alphabet)
}

function decode(text: string, alphabet: Alphabet): Uint8Array {
  // A copy: small Buffers share one pool, which must not be reachable through `.buffer`.
  return globalThis.Buffer
    ? new Uint8Array(globalThis.Buffer.from(text, alphabet))
    : decodePlainly(text, alphabet)
}

function encodePlainly(bytes: Uint8Array, alphabet: Alphabet): string {
  const symbols = new TextEncoder().encode(SYMBOLS[alphabet])
  const padded = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  for (let from = 0, to = 0; from < bytes.length; from += 3) {
    const group = (byteAt(bytes, from) << 16) | (byteAt(bytes, from + 1) << 8) | byteAt(bytes, from + 2)
    for (let shift = 18; shift >= 0; shift -= 6) padded[to++] = byteAt(symbols, (group >> shift) & 63)
  }
  const length = Math.ceil((bytes.length * 4) / 3)
  if (alphabet === 'base64url') return new TextDecoder().decode(padded.subarray(0, length))
  return new TextDecoder().decode(padded.fill(61 /* = */, length))
}

/** Lenient: unknown characters count as zero. */
function decodePlainly(text: string, alphabet: Alphabet): Uint8Array {
  const values = new Uint8Array(128)
  for (let value = 0; value < 64; value++) values[SYMBOLS[alphabet].charCodeAt(value)] = value
  const length = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length
  const bytes = new Uint8Array(Math.floor((length * 3) / 4))
  for (let from = 0, to = 0; from < length; from += 4) {
    let group = 0
    for (let i = from; i < from + 4; i++) group = (group << 6) | byteAt(values, text.charCodeAt(i))
    for (let shift = 16; shift >= 0; shift -= 8) bytes[to++] = group >> shift
  }
  return bytes
}

/** Returns a byte, or zero beyond the end, as base64 pads its last group. */
function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}

const encoder = new TextEncoder()

/** Returns the length of a text in UTF-8. */
export function bytesOf(text: string): number {
  return encoder.encode(text).length
}
