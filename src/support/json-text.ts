/** The text of JSON that leaves the process. */

import { stringifyJson } from './long-numbers.js'

/** Escape sequences. They are read one by one, because `\\ud800` is a backslash and five letters. */
const escapes = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g

/**
 * `stringifyJson`, with U+FFFD for lone surrogates: strict parsers refuse the whole message for one. They come from
 * texts that were cut in the middle of a character.
 */
export function jsonText(value: unknown): string {
  const text = stringifyJson(value)
  // Only lone surrogates are written as escapes.
  return text === undefined || !text.includes('\\ud') ? text : wellFormed(text)
}

function wellFormed(text: string): string {
  return text.replace(escapes, (sequence) => (sequence.length > 2 ? '\\ufffd' : sequence))
}
