/** Equality of JSON values. */

import { isObject } from '../../support/values.js'

/**
 * Whether two JSON values are equal; the order of keys doesn't matter. The cost depends on the size of `constant`, not
 * of `value`, except for counting the keys of `value`.
 */
export function isSame(value: unknown, constant: unknown): boolean {
  if (value === constant) return true
  if (Array.isArray(constant)) {
    return (
      Array.isArray(value) &&
      value.length === constant.length &&
      constant.every((item, index) => isSame(value[index], item))
    )
  }
  if (!isObject(value) || !isObject(constant)) return false
  const keys = Object.keys(constant)
  return (
    keys.every((key) => Object.hasOwn(value, key) && isSame(value[key], constant[key])) &&
    keys.length === Object.keys(value).length
  )
}

/** Finds equal items in linear time by assigning equal values the same number. Values must not change in between. */
export class ItemComparer {
  /** Numbers of strings, of other scalars and containers, and of containers by their text. */
  readonly #strings = new Map<string, number>()
  readonly #numbers = new Map<unknown, number>()
  readonly #texts = new Map<string, number>()
  #count = 0

  /** Returns the indexes of the first two equal items. */
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

  /** Builds a unique text from the numbers of the members. Keys are prefixed with their length. */
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
