/** Converts the parameters of an operation to schemas of the request's parts. */

import type { RouteSchema } from '../../../src/internal.js'
import { isObject, type Json } from './document.js'
import type { References } from './references.js'

type Styles = NonNullable<RouteSchema['styles']>
type Style = NonNullable<ReturnType<NonNullable<Styles['query']>['get']>>

export interface ReadParameters extends Pick<RouteSchema, 'params' | 'query' | 'headers' | 'styles'> {
  readonly notes: readonly string[]
}

/**
 * Reads parameters. Later lists (the operation's) override earlier ones (the path's).
 * @throws Error if a required one can't be sent.
 */
export function readParameters(lists: readonly unknown[], references: References): ReadParameters {
  const all = new Map<string, Json>()
  for (const list of lists) {
    if (!Array.isArray(list)) continue
    for (const given of list) {
      const parameter = references.object(given)
      if (parameter === undefined) continue
      const { in: part, name } = parameter
      if (typeof part === 'string' && typeof name === 'string') all.set(`${part} ${name}`, parameter)
    }
  }
  const parameters = [...all.values()]
  const of = (part: string): Json[] => parameters.filter((parameter) => parameter.in === part)
  return {
    params: toSchema(of('path')),
    query: toSchema(of('query')) ?? wholeQuery(of('querystring')),
    headers: toSchema(of('header')),
    styles: {
      path: stylesOf(of('path'), references),
      query: stylesOf(of('query'), references),
      headers: stylesOf(of('header'), references),
    },
    notes: of('cookie').map(
      ({ name }) => `the cookie "${String(name)}" is left out: cookies are the caller's own`,
    ),
  }
}

/** Reads OpenAPI 3.2's `in: querystring` as a form. @throws Error for any other media type, if it's required. */
function wholeQuery([parameter]: readonly Json[]): RouteSchema['query'] {
  if (parameter === undefined) return undefined
  const { content, name, required } = parameter
  const form = isObject(content) ? content['application/x-www-form-urlencoded'] : undefined
  if (isObject(form) && isObject(form.schema)) return form.schema as RouteSchema['query']
  if (required !== true) return undefined
  throw new Error(
    `its query string "${String(name)}" is not a form (application/x-www-form-urlencoded) and can't be sent`,
  )
}

function toSchema(parameters: readonly Json[]): RouteSchema['query'] {
  if (parameters.length === 0) return undefined
  const required = parameters.filter((one) => one.required === true || one.in === 'path')
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((one) => [one.name, valueSchema(one)])),
    required: required.map(({ name }) => name),
    additionalProperties: false,
  } as RouteSchema['query']
}

/** Returns the schema of a parameter's value, with the parameter's description, deprecation and example. */
function valueSchema(parameter: Json): Json {
  const { description, deprecated, example } = parameter
  const schema = parameter.schema ?? contentOf(parameter)?.schema
  return {
    ...(isObject(schema) && schema),
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
    ...(example !== undefined && { example }),
  }
}

function contentOf({ content }: Json): Json | undefined {
  const [media] = isObject(content) ? Object.values(content) : []
  return isObject(media) ? media : undefined
}

function stylesOf(parameters: readonly Json[], references: References): ReadonlyMap<string, Style> {
  const styles = parameters.flatMap((parameter): [string, Style][] => {
    const style = styleOf(parameter, references)
    return style === undefined ? [] : [[String(parameter.name), style]]
  })
  return new Map(styles)
}

const supportedStyles: Readonly<Record<string, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
}

/** Returns how to serialize a parameter. `undefined`: no style is given or needed, so the server's parser decides. */
function styleOf(parameter: Json, references: References): Style | undefined {
  const { in: part, name, style, explode } = parameter
  if (contentOf(parameter) !== undefined) return { style: 'json', explode: false }
  const fallback = part === 'query' ? 'form' : 'simple'
  const wanted = typeof style === 'string' ? style : fallback
  if (!supportedStyles[String(part)]?.includes(wanted)) {
    throw new Error(`its parameter "${String(name)}" has the style "${wanted}", which is not supported`)
  }
  const isExplicit = style !== undefined || explode !== undefined
  if (part === 'query' && !isExplicit && !isObjectSchema(parameter.schema, references)) return undefined
  const isExploded = typeof explode === 'boolean' ? explode : wanted === 'form' || wanted === 'deepObject'
  return { style: wanted as Style['style'], explode: isExploded }
}

function isObjectSchema(schema: unknown, references: References): boolean {
  const target = references.schema(schema)
  return target !== undefined && (target.type === 'object' || isObject(target.properties))
}
