/** Implements `mcp-router call`. */

import { isObject, McpError, nearest } from '../../../src/internal.js'
import type { Client } from '../client/client.js'
import { parameterHeaders } from '../client/mirror-headers.js'
import { exitCodes } from '../exit-codes.js'
import type { Input } from '../options.js'
import { withClient } from '../session.js'
import { resultText } from '../terminal/show.js'
import { sanitize, sanitizedJson, type Terminal } from '../terminal/terminal.js'
import { readArguments, takesTextFor } from '../tool-arguments.js'

export async function runCall(input: Input, terminal: Terminal): Promise<number> {
  const [, name = '', ...words] = input.positionals
  const result = await withClient(input, terminal, async (client, signal) => {
    const tools = await client.list('tools/list', 'tools')
    const tool = tools.find((listed) => listed.name === name)
    const schema = isObject(tool?.inputSchema) ? tool.inputSchema : {}
    const args = await readArguments(words, takesTextFor(schema), terminal)
    const headers = client.isModern ? parameterHeaders(name, schema, args) : {}
    try {
      return await client.request('tools/call', { name, arguments: args }, { signal, headers })
    } catch (error) {
      throw tool === undefined ? withHint(error, name, tools) : error
    }
  })
  return show(result, input, terminal)
}

/** Adds the most similar tool name to an error. */
function withHint(error: unknown, name: string, tools: Awaited<ReturnType<Client['list']>>): unknown {
  const near = nearest(
    name,
    tools.map((tool) => String(tool.name)),
  )
  if (!(error instanceof McpError) || near === undefined) return error
  return new McpError(error.code, `${error.message}; did you mean ${near}?`, error.data)
}

function show(result: Record<string, unknown>, { values }: Input, terminal: Terminal): number {
  const failed = result.isError === true
  if (values.json === true) terminal.out(sanitizedJson(result))
  else (failed ? terminal.error : terminal.out)(sanitize(resultText(result)))
  return failed ? exitCodes.failed : exitCodes.ok
}
