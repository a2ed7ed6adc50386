/** Splits arguments into the parts of a request. */

import { InvalidParamsError } from '../../errors/errors.js'
import { isObject } from '../../support/values.js'
import type { Route } from '../route.js'
import type { Argument, PartName } from './arguments.js'
import { assertNoSecret, fitsHeader, rootName } from './controlled-headers.js'
import type { InputPlan } from './input-plan.js'
import { type PathValue, writePath, writeQuery, writeSimple } from './parameter-styles.js'

/** The parts of a request. The path isn't built and the body isn't encoded yet. */
export interface RequestParts {
  /** Values by the names in the template, without a prototype. Not encoded yet. Optional ones may be missing. */
  readonly params: Readonly<Record<string, PathValue>>
  /** Encoded, without `?`. Empty if there are no parameters. */
  readonly query: string
  /** Lower-case names, without a prototype. */
  readonly headers: Readonly<Record<string, string>>
  /** A JSON value; `undefined` if there is no body. Encoded later in the media type that the route consumes. */
  readonly body: unknown
}

export function splitter(
  plan: InputPlan,
  route: Route,
): (args: Readonly<Record<string, unknown>>) => RequestParts {
  const byName = new Map(plan.arguments.map((argument) => [argument.name, argument]))
  const styles = route.schema?.styles
  const parser = route.queryParser ?? 'simple'
  const describesOverride = { body: declaresOverride(plan, 'body'), query: declaresOverride(plan, 'query') }
  const inQuery = plan.arguments.filter(({ part, key }) => part === 'query' && key !== undefined)
  const declared = new Set(inQuery.map(({ key }) => key as string))
  const byRoot = new Map(inQuery.map(({ key, name }) => [rootName(key as string), name]))
  const addFurther = (query: Map<string, unknown>, given: unknown): void => {
    if (!isObject(given)) return
    const entries = Object.entries(given)
    assertUndeclared(writeQuery(new Map(entries), parser, styles?.query), byRoot)
    for (const [key, value] of entries) query.set(key, value)
  }
  const takesWhole = plan.arguments.some(({ part, key }) => part === 'body' && key === undefined)

  return (args) => {
    const params: Record<string, PathValue> = Object.create(null)
    const headers: Record<string, string> = Object.assign(Object.create(null), plan.constants)
    let query: Map<string, unknown> | undefined
    const body: Record<string, unknown> = Object.create(null)
    let whole: unknown
    for (const [name, value] of Object.entries(args)) {
      if (name === '__proto__') throw new InvalidParamsError('the name "__proto__" is not allowed')
      if (value === undefined) continue
      const argument = byName.get(name) ?? undeclaredArgument(plan, name)
      if (argument === undefined) continue
      const { part, key } = argument
      if (part === 'query') {
        query ??= new Map()
        if (key === undefined) addFurther(query, value)
        else query.set(key, value)
      } else if (key === undefined) whole = value
      else if (part === 'body') body[key] = value
      else if (value === null) continue
      else if (part === 'path') params[key] = writePath(key, value, styles?.path?.get(key))
      else headers[key.toLowerCase()] = headerValue(name, writeSimple(value, styles?.headers?.get(key)))
    }
    const written = query === undefined ? '' : writeQuery(query, parser, styles?.query)
    assertNoSecret(written, route.schema ?? {}, declared)
    const sent = takesWhole ? whole : objectBody(plan, body)
    if (!describesOverride.body && hasOverride(sent)) throw overrideError()
    if (written !== '' && !describesOverride.query && hasOverrideInQuery(written)) throw overrideError()
    return { params, headers, query: written, body: sent }
  }
}

/**
 * Checks query parameters without their own argument. `byRoot`: the arguments by the root names of their keys.
 * @throws InvalidParamsError for a parameter that has its own argument.
 */
function assertUndeclared(query: string, byRoot: ReadonlyMap<string, string>): void {
  for (const written of new URLSearchParams(query).keys()) {
    const own = byRoot.get(rootName(written))
    if (own === undefined) continue
    throw new InvalidParamsError(`the query parameter "${written}" has its own argument, "${own}"; use that`)
  }
}

/** Returns an argument for a name that isn't declared, if the body allows further keys. */
function undeclaredArgument({ others }: InputPlan, name: string): Argument | undefined {
  if (others === false || others === undefined) return undefined
  return { name, key: name, part: 'body', schema: true, required: false }
}

/** Returns the body object. A route that requires a body gets an empty one rather than none. */
function objectBody({ consumes, bodyRequired }: InputPlan, body: Record<string, unknown>): unknown {
  if (consumes === undefined) return undefined
  return bodyRequired || Object.keys(body).length > 0 ? body : undefined
}

/** The key that method-override and similar middleware read to change the method, and so the route. */
const overrideName = '_method'

function isOverride(key: string): boolean {
  return rootName(key).toLowerCase() === overrideName
}

function hasOverrideInQuery(query: string): boolean {
  // The name was written here, so its letters aren't encoded. Skips parsing for most queries.
  if (!/_method/i.test(query)) return false
  for (const key of new URLSearchParams(query).keys()) if (isOverride(key)) return true
  return false
}

/**
 * Whether a body has an override key, in any spelling of nested keys. A key without a root name doesn't hide the keys
 * inside it from parsers.
 */
function hasOverride(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  return Object.entries(body).some(
    ([key, inner]) => isOverride(key) || (rootName(key) === '' && hasOverride(inner)),
  )
}

/** Whether the schema's author declared the key. */
function declaresOverride({ arguments: all }: InputPlan, wanted: PartName): boolean {
  return all.some(({ part, key, schema }) => {
    if (part !== wanted) return false
    if (key !== undefined) return key === overrideName
    return isObject(schema) && isObject(schema.properties) && Object.hasOwn(schema.properties, overrideName)
  })
}

function overrideError(): InvalidParamsError {
  return new InvalidParamsError('"_method" would change the method of the request; leave it out')
}

function headerValue(name: string, text: string): string {
  if (fitsHeader(text)) return text.trim()
  throw new InvalidParamsError(`${name}: expected text that fits into a header, without line breaks`)
}
