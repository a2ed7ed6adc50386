/** Arguments as a caller gives them, back in the parts of a request. */

import { InvalidParamsError } from '../../errors/errors.js'
import { isObject } from '../../support/values.js'
import type { Route } from '../route.js'
import type { Argument, PartName } from './arguments.js'
import { assertNoSecret, fitsHeader, rootName } from './controlled-headers.js'
import type { InputPlan } from './input-plan.js'
import { type PathValue, writePath, writeQuery, writeSimple } from './parameter-styles.js'

/** The parts of a request, ready to be sent but for the path and the encoding of the body. */
export interface RequestParts {
  /** By the names in the template; texts are not yet encoded. Optional ones may be missing. Without a prototype. */
  readonly params: Readonly<Record<string, PathValue>>
  /** Encoded, without the `?`; empty: none. */
  readonly query: string
  /** Lower-case names. Without a prototype. */
  readonly headers: Readonly<Record<string, string>>
  /** As JSON has it; `undefined`: none. It travels as `consumes` of the route's schema says. */
  readonly body: unknown
}

export function splitter(
  plan: InputPlan,
  route: Route,
): (args: Readonly<Record<string, unknown>>) => RequestParts {
  const byName = new Map(plan.arguments.map((argument) => [argument.name, argument]))
  const styles = route.schema?.styles
  const parser = route.queryParser ?? 'simple'
  const describesOverride = { body: describes(plan, 'body'), query: describes(plan, 'query') }
  const inQuery = plan.arguments.filter(({ part, key }) => part === 'query' && key !== undefined)
  const declared = new Set(inQuery.map(({ key }) => key as string))
  const byRoot = new Map(inQuery.map(({ key, name }) => [rootName(key as string), name]))
  const addFurther = (query: Map<string, unknown>, given: unknown): void => {
    if (!isObject(given)) return
    const entries = Object.entries(given)
    assertFurther(writeQuery(new Map(entries), parser, styles?.query), byRoot)
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
      const argument = byName.get(name) ?? otherIn(plan, name)
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
    if (!describesOverride.body && overrides(sent)) throw override()
    if (written !== '' && !describesOverride.query && overridesIn(written)) throw override()
    return { params, headers, query: written, body: sent }
  }
}

/**
 * Checks query parameters that have no argument of their own, as parsers read them. `byRoot`: the arguments by the name that
 * their keys begin with.
 * @throws InvalidParamsError for one that has an argument.
 */
function assertFurther(query: string, byRoot: ReadonlyMap<string, string>): void {
  for (const written of new URLSearchParams(query).keys()) {
    const own = byRoot.get(rootName(written))
    if (own === undefined) continue
    throw new InvalidParamsError(
      `the query parameter "${written}" has an argument of its own, "${own}"; use that`,
    )
  }
}

/** What no argument is called goes into a body that takes any key. */
function otherIn({ others }: InputPlan, name: string): Argument | undefined {
  if (others === false || others === undefined) return undefined
  return { name, key: name, part: 'body', schema: true, required: false }
}

/** A route that needs a body gets an empty one before it gets none. */
function objectBody({ consumes, bodyRequired }: InputPlan, body: Record<string, unknown>): unknown {
  if (consumes === undefined) return undefined
  return bodyRequired || Object.keys(body).length > 0 ? body : undefined
}

/** By this name method-override and its kin make another method of a request, and so another route. */
const overrideName = '_method'

function isOverride(key: string): boolean {
  return rootName(key).toLowerCase() === overrideName
}

function overridesIn(query: string): boolean {
  // Written here, so no letter of the name is encoded. Most queries don't hold it, and need not be read.
  if (!/_method/i.test(query)) return false
  for (const key of new URLSearchParams(query).keys()) if (isOverride(key)) return true
  return false
}

/** However nested keys are spelled: what has no name of its own in front is what parsers begin with. */
function overrides(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  return Object.entries(body).some(
    ([key, inner]) => isOverride(key) || (rootName(key) === '' && overrides(inner)),
  )
}

/** Whether the author of the schema named it. */
function describes({ arguments: all }: InputPlan, wanted: PartName): boolean {
  return all.some(({ part, key, schema }) => {
    if (part !== wanted) return false
    if (key !== undefined) return key === overrideName
    return isObject(schema) && isObject(schema.properties) && Object.hasOwn(schema.properties, overrideName)
  })
}

function override(): InvalidParamsError {
  return new InvalidParamsError('"_method" would ask for another method than that of the tool; leave it out')
}

function headerValue(name: string, text: string): string {
  if (fitsHeader(text)) return text.trim()
  throw new InvalidParamsError(`${name}: expected text that fits into a header, without line breaks`)
}
