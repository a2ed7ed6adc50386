/** Warns about schemas whose validation can take a long time for a small value. */

import { isObject } from '../../support/values.js'
import type { CompileOptions, JsonObject } from '../compiled.js'
import { ownVendor } from '../convert.js'
import { growsExponentially } from '../evaluator/growth.js'
import { subschemas } from '../keywords.js'
import type { StandardSchemaV1 } from '../types.js'
import { isExponential } from './pattern-positions.js'

/** Maximum text length at which exponential matching is still acceptable. */
const longestSafeText = 20

/** Warns about slow patterns without a length limit. */
export function warnOfPatterns(json: JsonObject, { owner, warn }: CompileOptions): void {
  const slow = new Set<string>()
  const pending: unknown[] = [json]
  for (const schema of pending) {
    if (!isObject(schema)) continue
    for (const pattern of patternsOf(schema)) if (isSlow(pattern)) slow.add(pattern)
    for (const inner of subschemas(schema)) pending.push(inner.schema)
  }
  if (slow.size === 0) return
  warn(
    `${owner}: a short text can take exponential time to match; rewrite the pattern so that a text fits in one way only, or add a \`maxLength\` of at most ${longestSafeText}`,
    { patterns: [...slow] },
  )
}

/** Whether matching is exponential. False for invalid patterns, which are reported elsewhere. */
function isSlow(pattern: string): boolean {
  try {
    return isExponential(pattern)
  } catch {
    return false
  }
}

function patternsOf({ pattern, maxLength, patternProperties }: JsonObject): string[] {
  const isBounded = typeof maxLength === 'number' && maxLength <= longestSafeText
  const own = typeof pattern === 'string' && !isBounded ? [pattern] : []
  return [...own, ...Object.keys(isObject(patternProperties) ? patternProperties : {})]
}

/**
 * Vendors whose unions are checked quickly: ArkType selects a branch by its constants, and route schemas are validated
 * in bounded time.
 */
const quickVendors = new Set(['arktype', ownVendor])

/** Warns about recursive unions that a library validates. Hand-written schemas are validated in bounded time. */
export function warnOfUnions(
  schema: StandardSchemaV1,
  json: JsonObject,
  { owner, warn }: CompileOptions,
): void {
  const { vendor } = schema['~standard']
  if (quickVendors.has(vendor) || !growsExponentially(json, { picksBranches: true })) return
  if (isZod3(schema) && !hasPlainUnion(schema)) return
  warn(
    `${owner}: its schema is a union that refers to itself. Many versions of "${vendor}" check one in exponential time, so a few hundred bytes can block the process; tell its branches apart by a constant property (z.discriminatedUnion(), v.variant())`,
  )
}

/** Warns about recursive schemas with the app's own validator, whose time isn't bounded. */
export function warnOfOwnValidator(json: JsonObject, { owner, support, warn }: CompileOptions): void {
  if (!support.some(({ compile }) => compile !== undefined) || !growsExponentially(json)) return
  warn(
    `${owner}: its schema refers to itself in such a way that the validator in \`schemas\` may take exponential time; without one, the check is bounded`,
  )
}

function isZod3(schema: object): boolean {
  return '_def' in schema && !('_zod' in schema)
}

/**
 * Whether a Zod 3 schema contains a plain union. Zod 3 converts plain and discriminated unions to the same JSON Schema.
 */
function hasPlainUnion(schema: object): boolean {
  const seen = new Set<unknown>()
  const pending: unknown[] = [schema]
  for (const one of pending) {
    if (typeof one !== 'object' || one === null || seen.has(one)) continue
    seen.add(one)
    const def = (one as { _def?: unknown })._def
    const { typeName, getter, shape } = isObject(def) ? def : {}
    if (typeName === 'ZodUnion') return true
    for (const lazy of [getter, shape]) if (typeof lazy === 'function') pending.push(lazy())
    pending.push(...Object.values(isObject(def) ? def : one))
  }
  return false
}
