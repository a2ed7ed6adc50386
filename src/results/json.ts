/** Keeps what JSON cannot carry from being sent. */

import { stringifyJson } from '../protocol/long-numbers.js'

/** The server broke its own promise: a result that fails `output`, or that JSON cannot carry. Always masked, always -32603. */
export class ServerFault extends Error {
  override readonly name: string = 'ServerFault'
}

/** An error that is returned failed like one that is thrown. */
export function throwReturned(value: unknown): void {
  if (value instanceof Error) throw value
}

const deepest = 200

/** The JSON text of a handler's value. Throws `ServerFault` for what JSON cannot carry: BigInt, cycle, throwing getter. */
export function toJson(value: unknown): string {
  let text: string | undefined
  try {
    text = stringifyJson(value)
  } catch (error) {
    throw cannotCarry((error as Error).message, error)
  }
  if (text === undefined) throw cannotCarry(`a ${typeof value}`)
  return text
}

/**
 * Proves that blocks and messages made by hand can be sent, without building their text.
 * Throws `ServerFault` otherwise.
 */
export function assertJson(value: unknown): void {
  try {
    walk(value, 0)
  } catch (error) {
    if (error instanceof ServerFault) throw error
    throw cannotCarry((error as Error).message, error)
  }

  function walk(part: unknown, depth: number): void {
    if (typeof part === 'bigint') throw cannotCarry('a BigInt')
    if (typeof part !== 'object' || part === null) return
    if (depth > deepest) throw cannotCarry(`a cycle, or more than ${deepest} levels`)
    if ('toJSON' in part) return void JSON.stringify(part)
    // By its indices: as properties they would be made texts first.
    if (Array.isArray(part)) for (const item of part) walk(item, depth + 1)
    else for (const key in part) walk((part as Record<string, unknown>)[key], depth + 1)
  }
}

function cannotCarry(what: string, cause?: unknown): ServerFault {
  return new ServerFault(`returned what JSON cannot carry: ${what}`, { cause })
}
