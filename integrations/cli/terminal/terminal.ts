/** What a command writes to, and whether a person sits there. */

import type { Readable } from 'node:stream'

export interface Terminal {
  /** The answer, and nothing else. A text gets its line end. */
  readonly out: (answer: string | Uint8Array, written?: () => void) => void
  /** What is said beside it. */
  readonly error: (text: string) => void
  /** Columns of the answer; `undefined`: it goes to a file or a program. */
  readonly width: number | undefined
  readonly colour: boolean
  readonly input: Readable
  /** Asks a person one line; `undefined`: nobody is there. Resolves to nothing at the end of input. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string | undefined>) | undefined
}

/** Bold where colours are wanted. */
export function bold(text: string, { colour }: Terminal): string {
  return colour ? `\u001b[1m${text}\u001b[22m` : text
}

export function dim(text: string, { colour }: Terminal): string {
  return colour ? `\u001b[2m${text}\u001b[22m` : text
}

/**
 * What others wrote must not steer the terminal, wherever the output ends up: all control characters but line ends and
 * tabs go, and so do those that reverse what is read.
 */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, ' ')
}

/** The same value for programs, in which nothing steers a terminal: JSON itself escapes some control characters only. */
export function harmlessJson(value: unknown): string {
  const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, undefined, 2).replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, escaped)
}
