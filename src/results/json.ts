/** Keeps what JSON cannot carry from being sent. */

/** The server broke its own promise: a result that fails `output`, or that JSON cannot carry. Always masked, always -32603. */
export class ServerFault extends Error {
  override readonly name: string = 'ServerFault'
}

const deepest = 200

/** The JSON text of a handler's value. Throws `ServerFault` for what JSON cannot carry: BigInt, cycle, throwing getter. */
export function toJson(value: unknown, owner: string): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new ServerFault(`${owner} returned what JSON cannot carry: ${(error as Error).message}`, {
      cause: error,
    })
  }
  if (text === undefined)
    throw new ServerFault(`${owner} returned a ${typeof value}, which JSON cannot carry`)
  return text
}

/**
 * Proves that blocks and messages made by hand can be sent, without building their text.
 * Throws `ServerFault` otherwise.
 */
export function assertJson(value: unknown, owner: string): void {
  try {
    walk(value, 0)
  } catch (error) {
    if (error instanceof ServerFault) throw error
    throw new ServerFault(`${owner} returned what JSON cannot carry: ${(error as Error).message}`, {
      cause: error,
    })
  }

  function walk(part: unknown, depth: number): void {
    if (typeof part === 'bigint') throw new ServerFault(`${owner} returned a BigInt, which JSON cannot carry`)
    if (typeof part !== 'object' || part === null) return
    if (depth > deepest) throw new ServerFault(`${owner} returned a cycle, or more than ${deepest} levels`)
    if ('toJSON' in part) return void JSON.stringify(part)
    for (const key in part) walk((part as Record<string, unknown>)[key], depth + 1)
  }
}
