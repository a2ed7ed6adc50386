/** `mcp-router list` for URLs: the items that a server lists. */

import { isObject, lists } from '../../src/internal.js'
import type { Client } from './client/client.js'
import { toTable } from './terminal/table.js'

/** An item as the server sent it, with its kind. */
type Line = Readonly<Record<string, unknown>> & { readonly kind: string }

export async function listServer(client: Client): Promise<Line[]> {
  const lines: Line[] = []
  for (const { kind, method, member } of lists) {
    for (const item of await client.list(method, member)) lines.push({ kind, ...item })
  }
  return lines
}

export function serverTable(lines: readonly Line[], width: number | undefined): string {
  const rows = lines.map((line) => {
    const key = lists.find(({ kind }) => kind === line.kind)?.key ?? 'name'
    const described = line.description ?? line.title ?? (key === 'name' ? '' : line.name)
    return [line.kind, String(line[key]), argumentsOf(line), String(described ?? '')]
  })
  return toTable(['KIND', 'NAME', 'ARGUMENTS', 'DESCRIPTION'], rows, { width })
}

/** Returns the arguments of an item, such as `id, limit?`. */
function argumentsOf({ inputSchema, arguments: declared }: Line): string {
  if (Array.isArray(declared)) {
    return declared
      .filter(isObject)
      .map(({ name, required }) => (required === true ? `${name}` : `${name}?`))
      .join(', ')
  }
  const { properties, required } = isObject(inputSchema) ? inputSchema : {}
  const needed = Array.isArray(required) ? required : []
  return Object.keys(isObject(properties) ? properties : {})
    .map((name) => (needed.includes(name) ? name : `${name}?`))
    .join(', ')
}
