/**
 * Parses and writes JSON without losing digits: numbers that JavaScript would round are kept as text. JSON without such
 * numbers costs one search of the text.
 */

/** Matches numbers that a JavaScript number may not hold: 16 or more digits, or an exponent of three. */
const suspicious = /\d(?:\.?\d){15}|\d[eE]\+?\d{3}/

const numberAt = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** The prefix of a number's digits on the way through `JSON.stringify`. Random, so that no other string has it. */
const mark = `number-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`
const marked = new RegExp(`"${mark}(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)"`, 'g')

let isWriting = false
let isUsed = false

/** Since Node 22. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }

/** A number of a JSON text whose digits JavaScript can't hold. `toString()` has all of them, `valueOf()` is rounded. */
export class LongNumber {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    isUsed = true
  }

  toString(): string {
    return this.#text
  }

  valueOf(): number {
    return Number(this.#text)
  }

  /** Keeps all digits in `stringifyJson`, and in `JSON.stringify` if the runtime has `JSON.rawJSON`. */
  toJSON(): unknown {
    if (isWriting) return mark + this.#text
    return rawJSON === undefined ? this.valueOf() : rawJSON(this.#text)
  }
}

/** Whether a JSON text may hold numbers that `JSON.parse` would change. */
export function mayHoldLongNumbers(text: string): boolean {
  return suspicious.test(text)
}

/** Like `JSON.parse`, but numbers that would lose digits become `LongNumber`s. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!mayHoldLongNumbers(text)) return value
  const rewritten = withMarks(text)
  if (rewritten === undefined) return value
  return JSON.parse(rewritten, (_, inner: unknown) =>
    typeof inner === 'string' && inner.startsWith(mark) ? new LongNumber(inner.slice(mark.length)) : inner,
  )
}

/** Like `JSON.stringify`, but each `LongNumber` keeps all digits. */
export function stringifyJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  if (!isUsed || isWriting) return JSON.stringify(value, replacer)
  isWriting = true
  try {
    const text: string | undefined = JSON.stringify(value, replacer)
    return text?.includes(mark) ? text.replace(marked, '$1') : text
  } finally {
    isWriting = false
  }
}

/** Returns a copy with numbers in place of `LongNumber`s, for validators. */
export function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Returns the JSON with strings in place of long numbers; `undefined` if it has none. */
function withMarks(text: string): string | undefined {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = endOfString(text, at)
    else if (character === minus || isDigit(character)) {
      numberAt.lastIndex = at
      const number = numberAt.exec(text)?.[0] ?? ''
      if (isLong(number)) {
        parts.push(text.slice(from, at), `"${mark}${number}"`)
        from = at + number.length
      }
      at += number.length - 1
    }
  }
  return parts.length === 0 ? undefined : parts.join('') + text.slice(from)
}

const quote = 34
const minus = 45
const backslash = 92

function isDigit(character: number): boolean {
  return character >= 48 && character <= 57
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

function isLong(number: string): boolean {
  return suspicious.test(number) && String(Number(number)) !== number
}

/** Matches escape sequences one by one, because `\\ud800` is a backslash and five letters. */
const escapes = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g

/**
 * Like `stringifyJson`, but lone surrogates become U+FFFD, because strict parsers refuse the whole message. They come from
 * texts that were cut within a character.
 */
export function jsonText(value: unknown): string {
  const text = stringifyJson(value)
  // Only lone surrogates are written as escapes.
  return text === undefined || !text.includes('\\ud') ? text : wellFormed(text)
}

function wellFormed(text: string): string {
  return text.replace(escapes, (sequence) => (sequence.length > 2 ? '\\ufffd' : sequence))
}
