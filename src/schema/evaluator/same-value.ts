/** Compares JSON values. */

import { isObject } from '../../protocol/jsonrpc.js'

/** True for equal JSON values; the order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  )
}

/** Finds equal items in linear time, by giving equal values the same number. Values must not change meanwhile. */
export class ItemComparer {
  readonly #numbers = new Map<unknown, number>()

  /** The indexes of the first two equal items. */
  duplicate(items: readonly unknown[]): readonly [number, number] | undefined {
    const first = new Map<number, number>()
    for (const [index, item] of items.entries()) {
      const number = this.#numberOf(item)
      const before = first.get(number)
      if (before !== undefined) return [before, index]
      first.set(number, index)
    }
    return undefined
  }

  #numberOf(value: unknown): number {
    // Texts below start with a bracket and a line break, which no string value may look like.
    const known = this.#numbers.get(typeof value === 'string' ? `"${value}` : value)
    if (known !== undefined) return known
    if (typeof value !== 'object' || value === null) {
      return this.#number(typeof value === 'string' ? `"${value}` : value)
    }
    const number = this.#number(this.#textOf(value))
    this.#numbers.set(value, number)
    return number
  }

  #number(key: unknown): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(key, number)
    return number
  }

  #textOf(value: object): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#numberOf(item)).join()}`
    const entries = Object.keys(value).sort()
    return `{${entries.map((key) => `${JSON.stringify(key)}${this.#numberOf((value as never)[key])}`).join()}`
  }
}
