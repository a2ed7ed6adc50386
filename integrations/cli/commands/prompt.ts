/** Implements `mcp-router prompt`. */

import { exitCodes } from '../exit-codes.js'
import type { Input } from '../options.js'
import { withClient } from '../session.js'
import { promptText } from '../terminal/show.js'
import { sanitize, sanitizedJson, type Terminal } from '../terminal/terminal.js'
import { readArguments } from '../tool-arguments.js'

export async function runPrompt(input: Input, terminal: Terminal): Promise<number> {
  const [, name = '', ...words] = input.positionals
  const result = await withClient(input, terminal, async (client, signal) => {
    const args = Object.entries(await readArguments(words, () => true, terminal))
    return client.request(
      'prompts/get',
      { name, arguments: Object.fromEntries(args.map(asText)) },
      { signal },
    )
  })
  if (input.values.json === true) terminal.out(sanitizedJson(result))
  else terminal.out(sanitize(promptText(result)))
  return exitCodes.ok
}

/** Converts a value to text, since prompt arguments are strings. */
function asText([name, value]: [string, unknown]): [string, string] {
  return [name, typeof value === 'string' ? value : JSON.stringify(value)]
}
