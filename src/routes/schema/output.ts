/** The output schema of a route's tool, relaxed so that real responses match it. */

import { describeIssues } from '../../schema/ajv-issues.js'
import type { CompileOptions, JsonObject } from '../../schema/compiled.js'
import { ownVendor } from '../../schema/convert.js'
import { mapSubschemas } from '../../schema/keywords.js'
import { repair } from '../../schema/published/repair.js'
import type { Schema, StandardSchemaV1 } from '../../schema/types.js'
import { lazyCheck } from '../../schema/validator.js'
import { isObject } from '../../support/values.js'
import { budgetsFor, TooLarge } from './budget.js'
import { Expansion } from './expand.js'
import { sourceOf } from './part-schema.js'
import type { Follow } from './refs.js'

export interface RouteOutput {
  /** For `tool({ output })`. It is published, and doesn't validate again. */
  readonly schema: StandardSchemaV1
  /** Describes how a response differs from the schema, for the warning and the model; `undefined` if it matches. */
  drift(answer: unknown): string | undefined
}

export interface OutputOptions extends CompileOptions {
  readonly follow?: Follow | undefined
  readonly note: (reason: string) => void
}

/** Maximum size; larger schemas cost the model more than they help. */
const mostBytes = 16_384

/** Creates the relaxed output of a response schema; `undefined` if the schema has no constraints or is too large. */
export function outputOf(response: Schema, options: OutputOptions): RouteOutput | undefined {
  const source = sourceOf(response, 'output', options)
  for (const budget of budgetsFor(mostBytes).slice(0, 2)) {
    const expansion = new Expansion(budget, 'output', options.note)
    const json = unlessTooLarge(() => {
      const root = loosen(expansion.root(source))
      const defs = expansion.defs()
      const whole = defs === undefined ? root : { ...root, $defs: mapValues(defs, loosen) }
      return repair(whole, { coerce: false, checks: false }).json
    })
    if (json === undefined || JSON.stringify(json).length > mostBytes) continue
    return hasOnlyAnnotations(json) ? undefined : toOutput(json, options)
  }
  options.note('its answer is not advertised: the schema is too large')
  return undefined
}

function toOutput(json: JsonObject, options: CompileOptions): RouteOutput {
  const { check } = lazyCheck(json, false, options, 'output')
  return {
    schema: {
      '~standard': {
        version: 1,
        vendor: ownVendor,
        validate: (value: unknown) => ({ value }), // `drift` has already validated it
        jsonSchema: { input: () => json, output: () => json },
      } as StandardSchemaV1['~standard'], // also a Standard JSON Schema
    },
    drift(answer) {
      const checked = check(answer)
      if (checked instanceof Promise || checked.issues === undefined) return undefined // Ajv is synchronous
      return describeIssues(checked.issues)
    },
  }
}

/** Constraints that real responses often violate, and keywords that mean something else without those. */
const dropped: ReadonlySet<string> = new Set([
  ...['required', 'format', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'propertyNames', 'minProperties'],
  ...['default', 'x-mcp-header'],
])

function loosen(schema: JsonObject): JsonObject {
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !dropped.has(keyword)))
  const loose = mapSubschemas(kept, loosen)
  const { oneOf, anyOf, allOf, ...rest } = loose
  if (oneOf === undefined) return loose
  // Without `required`, a response may match several alternatives.
  const all = Array.isArray(allOf) ? allOf : []
  return anyOf === undefined
    ? { ...rest, anyOf: oneOf, ...(allOf !== undefined && { allOf }) }
    : { ...rest, anyOf, allOf: [...all, { anyOf: oneOf }] }
}

const annotations = new Set(['title', 'description', 'examples', 'deprecated'])

function hasOnlyAnnotations(json: JsonObject): boolean {
  return Object.keys(json).every((keyword) => annotations.has(keyword))
}

function mapValues(map: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const entries = Object.entries(map).map(([name, one]) => [name, isObject(one) ? change(one) : one])
  return Object.fromEntries(entries)
}

function unlessTooLarge<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}
