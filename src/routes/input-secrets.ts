/** Parameters by which callers show who they are: never arguments, since who calls is not the model's to say. */

import { InvalidParamsError } from '../errors.js'
import type { PartName } from './input-arguments.js'
import type { Route, RouteSchema } from './route.js'

/** What the marker says of a part stands: its author named each argument. */
export function isSecret({ marker, schema }: Route, part: PartName, key: string | undefined): boolean {
  if (key === undefined || (part === 'query' && marker?.query !== undefined)) return false
  return schema?.secrets?.some((secret) => secret.part === part && sameName(secret, key)) === true
}

/**
 * An object that is written as single parameters brings names of its own.
 * @throws InvalidParamsError where one of them is a secret's.
 */
export function assertNoSecret(query: string, { secrets = [] }: Partial<RouteSchema>): void {
  if (secrets.length === 0 || query === '') return
  for (const written of new URLSearchParams(query).keys()) {
    const name = rootName(written)
    if (!secrets.some((secret) => secret.part === 'query' && secret.name === name)) continue
    throw new InvalidParamsError(`the parameter "${name}" says who calls and is no argument; leave it out`)
  }
}

/** The name that parsers of nested keys begin with: `a` of `a[b]`, `[a]`, `a[]` and `a.b`; empty for `[]`. */
export function rootName(key: string): string {
  return key.split(/[[\].]/).find((word) => word !== '') ?? ''
}

function sameName({ part, name }: { readonly part: string; readonly name: string }, key: string): boolean {
  return part === 'header' ? name.toLowerCase() === key.toLowerCase() : name === key
}
