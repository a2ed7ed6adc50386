/** `mcp-router read`. */

import { exitCodes } from './exit-codes.js'
import type { Input } from './options.js'
import { converse } from './session.js'
import { blocksOf, contentsText } from './show.js'
import { harmless, type Terminal } from './terminal.js'

export async function runRead(input: Input, terminal: Terminal): Promise<number> {
  const [, uri = ''] = input.positionals
  const result = await converse(input, terminal, (client, signal) =>
    client.request('resources/read', { uri }, { signal }),
  )
  terminal.out(shown(result, input, terminal))
  return exitCodes.fine
}

function shown(result: Record<string, unknown>, { values }: Input, { width }: Terminal): string | Uint8Array {
  if (values.json === true) return JSON.stringify(result, undefined, 2)
  if (width !== undefined) return harmless(contentsText(result))
  const [only, ...others] = blocksOf(result.contents)
  const isBytes = typeof only?.blob === 'string' && others.length === 0
  return isBytes ? Buffer.from(only.blob as string, 'base64') : contentsText(result)
}
