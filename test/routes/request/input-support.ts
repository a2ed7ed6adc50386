/** Helpers for tests of the input and output of route tools. */

import { type Segment, toTemplate } from '../../../src/routes/discovery/path-template.js'
import { inputOf, type RouteInput, type RouteInputOptions } from '../../../src/routes/request/input.js'
import type { Route, RouteMarker, RouteSchema } from '../../../src/routes/route.js'
import type { JsonObject } from '../../../src/schema/index.js'
import { input as compiled, output as compiledOutput, outcome } from '../../schema/support.js'

export interface Described {
  readonly method?: string
  readonly marker?: RouteMarker
  /** Schemas as the tests write them: the compiler need not follow. */
  readonly schema?: { readonly [K in keyof RouteSchema]?: unknown }
  readonly queryParser?: Route['queryParser']
}

/** The route `/tasks/:id` with some of its properties. */
export function route(path: string, { method = 'POST', marker, schema, queryParser }: Described = {}): Route {
  const segments = path
    .split('/')
    .slice(1)
    .map((text): Segment => {
      const [, name, optional] = /^:(\w+)(\?)?$/.exec(text) ?? []
      if (name === undefined) return [{ kind: 'literal', text }]
      return [{ kind: 'parameter', name, optional: optional !== undefined, wildcard: false }]
    })
  return {
    framework: 'express',
    method,
    template: toTemplate(segments),
    guards: [],
    handlerName: '',
    marker,
    schema: schema === undefined ? undefined : ({ source: 'test', ...schema } as RouteSchema),
    queryParser,
  }
}

/** The published schema, validation and request of a route's tool. */
export function toolOf(
  given: Route,
  options: RouteInputOptions = {},
): RouteInput & {
  readonly json: JsonObject
  /** As the handler gets them, or the problems in words. */
  check(args: unknown): unknown
} {
  const made = inputOf(given, options)
  const schema = compiled(made.input)
  return { ...made, json: schema.json, check: (args) => outcome(schema, args) }
}

export function publishedOutput(given: Route): JsonObject | undefined {
  const { output } = inputOf(given)
  return output === undefined ? undefined : compiledOutput(output.schema).json
}
