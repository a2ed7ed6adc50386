/** The interface of the terminal that commands write to and ask at, and helpers for its text. */

import type { Readable } from 'node:stream'

export interface Terminal {
  /** Writes the result to stdout. Text gets a line end. */
  readonly out: (output: string | Uint8Array, written?: () => void) => void
  /** Writes everything else to stderr. */
  readonly error: (text: string) => void
  /** Columns of stdout; `undefined` if it is a file or a pipe. */
  readonly width: number | undefined
  readonly colour: boolean
  readonly input: Readable
  /** Asks the user for one line; `undefined` if nobody can be asked. Resolves to `undefined` at the end of input. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string | undefined>) | undefined
}

/** Makes text bold if colours are enabled. */
export function bold(text: string, { colour }: Terminal): string {
  return colour ? `\u001b[1m${text}\u001b[22m` : text
}

/** Makes text dim if colours are enabled. */
export function dim(text: string, { colour }: Terminal): string {
  return colour ? `\u001b[2m${text}\u001b[22m` : text
}

/**
 * Removes control characters, except line ends and tabs, and characters that change the direction of text, so that text
 * from a server can't control the terminal.
 */
export function sanitize(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, ' ')
}

/** Formats JSON that can't control the terminal. JSON itself escapes only some control characters. */
export function sanitizedJson(value: unknown): string {
  const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, undefined, 2).replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, escaped)
}
