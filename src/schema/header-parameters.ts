/**
 * `x-mcp-header` annotations: parameters that 2026-07-28 clients repeat in HTTP headers. Clients drop a tool whose
 * annotations break the rules, so they are enforced when the tool is added.
 */

import type { HeaderParameter } from '../protocol/request-headers.js'
import { describe, isObject } from '../support/values.js'
import type { JsonObject } from './compiled.js'
import { type Subschema, subschemas } from './keywords.js'

const keyword = 'x-mcp-header'

/** The HTTP token grammar. */
const token = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/

const types = ['string', 'integer', 'boolean'] as const

/** The parameters that an input schema mirrors. Throws, naming the owner and the place, for an annotation that clients refuse. */
export function headerParameters(json: JsonObject, owner: string): HeaderParameter[] {
  const found: HeaderParameter[] = []
  const places: Subschema[] = [{ schema: json, steps: [] }]
  for (const { schema, steps } of places) {
    if (!isObject(schema)) continue
    if (Object.hasOwn(schema, keyword)) found.push(readAnnotation(schema, steps, owner))
    for (const inner of subschemas(schema)) places.push({ ...inner, steps: [...steps, ...inner.steps] })
  }
  const twice = found.find(({ header }, at) => found.findIndex((other) => other.header === header) < at)
  if (twice !== undefined) {
    throw new TypeError(
      `${owner}: ${keyword} must be unique without regard to case; two parameters go by "${twice.header}"`,
    )
  }
  return found
}

function readAnnotation(schema: JsonObject, steps: readonly string[], owner: string): HeaderParameter {
  const fail = (problem: string): never => {
    throw new TypeError(`${owner}: ${keyword} at ${steps.join('.') || 'the root'} ${problem}`)
  }
  const { [keyword]: name, type, minimum, maximum } = schema
  const onlyProperties =
    steps.length > 0 && steps.every((step, index) => index % 2 === 1 || step === 'properties')
  if (!onlyProperties) return fail('must be on a property that is reached through `properties` alone')
  if (typeof name !== 'string' || !token.test(name)) {
    return fail(`must be a non-empty name of letters, digits and !#$%&'*+-.^_\`|~, got ${describe(name)}`)
  }
  if (!types.some((one) => one === type)) {
    return fail(`needs the type string, integer or boolean beside it, got ${JSON.stringify(type) ?? 'none'}`)
  }
  if (type === 'integer' && [minimum, maximum].some(isUnsafe)) return fail('needs bounds within ±(2^53 − 1)')
  const path = steps.filter((_, index) => index % 2 === 1)
  return { header: `mcp-param-${name.toLowerCase()}`, path }
}

function isUnsafe(bound: unknown): boolean {
  return typeof bound === 'number' && Math.abs(bound) > Number.MAX_SAFE_INTEGER
}
