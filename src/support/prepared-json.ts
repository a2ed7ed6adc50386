/** JSON texts that are built once and sent often. */

const encoder = new TextEncoder()
/** From this length on, copying encoded bytes is cheaper than encoding the text per response. Characters. */
const longText = 16 * 1024

export class Prepared {
  readonly text: string
  #bytes: Uint8Array | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The text in UTF-8, encoded once. */
  get bytes(): Uint8Array {
    this.#bytes ??= encoder.encode(this.text)
    return this.#bytes
  }
}

/** A JSON text with a prepared one in it. */
export class PreparedText {
  readonly #before: string
  readonly #prepared: Prepared
  readonly #after: string

  constructor(before: string, prepared: Prepared, after: string) {
    this.#before = before
    this.#prepared = prepared
    this.#after = after
  }

  within(before: string, after: string): PreparedText {
    return new PreparedText(before + this.#before, this.#prepared, this.#after + after)
  }

  toString(): string {
    return this.#before + this.#prepared.text + this.#after
  }

  /** Returns the body of a response: bytes if the text is long. */
  toBody(): string | Uint8Array {
    if (this.#prepared.text.length < longText) return this.toString()
    const parts = [encoder.encode(this.#before), this.#prepared.bytes, encoder.encode(this.#after)]
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }
}
