/** `mcp-router read`. */

import { exitCodes } from '../exit-codes.js'
import type { Input } from '../options.js'
import { converse } from '../session.js'
import { blocksOf, contentsText } from '../terminal/show.js'
import { harmless, harmlessJson, type Terminal } from '../terminal/terminal.js'

export async function runRead(input: Input, terminal: Terminal): Promise<number> {
  const [, uri = ''] = input.positionals
  const result = await converse(input, terminal, (client, signal) =>
    client.request('resources/read', { uri }, { signal }),
  )
  terminal.out(shown(result, input, terminal))
  return exitCodes.fine
}

function shown(result: Record<string, unknown>, { values }: Input, { width }: Terminal): string | Uint8Array {
  if (values.json === true) return harmlessJson(result)
  if (width !== undefined) return harmless(contentsText(result))
  const [only, ...others] = blocksOf(result.contents)
  if (only === undefined || others.length > 0) return harmless(contentsText(result))
  // One resource goes into a file as it is.
  return typeof only.blob === 'string' ? Buffer.from(only.blob, 'base64') : contentsText(result)
}
