/** A document that says more of an app's routes than their framework knows: the option `openapi` of `routes`. */

import type { Route } from '../route.js'

export interface OverlaidRoutes {
  readonly routes: readonly Route[]
  /** What somebody should know who gave the document. */
  readonly warnings: readonly string[]
}

export type Overlay = (routes: readonly Route[]) => OverlaidRoutes

/** What failed is tried again, but not with every request. */
const pauseMs = 1_000

/** It may be hidden what a document hides: as long as that is not there, no route is a tool. */
export class RouteDocument {
  /** As messages call it. */
  readonly #name: string
  readonly #read: () => Overlay | PromiseLike<Overlay>
  #overlay: Overlay | undefined
  #error: Error | undefined
  /** As `performance.now()` counts. */
  #triedAt = Number.NEGATIVE_INFINITY
  #pending: Promise<void> | undefined

  constructor(name: string, read: () => Overlay | PromiseLike<Overlay>) {
    this.#name = name
    this.#read = read
  }

  /** Changes with what is known. */
  get state(): string {
    return this.#overlay !== undefined ? 'read' : this.#pending !== undefined ? 'pending' : 'failed'
  }

  /** Why it is not there. */
  get error(): Error | undefined {
    return this.#error
  }

  /** Why no route is a tool by now. */
  get obstacle(): string | undefined {
    if (this.#overlay !== undefined) return undefined
    return this.#error?.message ?? `${this.#name} is being read; \`await router.ready()\` waits for it`
  }

  /** Reads it where it is not there. What comes back is there to wait for, and never rejects; `undefined`: nothing is. */
  open(): Promise<void> | undefined {
    if (this.#overlay !== undefined || this.#pending !== undefined) return this.#pending
    if (performance.now() - this.#triedAt < pauseMs) return undefined
    this.#triedAt = performance.now()
    try {
      const read = this.#read()
      if (typeof read === 'function') this.#settle(read)
      else this.#pending = this.#wait(read)
    } catch (error) {
      this.#fail(error)
    }
    return this.#pending
  }

  layOver(routes: readonly Route[]): OverlaidRoutes {
    return this.#overlay?.(routes) ?? { routes, warnings: [] }
  }

  async #wait(read: PromiseLike<Overlay>): Promise<void> {
    try {
      this.#settle(await read)
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#pending = undefined
    }
  }

  #settle(layOver: Overlay): void {
    this.#overlay = layOver
    this.#error = undefined
  }

  #fail(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#error = new Error(`${this.#name} cannot be read: ${reason}`, { cause })
  }
}

export interface DescribedRoutes extends OverlaidRoutes {
  /** Why none of them is a tool. */
  readonly obstacle: string | undefined
  readonly errors: Error[]
}

/** Lays all documents over the routes, in their order. */
export function applyDocuments(
  documents: readonly RouteDocument[],
  routes: readonly Route[],
): DescribedRoutes {
  const warnings: string[] = []
  let described = routes
  for (const document of documents) {
    const laidOver = document.layOver(described)
    described = laidOver.routes
    warnings.push(...laidOver.warnings)
  }
  return {
    routes: described,
    warnings,
    obstacle: documents.map(({ obstacle }) => obstacle).find((reason) => reason !== undefined),
    errors: documents.flatMap(({ error }) => error ?? []),
  }
}
