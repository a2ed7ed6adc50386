/** `TextEncoder` and `TextDecoder` for UTF-8, based on Bare's `Buffer`. */

export class BareTextEncoder {
  encode(text = ''): Uint8Array {
    return Buffer.from(text)
  }

  /** Encodes as many complete characters as fit into `into`. */
  encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
    const bytes = Buffer.from(text)
    const written = bytes.length <= into.length ? bytes.length : wholeCharacters(bytes, into.length)
    into.set(bytes.subarray(0, written))
    return { read: bytes.subarray(0, written).toString('utf8').length, written }
  }
}

export class BareTextDecoder {
  readonly #fatal: boolean
  /** The first bytes of an incomplete character. */
  #incomplete = Buffer.alloc(0)

  constructor(_label = 'utf-8', { fatal = false }: { fatal?: boolean } = {}) {
    this.#fatal = fatal
  }

  /** Decodes bytes. @throws TypeError for invalid UTF-8, with the option `fatal`. */
  decode(bytes: Uint8Array = new Uint8Array(0), { stream = false }: { stream?: boolean } = {}): string {
    const buffer = Buffer.concat([this.#incomplete, bytes])
    const end = stream ? wholeCharacters(buffer, buffer.length) : buffer.length
    this.#incomplete = Buffer.from(buffer.subarray(end))
    const whole = buffer.subarray(0, end)
    const text = whole.toString('utf8')
    // Invalid bytes are replaced while decoding, so encoding the text again gives other bytes.
    if (this.#fatal && !Buffer.from(text).equals(whole)) throw new TypeError('The bytes are not UTF-8')
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }
}

/** Returns the length of the longest prefix, of at most `length` bytes, that ends with a complete character. */
function wholeCharacters(bytes: Uint8Array, length: number): number {
  let start = length - 1
  while (start > 0 && length - start < 4 && isContinuation(bytes[start])) start -= 1
  const first = bytes[start] ?? 0
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return start + needed <= length ? length : Math.max(start, 0)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
