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

/** What others wrote must not steer the terminal: all control characters but line ends and tabs go. */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, ' ')
}
