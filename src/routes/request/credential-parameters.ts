/** Parameters by which callers show who they are: never arguments, since who calls is not the model's to say. */

import { InvalidParamsError } from '../../errors/errors.js'
import type { Route, RouteSchema } from '../route.js'
import type { PartName } from './arguments.js'

/** What the marker says of a part stands: its author named each argument. */
export function isSecret({ marker, schema }: Route, part: PartName, key: string | undefined): boolean {
  if (key === undefined || (part === 'query' && marker?.query !== undefined)) return false
  return schema?.secrets?.some((secret) => secret.part === part && sameName(secret, key)) === true
}

/**
 * An object that is written as single parameters brings names of its own. `declared`: parameters that are arguments.
 * @throws InvalidParamsError where one of them is a secret's, in any spelling of nested keys.
 */
export function assertNoSecret(
  query: string,
  { secrets = [] }: Partial<RouteSchema>,
  declared: ReadonlySet<string>,
): void {
  if (secrets.length === 0 || query === '') return
  for (const written of new URLSearchParams(query).keys()) {
    // The brackets of a list belong to no name.
    if (declared.has(written.replace(/\[\d*\]$/, ''))) continue
    const found = secrets.find(
      ({ part, name }) => part === 'query' && (written === name || rootName(written) === rootName(name)),
    )
    if (found === undefined) continue
    throw new InvalidParamsError(
      `the parameter "${found.name}" says who calls and is no argument; leave it out`,
    )
  }
}

/** The name that parsers of nested keys begin with: `a` of `a[b]`, `[a]`, `a[]` and `a.b`; empty for `[]`. */
export function rootName(key: string): string {
  return key.split(/[[\].]/).find((word) => word !== '') ?? ''
}

function sameName({ part, name }: { readonly part: string; readonly name: string }, key: string): boolean {
  return part === 'header' ? name.toLowerCase() === key.toLowerCase() : name === key
}
