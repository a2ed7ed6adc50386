/** What a tool made of a route takes and gives: one flat object of arguments, and the way back to the parts of a request. */

import type { CompileOptions, JsonObject } from '../../schema/compiled.js'
import { ownVendor } from '../../schema/convert.js'
import type { StandardSchemaV1 } from '../../schema/types.js'
import type { Route } from '../route.js'
import { outputOf, type RouteOutput } from '../schema/output.js'
import { inputCheck } from './check-arguments.js'
import { type PlanOptions, planOf } from './input-plan.js'
import { type RequestParts, splitter } from './split-arguments.js'

export type { RequestParts } from './split-arguments.js'

export interface RouteInput {
  /** For `tool({ input })`. Its check answers the arguments as they came: conversions are the route's own. */
  readonly input: StandardSchemaV1<Record<string, unknown>>
  /** The answer of status 2xx, where it is known and small enough to advertise. */
  readonly output: RouteOutput | undefined
  /** How the body travels: `application/json`, `multipart/form-data`, …; `undefined`: the route takes no body. */
  readonly consumes: string | undefined
  /** What was left out of the schemas, and why; for the report. */
  readonly notes: readonly string[]
  /**
   * Arguments that `input` accepted, as the parts of a request.
   * @throws InvalidParamsError for values that cannot travel in their part.
   */
  split(args: Readonly<Record<string, unknown>>): RequestParts
}

/** All of it may be left out. */
export type RouteInputOptions = Partial<PlanOptions>

/**
 * The schemas of a route's tool. The marker's schemas win over the route's own, path parameters that neither knows are
 * strings. What cannot be read is left out and noted; only a marker's mistake throws.
 */
export function inputOf(route: Route, options: RouteInputOptions = {}): RouteInput {
  const { owner = `${route.method} ${route.template.text}`, support = [], warn = () => {} } = options
  const compile: CompileOptions = { owner, support, warn }
  const notes = new Set<string>(route.schema?.notes)
  const note = (reason: string): void => void notes.add(reason)
  const plan = planOf(route, { ...options, ...compile }, note)
  return {
    input: standardSchema(plan.json, inputCheck(plan, compile)),
    output: output(route, compile, note),
    consumes: plan.consumes,
    notes: [...notes],
    split: splitter(plan, route),
  }
}

function standardSchema(
  json: JsonObject,
  validate: StandardSchemaV1['~standard']['validate'],
): StandardSchemaV1<Record<string, unknown>> {
  const jsonSchema = { input: () => json, output: () => json }
  const standard = { version: 1 as const, vendor: ownVendor, validate, jsonSchema }
  return { '~standard': standard } as StandardSchemaV1<Record<string, unknown>> // it is checked to be an object
}

function output(
  { marker, schema }: Route,
  compile: CompileOptions,
  note: (reason: string) => void,
): RouteOutput | undefined {
  if (marker?.response !== undefined) return outputOf(marker.response, { ...compile, note })
  if (schema?.response === undefined) return undefined
  try {
    return outputOf(schema.response, { ...compile, note, follow: schema.follow })
  } catch (error) {
    note(`its answer is not advertised: ${(error as Error).message}`)
    return undefined
  }
}
