/** Reads the schemas of koa-joi-router's routes. */

import type { RouteSchema } from '../../../src/adapter.js'

/** An entry of `router.routes`. */
export interface JoiRouteSpec {
  readonly validate?: Readonly<Record<string, unknown>> | undefined
  readonly meta?: { readonly swagger?: Readonly<Record<string, unknown>> | undefined } | undefined
}

/**
 * Returns the schema of a route, read from its handlers. `undefined`: it isn't a route of koa-joi-router. Never throws.
 */
export function readValidators(handlers: readonly unknown[]): RouteSchema | undefined {
  const spec = handlers.map(exposedSpec).find((found) => found !== undefined)
  return spec === undefined ? undefined : schemaOfSpec(spec)
}

/** Returns the schema of an entry of `router.routes`. */
export function schemaOfSpec({ validate = {}, meta }: JoiRouteSpec): RouteSchema | undefined {
  const swagger = meta?.swagger ?? {}
  const text = (key: string): string | undefined =>
    typeof swagger[key] === 'string' ? (swagger[key] as string) : undefined
  return {
    source: 'koa-joi-router',
    params: schema(validate.params),
    query: schema(validate.query),
    body: schema(validate.body) ?? anyBody(validate.type),
    headers: schema(validate.header),
    response: schema(successOf(validate.output)),
    consumes: mediaTypes[String(validate.type)],
    operationId: text('operationId'),
    summary: text('summary'),
    description: text('description'),
    deprecated: swagger.deprecated === true,
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  stream: 'multipart/form-data',
}

/** A body type without a schema accepts any fields. */
function anyBody(type: unknown): RouteSchema['body'] {
  return typeof type === 'string' ? { type: 'object' } : undefined
}

/** Passes on Joi schemas and plain objects of them. The caller converts them. */
function schema(value: unknown): RouteSchema['body'] {
  return typeof value === 'object' && value !== null ? (value as NonNullable<RouteSchema['body']>) : undefined
}

/**
 * Returns the schema of a success. Keys are statuses, and lists and ranges of them: `200`, `200,201`, `200-299`, `*`.
 */
function successOf(output: unknown): unknown {
  if (typeof output !== 'object' || output === null) return undefined
  const status = Object.keys(output).find((key) => /(^|[,\s])2\d\d|^\*$/.test(key))
  const rule = status === undefined ? undefined : (output as Record<string, unknown>)[status]
  return typeof rule === 'object' && rule !== null ? (rule as { body?: unknown }).body : undefined
}

/**
 * Returns the spec of a route from its handlers: an app keeps only middleware. koa-joi-router adds a handler named
 * `specExposer` to each route, which does nothing but set `ctx.state.route`.
 */
function exposedSpec(handler: unknown): JoiRouteSpec | undefined {
  if (typeof handler !== 'function' || handler.name !== 'specExposer') return undefined
  const state: { route?: unknown } = {}
  try {
    const done: unknown = handler({ state }, async () => {})
    if (done instanceof Promise) done.catch(() => {})
  } catch {
    return undefined // another function with this name
  }
  return typeof state.route === 'object' && state.route !== null ? (state.route as JoiRouteSpec) : undefined
}
