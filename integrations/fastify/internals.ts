/** What a Fastify instance keeps to itself, and discovery has to know. Where this Fastify keeps it elsewhere, nobody knows. */

import { type QueryParser, queryParserOf } from '../../src/internal.js'

/** A scope inherits from the one around it. */
export function symbolOf(scope: object, description: string): unknown {
  for (let at: object | null = scope; at !== null; at = Object.getPrototypeOf(at)) {
    const key = Object.getOwnPropertySymbols(at).find((symbol) => symbol.description === description)
    if (key !== undefined) return (at as Record<symbol, unknown>)[key]
  }
  return undefined
}

interface Options {
  readonly querystringParser?: unknown
  /** Fastify 5. */
  readonly routerOptions?: { readonly querystringParser?: unknown }
}

/** That of the option `querystringParser`. */
export function queryParserIn(scope: object): QueryParser {
  const options = symbolOf(scope, 'fastify.options') as Options | undefined
  const { querystringParser: parse } = options?.routerOptions ?? options ?? {}
  return typeof parse === 'function' ? queryParserOf(parse as (query: string) => unknown) : 'simple'
}
