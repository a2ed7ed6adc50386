/** Implements `mcp-router read`. */

import { exitCodes } from '../exit-codes.js'
import type { Input } from '../options.js'
import { withClient } from '../session.js'
import { blocksOf, contentsText } from '../terminal/show.js'
import { sanitize, sanitizedJson, type Terminal } from '../terminal/terminal.js'

export async function runRead(input: Input, terminal: Terminal): Promise<number> {
  const [, uri = ''] = input.positionals
  const result = await withClient(input, terminal, (client, signal) =>
    client.request('resources/read', { uri }, { signal }),
  )
  terminal.out(format(result, input, terminal))
  return exitCodes.ok
}

function format(
  result: Record<string, unknown>,
  { values }: Input,
  { width }: Terminal,
): string | Uint8Array {
  if (values.json === true) return sanitizedJson(result)
  if (width !== undefined) return sanitize(contentsText(result))
  const [only, ...others] = blocksOf(result.contents)
  if (only === undefined || others.length > 0) return sanitize(contentsText(result))
  // A single content goes into a file or pipe unchanged.
  return typeof only.blob === 'string' ? Buffer.from(only.blob, 'base64') : contentsText(result)
}
