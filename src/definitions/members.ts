/** Finds the definitions in what `router.add()` is given. */

import { isThenable } from '../support/maybe-promise.js'
import { describe } from '../support/values.js'
import { type AnyDefinition, partsOf } from './define.js'

/**
 * A definition by itself, own members under their keys, or an array's, which have names of their own.
 * @throws TypeError when there is none.
 */
export function membersOf(holder: unknown): (readonly [name: string | undefined, member: AnyDefinition])[] {
  if (isDefinition(holder)) return [[undefined, holder]]
  const named = !Array.isArray(holder)
  const members = Object.entries(holder ?? {}).filter((member): member is [string, AnyDefinition] =>
    isDefinition(member[1]),
  )
  if (members.length === 0) throw new TypeError(`add(): ${nothingIn(holder)}`)
  return members.map(([key, member]) => [named && key !== 'default' ? key : undefined, member])
}

/** Why there is no definition in it, for the usual slips. */
function nothingIn(holder: unknown): string {
  if (isThenable(holder)) return 'expected definitions, got a promise; did you forget `await`?'
  if (typeof holder === 'function')
    return `expected definitions, got ${describe(holder)}; a class is added as an instance, \`new …\``
  return `expected tool(), resource() or prompt(), alone or as members; got ${describe(holder)} without any`
}

function isDefinition(value: unknown): value is AnyDefinition {
  return partsOf(value) !== undefined
}
