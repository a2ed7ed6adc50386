/** Follows the references of a document: inside it, and nowhere else. */

import type { RouteSchema } from '../../../src/internal.js'
import { isObject, type Json } from './document.js'

/** References to references; more are a circle. */
const mostSteps = 32

export class References {
  readonly #document: Json
  readonly #known = new Map<string, unknown>()
  readonly follow: NonNullable<RouteSchema['follow']>

  constructor(document: Json) {
    this.#document = document
    this.follow = (ref) => {
      const schema = this.#lookUp(ref)
      return schema === undefined ? undefined : { schema, base: document }
    }
  }

  /** The object itself, or what it refers to. `undefined`: it is neither. @throws Error for a reference that leads outside, nowhere, or in circles. */
  object(value: unknown): Json | undefined {
    let at = value
    for (let step = 0; step < mostSteps; step++) {
      if (!isObject(at)) return undefined
      if (typeof at.$ref !== 'string') return at
      const target = this.#lookUp(at.$ref)
      if (target === undefined) {
        throw new Error(
          `the reference "${at.$ref}" leads nowhere in the document; references to other documents are not followed`,
        )
      }
      at = target
    }
    throw new Error('its references lead only to each other')
  }

  /** What a schema says, as far as it can be followed: one that leads nowhere says nothing. */
  schema(value: unknown): Json | undefined {
    try {
      return this.object(value)
    } catch {
      return undefined
    }
  }

  #lookUp(ref: string): unknown {
    if (!this.#known.has(ref)) this.#known.set(ref, this.#find(ref))
    return this.#known.get(ref)
  }

  #find(ref: string): unknown {
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
    return text // a lone percent sign is meant as it is
  }
}
