/** `mcp-router list`. */

import { exitCodes, UsageError } from '../exit-codes.js'
import { list } from '../list-routes.js'
import { listServer, serverTable } from '../list-server.js'
import type { Input } from '../options.js'
import { converse } from '../session.js'
import { isUrl } from '../target.js'
import { harmlessJson, type Terminal } from '../terminal/terminal.js'

export async function runList(input: Input, terminal: Terminal): Promise<number> {
  const { positionals, values } = input
  const [place = ''] = positionals
  if (isUrl(place)) return listOverHttp(input, terminal)
  const { width } = terminal
  const { text, complaint } = await list(place, { json: values.json, failOn: values['fail-on'], width })
  terminal.out(text)
  if (complaint !== undefined) terminal.error(complaint)
  return complaint === undefined ? exitCodes.fine : exitCodes.failed
}

async function listOverHttp(input: Input, terminal: Terminal): Promise<number> {
  if (input.values['fail-on'] !== undefined)
    throw new UsageError('--fail-on is for modules: a server does not tell what guards its routes')
  const lines = await converse(input, terminal, listServer)
  const isJson = input.values.json === true
  terminal.out(isJson ? harmlessJson(lines) : serverTable(lines, terminal.width))
  return exitCodes.fine
}
