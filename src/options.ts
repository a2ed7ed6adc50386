/** Checks option objects when they are given: a name that does not exist is refused with the nearest one that does. */

import { describe, isObject } from './protocol/jsonrpc.js'

/** The options an object may have; `later` are designed but not available yet. */
export interface OptionTable {
  readonly known: readonly string[]
  readonly later?: readonly string[]
}

/** Throws for what is no object, for a name that does not exist, and for one that is not available yet. */
export function checkOptions(owner: string, options: unknown, table: OptionTable): void {
  if (!isObject(options))
    throw new TypeError(`${owner}: expected an options object, got ${describe(options)}`)
  for (const name of Object.keys(options)) {
    if (options[name] === undefined || table.known.includes(name)) continue
    if (table.later?.includes(name))
      throw new TypeError(`${owner}: the option \`${name}\` is not available yet`)
    const near = nearest(name, [...table.known, ...(table.later ?? [])])
    const hint = near === undefined ? `known are ${table.known.join(', ')}` : `did you mean \`${near}\`?`
    throw new TypeError(`${owner}: there is no option \`${name}\`; ${hint}`)
  }
}

/** Spellings that other libraries taught people. */
const aliases: Readonly<Record<string, string>> = {
  inputSchema: 'input',
  parameters: 'input',
  params: 'input',
  schema: 'input',
  args: 'input',
  argsSchema: 'input',
  outputSchema: 'output',
  execute: 'handler',
  run: 'handler',
  read: 'handler',
  callback: 'handler',
  middleware: 'use',
  _meta: 'meta',
  timeout: 'timeoutMs',
}

/** The candidate that was probably meant: a known alias, another letter case, or few edits away. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  if (alias !== undefined && candidates.includes(alias)) return alias
  let best: string | undefined
  let fewest = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = edits(name.toLowerCase(), candidate.toLowerCase())
    if (distance < fewest) [best, fewest] = [candidate, distance]
  }
  return best
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
