/** Compares JSON values. */

import { isObject } from '../../support/values.js'

/**
 * True for equal JSON values; the order of keys does not matter. Costs no more than `constant` is large, whoever sent the
 * value, but for one look at the number of its keys.
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
