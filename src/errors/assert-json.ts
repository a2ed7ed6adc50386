/** Rejects values that JSON can't carry. */

import { jsonText, LongNumber } from '../support/long-numbers.js'
import { isThenable } from '../support/maybe-promise.js'

/** A bug of the server: a result that fails `output`, or that JSON cannot carry. Always masked. */
export class ServerFault extends Error {
  override readonly name: string = 'ServerFault'
}

/** Throws a returned `Error`, so that it counts like a thrown one. */
export function throwReturned(value: unknown): void {
  if (value instanceof Error) throw value
}

const deepest = 200

/**
 * Returns the JSON text of a handler's value. Throws `ServerFault` for values that JSON can't carry (BigInt, cycles,
 * throwing getters) or would silently replace (`Map`, `Set`, promises, NaN).
 */
export function toJson(value: unknown): string {
  let text: string | undefined
  try {
    text = jsonText(value)
    // JSON writes what it replaces as one of these.
    // A value that could be serialized has no cycle, so the depth needs no limit.
    if (text?.includes('null') === true || text?.includes('{}') === true)
      assertKept(value, Number.POSITIVE_INFINITY)
  } catch (error) {
    throw asFault(error)
  }
  if (text === undefined) throw cannotCarry(`a ${typeof value}`)
  return text
}

/** Throws `ServerFault` for blocks and messages that JSON can't carry, without building their text. */
export function assertJson(value: unknown): void {
  try {
    assertKept(value, deepest)
  } catch (error) {
    throw asFault(error)
  }
}

function assertKept(value: unknown, levels: number): void {
  const lost = findLost(value, levels)
  if (lost !== undefined)
    throw cannotCarry(lost.path === '' ? lost.what : `${lost.what} at ${lost.path.replace(/^\./, '')}`)
}

/** A part of a value that JSON would drop or replace. */
interface Lost {
  readonly what: string
  /** Such as `.items[3].price`. */
  readonly path: string
}

/** `levels`: how much deeper the search may go. */
function findLost(part: unknown, levels: number): Lost | undefined {
  if (typeof part !== 'object' || part === null) {
    const what = lostPrimitive(part)
    return what === undefined ? undefined : { what, path: '' }
  }
  if (levels < 0) return { what: `a cycle, or more than ${deepest} levels`, path: '' }
  if (part instanceof LongNumber) return undefined
  if (typeof (part as { toJSON?: unknown }).toJSON === 'function')
    return findLost((part as { toJSON(): unknown }).toJSON(), levels - 1)
  if (!Array.isArray(part)) return findLostMember(part as Record<string, unknown>, levels)
  // A counted loop, because `for in` would create a string per index.
  for (let index = 0; index < part.length; index++) {
    const lost = findLost(part[index], levels - 1)
    if (lost !== undefined) return { what: lost.what, path: `[${index}]${lost.path}` }
  }
  return undefined
}

function findLostMember(part: Record<string, unknown>, levels: number): Lost | undefined {
  for (const key of Object.keys(part)) {
    const lost = findLost(part[key], levels - 1)
    if (lost !== undefined) return { what: lost.what, path: `.${key}${lost.path}` }
  }
  const what = lostObject(part)
  return what === undefined ? undefined : { what, path: '' }
}

function lostPrimitive(part: unknown): string | undefined {
  if (typeof part === 'number') return Number.isFinite(part) ? undefined : `the number ${part}`
  return typeof part === 'bigint' ? 'a BigInt' : undefined
}

function lostObject(part: object): string | undefined {
  if (part instanceof Map || part instanceof Set) {
    return `a ${part.constructor.name} (spread it into an object or array)`
  }
  return isThenable(part) ? 'a promise (await it)' : undefined
}

function asFault(error: unknown): ServerFault {
  return error instanceof ServerFault ? error : cannotCarry((error as Error).message, error)
}

function cannotCarry(what: string, cause?: unknown): ServerFault {
  return new ServerFault(`returned what JSON cannot carry: ${what}`, { cause })
}
