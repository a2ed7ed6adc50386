/** The OpenAPI document of the option `routes.openapi`, which adds schemas and descriptions to an app's routes. */

import type { Route } from '../route.js'

export interface OverlaidRoutes {
  readonly routes: readonly Route[]
  /** Warnings about the document. */
  readonly warnings: readonly string[]
}

export type Overlay = (routes: readonly Route[]) => OverlaidRoutes

/** Minimum time between attempts to read a document that failed. */
const pauseMs = 1_000

/** A document that is read lazily. Until it is read, no route becomes a tool, because the document may hide routes. */
export class RouteDocument {
  /** The name in messages. */
  readonly #name: string
  readonly #read: () => Overlay | PromiseLike<Overlay>
  #overlay: Overlay | undefined
  #error: Error | undefined
  /** Time of the last attempt, on the clock of `performance.now()`. */
  #triedAt = Number.NEGATIVE_INFINITY
  #pending: Promise<void> | undefined

  constructor(name: string, read: () => Overlay | PromiseLike<Overlay>) {
    this.#name = name
    this.#read = read
  }

  /** Changes when the document is read or fails. */
  get state(): string {
    return this.#overlay !== undefined ? 'read' : this.#pending !== undefined ? 'pending' : 'failed'
  }

  /** The error of the last attempt. */
  get error(): Error | undefined {
    return this.#error
  }

  /** Why no route can be a tool yet. */
  get obstacle(): string | undefined {
    if (this.#overlay !== undefined) return undefined
    return this.#error?.message ?? `${this.#name} is being read; \`await router.ready()\` waits for it`
  }

  /**
   * Reads the document if it isn't read yet. Returns a promise that never rejects, or `undefined` if nothing is
   * pending.
   */
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

  apply(routes: readonly Route[]): OverlaidRoutes {
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

  #settle(overlay: Overlay): void {
    this.#overlay = overlay
    this.#error = undefined
  }

  #fail(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#error = new Error(`${this.#name} cannot be read: ${reason}`, { cause })
  }
}

export interface DescribedRoutes extends OverlaidRoutes {
  /** Why none of the routes can be a tool. */
  readonly obstacle: string | undefined
  readonly errors: Error[]
}

/** Applies all documents to the routes, in order. */
export function applyDocuments(
  documents: readonly RouteDocument[],
  routes: readonly Route[],
): DescribedRoutes {
  const warnings: string[] = []
  let described = routes
  for (const document of documents) {
    const overlaid = document.apply(described)
    described = overlaid.routes
    warnings.push(...overlaid.warnings)
  }
  return {
    routes: described,
    warnings,
    obstacle: documents.map(({ obstacle }) => obstacle).find((reason) => reason !== undefined),
    errors: documents.flatMap(({ error }) => error ?? []),
  }
}
