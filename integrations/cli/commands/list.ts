/** Implements `mcp-router list`. */

import { exitCodes, UsageError } from '../exit-codes.js'
import { list } from '../list-routes.js'
import { listServer, serverTable } from '../list-server.js'
import type { Input } from '../options.js'
import { withClient } from '../session.js'
import { isUrl } from '../target.js'
import { sanitizedJson, type Terminal } from '../terminal/terminal.js'

export async function runList(input: Input, terminal: Terminal): Promise<number> {
  const { positionals, values } = input
  const [target = ''] = positionals
  if (isUrl(target)) return listOverHttp(input, terminal)
  const { width } = terminal
  const { text, failure } = await list(target, { json: values.json, failOn: values['fail-on'], width })
  terminal.out(text)
  if (failure !== undefined) terminal.error(failure)
  return failure === undefined ? exitCodes.ok : exitCodes.failed
}

async function listOverHttp(input: Input, terminal: Terminal): Promise<number> {
  if (input.values['fail-on'] !== undefined)
    throw new UsageError("--fail-on works with modules only: a server doesn't report what guards its routes")
  const lines = await withClient(input, terminal, listServer)
  const isJson = input.values.json === true
  terminal.out(isJson ? sanitizedJson(lines) : serverTable(lines, terminal.width))
  return exitCodes.ok
}
