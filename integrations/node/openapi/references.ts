/** Resolves `$ref`s within a document. References to other documents aren't followed. */

import type { RouteSchema } from '../../../src/internal.js'
import { isObject, type Json } from './document.js'

/** Limit on chained references. Longer chains are treated as circular. */
const maxSteps = 32

export class References {
  readonly #document: Json
  readonly #cache = new Map<string, unknown>()
  readonly follow: NonNullable<RouteSchema['follow']>

  constructor(document: Json) {
    this.#document = document
    this.follow = (ref) => {
      const schema = this.#lookUp(ref)
      return schema === undefined ? undefined : { schema, base: document }
    }
  }

  /**
   * Returns the object, or the object it refers to. `undefined`: not an object.
   * @throws Error for external, dangling and circular references.
   */
  object(value: unknown): Json | undefined {
    let at = value
    for (let step = 0; step < maxSteps; step++) {
      if (!isObject(at)) return undefined
      if (typeof at.$ref !== 'string') return at
      const target = this.#lookUp(at.$ref)
      if (target === undefined) {
        throw new Error(
          `the reference "${at.$ref}" is not found in the document; references to other documents are not supported`,
        )
      }
      at = target
    }
    throw new Error('its references are circular')
  }

  /** Returns a schema, resolved. `undefined` if its reference can't be resolved. */
  schema(value: unknown): Json | undefined {
    try {
      return this.object(value)
    } catch {
      return undefined
    }
  }

  #lookUp(ref: string): unknown {
    if (!this.#cache.has(ref)) this.#cache.set(ref, this.#resolvePointer(ref))
    return this.#cache.get(ref)
  }

  #resolvePointer(ref: string): unknown {
    if (!ref.startsWith('#/')) return undefined
    let at: unknown = this.#document
    for (const step of ref.slice(2).split('/')) {
      const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
      at = (at as Json)[key]
    }
    return at
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // not percent-encoded
  }
}
