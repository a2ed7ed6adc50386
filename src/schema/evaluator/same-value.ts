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
  /** By string, by other scalar or container, and by the text of a container. */
  readonly #strings = new Map<string, number>()
  readonly #numbers = new Map<unknown, number>()
  readonly #texts = new Map<string, number>()
  #count = 0

  /** The indexes of the first two equal items. */
  duplicate(items: readonly unknown[]): readonly [number, number] | undefined {
    const scalars = new Map<unknown, number>()
    const containers: number[] = []
    for (let index = 0; index < items.length; index++) {
      const item = items[index]
      if (typeof item === 'object' && item !== null) {
        containers.push(index)
        continue
      }
      const before = scalars.get(item)
      if (before !== undefined) return [before, index]
      scalars.set(item, index)
    }
    return containers.length < 2 ? undefined : this.#duplicateOf(containers, items)
  }

  #duplicateOf(indexes: readonly number[], items: readonly unknown[]): readonly [number, number] | undefined {
    const first = new Map<number, number>()
    for (const index of indexes) {
      const number = this.#numberOf(items[index])
      const before = first.get(number)
      if (before !== undefined) return [before, index]
      first.set(number, index)
    }
    return undefined
  }

  #numberOf(value: unknown): number {
    if (typeof value === 'string') return this.#within(this.#strings, value)
    if (typeof value !== 'object' || value === null) return this.#within(this.#numbers, value)
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    const number = this.#within(this.#texts, this.#textOf(value))
    this.#numbers.set(value, number)
    return number
  }

  #within<K>(numbers: Map<K, number>, key: K): number {
    const known = numbers.get(key)
    if (known !== undefined) return known
    this.#count += 1
    numbers.set(key, this.#count)
    return this.#count
  }

  /** The numbers of the members; each key after its length, so that no other keys give the same text. */
  #textOf(value: object): string {
    let text = Array.isArray(value) ? '[' : '{'
    if (Array.isArray(value)) {
      for (const item of value) text += `${this.#numberOf(item)},`
      return text
    }
    for (const key of Object.keys(value).sort()) {
      text += `${key.length}:${key}${this.#numberOf((value as Record<string, unknown>)[key])},`
    }
    return text
  }
}
