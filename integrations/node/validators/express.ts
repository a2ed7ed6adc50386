/** Reads the input schema of an Express route from its validators: express-validator 7, celebrate. */

import type { RouteSchema } from '../../../src/adapter.js'
import { builtChain, FieldTree, isOpaqueValidator, type Location } from './express-validator-chain.js'
import type { Rules } from './express-validator-rules.js'

/** The route that the validators belong to. `check('id')` of express-validator looks in all parts of its request. */
export interface ValidatedRoute {
  readonly method: string
  /** The names of the parameters in the path. */
  readonly parameters: readonly string[]
}

type PartSchemas = { -readonly [K in Location]?: RouteSchema[K] }

interface ReadSchemas {
  readonly schemas: PartSchemas
  readonly notes: readonly string[]
}

/**
 * Returns the schema that the validators describe. `undefined`: none of the handlers is a readable validator. Never
 * throws.
 */
export function readValidators(
  handlers: readonly unknown[],
  place?: ValidatedRoute,
): RouteSchema | undefined {
  const flat = handlers.flat(Number.POSITIVE_INFINITY)
  const chains = readChains(flat, place)
  const celebrated = readCelebrate(flat)
  const found = [celebrated !== undefined && 'celebrate', chains !== undefined && 'express-validator']
  const sources = found.filter((name) => name !== false)
  if (sources.length === 0) return undefined
  const notes = [...(chains?.notes ?? []), ...(celebrated?.notes ?? [])]
  return {
    source: sources.join(' and '),
    ...chains?.schemas,
    ...celebrated?.schemas, // celebrate's schemas are complete
    ...(celebrated === undefined && { partial: true }),
    ...(notes.length > 0 && { notes }),
  }
}

function readChains(
  handlers: readonly unknown[],
  place: ValidatedRoute | undefined,
): ReadSchemas | undefined {
  const trees = new Map<Location, FieldTree>()
  const notes: string[] = []
  let found = false
  for (const handler of handlers) {
    if (isOpaqueValidator(handler)) {
      found = true
      notes.push('oneOf() of express-validator cannot be read; describe the route with asTool()')
      continue
    }
    try {
      const chain = builtChain(handler)
      if (chain === undefined) continue
      found = true
      for (const field of chain.fields) {
        const location = locationOf(field, chain.locations, place)
        if (location === undefined) continue
        const tree = trees.get(location) ?? new FieldTree()
        trees.set(location, tree)
        tree.add(field, chain)
      }
    } catch (error) {
      found = true
      notes.push(`a validator is left out: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const schemas: PartSchemas = Object.fromEntries(
    [...trees].map(([location, tree]) => [location, withUnknownFields(tree.toSchema())]),
  )
  return found ? { schemas, notes } : undefined
}

/** Allows additional fields: express-validator lets fields through that no chain names. */
function withUnknownFields(schema: Rules): Rules {
  return schema.type === 'object' ? { ...schema, additionalProperties: true } : schema
}

/** Picks the part of the request for a field. Skips cookies. If several parts are allowed, prefers the usual one. */
function locationOf(
  field: string,
  locations: readonly string[],
  place: ValidatedRoute | undefined,
): Location | undefined {
  const known = locations.filter((location): location is Location => location in readableLocations)
  if (known.length <= 1) return known[0]
  if (known.includes('params') && place?.parameters.includes(field)) return 'params'
  const order: Location[] = place?.method === 'GET' ? ['query', 'body'] : ['body', 'query']
  return order.find((location) => known.includes(location)) ?? known[0]
}

const readableLocations: Readonly<Record<Location, true>> = {
  params: true,
  query: true,
  body: true,
  headers: true,
}

/** Reads the Joi schemas, one for each request part, that celebrate keeps on its middleware. */
function readCelebrate(handlers: readonly unknown[]): ReadSchemas | undefined {
  const found = handlers.map(celebrateSchema).filter((schema) => schema !== undefined)
  if (found.length === 0) return undefined
  const schemas: PartSchemas = {}
  const notes: string[] = []
  for (const parts of found) {
    for (const location of Object.keys(readableLocations) as Location[]) {
      const schema = parts[location]
      if (schema === undefined) continue
      if (schemas[location] === undefined) schemas[location] = schema as NonNullable<RouteSchema['body']>
      else notes.push(`a second celebrate() schema of ${location} is left out`)
    }
  }
  return { schemas, notes }
}

function celebrateSchema(handler: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof handler !== 'function') return undefined
  const { _schema: schema } = handler as { _schema?: unknown }
  return typeof schema === 'object' && schema !== null ? (schema as Record<string, unknown>) : undefined
}
