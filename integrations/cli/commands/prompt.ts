/** `mcp-router prompt`. */

import { exitCodes } from '../exit-codes.js'
import type { Input } from '../options.js'
import { converse } from '../session.js'
import { promptText } from '../terminal/show.js'
import { harmless, harmlessJson, type Terminal } from '../terminal/terminal.js'
import { readArguments } from '../tool-arguments.js'

export async function runPrompt(input: Input, terminal: Terminal): Promise<number> {
  const [, name = '', ...words] = input.positionals
  const result = await converse(input, terminal, async (client, signal) => {
    const args = Object.entries(await readArguments(words, () => true, terminal))
    return client.request(
      'prompts/get',
      { name, arguments: Object.fromEntries(args.map(asText)) },
      { signal },
    )
  })
  if (input.values.json === true) terminal.out(harmlessJson(result))
  else terminal.out(harmless(promptText(result)))
  return exitCodes.fine
}

/** Arguments of prompts travel as texts. */
function asText([name, value]: [string, unknown]): [string, string] {
  return [name, typeof value === 'string' ? value : JSON.stringify(value)]
}
