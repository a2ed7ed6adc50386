/** The operations of an OpenAPI document as routes. One that cannot be read stops no other. */

import {
  checkMarker,
  type Discovered,
  nameOfRoute,
  parseOpenApi,
  type Route,
  type RouteMarker,
  type RouteSchema,
  toTemplate,
  type Unread,
} from '../../../src/internal.js'
import { readAnswer, readBody } from './bodies.js'
import { isObject, type Json } from './document.js'
import { readParameters } from './parameters.js'
import { References } from './references.js'

/** An operation and what it is called in the document. */
export interface Operation {
  readonly route: Route
  readonly tags: readonly string[]
  readonly operationId: string | undefined
  /** What `x-mcp` says; `undefined`: nothing. */
  readonly said: RouteMarker | undefined
}

export interface ReadOperations extends Omit<Discovered, 'routes'> {
  readonly operations: readonly Operation[]
}

const methods: readonly string[] = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']

/** `prefix`: what stands in front of every path. */
export function readOperations(document: Json, prefix: string): ReadOperations {
  const references = new References(document)
  const context = { references, secrets: secretsOf(document, references) }
  const operations: Operation[] = []
  const unread: Unread[] = []
  for (const [path, given] of Object.entries(document.paths as Json)) {
    if (path.startsWith('x-')) continue
    const whole = `${prefix}${path.startsWith('/') ? '' : '/'}${path}`
    try {
      const item = references.object(given)
      if (item === undefined) continue
      for (const [method, said, isMisplaced] of operationsOf(item)) {
        const place = { method, path: whole }
        try {
          if (!methods.includes(method)) assertModern(document, method)
          if (isMisplaced === true)
            throw new Error(`\`additionalOperations\` names ${method}, which belongs in a field of its own`)
          const operation = references.object(said)
          if (operation !== undefined) operations.push(toOperation(place, item, operation, context))
        } catch (error) {
          if (isHidden(item) || isHidden(said)) operations.push(hidden(place))
          else unread.push({ path: `${place.method} ${place.path}`, reason: messageOf(error) })
        }
      }
    } catch (error) {
      unread.push({ path: whole, reason: messageOf(error) })
    }
  }
  return { operations: named(operations), unread }
}

type Said = readonly [method: string, said: unknown, isMisplaced?: boolean]

/**
 * By method, in upper case as patterns and hints are. Those that only repeat or describe others (HEAD, OPTIONS, TRACE) are
 * no tools.
 */
function operationsOf(item: Json): Said[] {
  const fixed = [...methods, 'QUERY']
  const { additionalOperations: more } = item
  const additional = Object.entries(isObject(more) ? more : {}).map(([name, said]): Said => {
    const method = name.toUpperCase()
    return [method, said, fixed.includes(method)]
  })
  return [...fixed.map((method): Said => [method, item[method.toLowerCase()]]), ...additional].filter(
    ([method, said]) => said !== undefined && !/^(?:head|options|trace|connect)$/i.test(method),
  )
}

/** @throws Error for a method that the document's version doesn't know, or that HTTP can't send. */
function assertModern({ openapi }: Json, method: string): void {
  const [, minor] = /^3\.(\d+)/.exec(String(openapi)) ?? []
  if (Number(minor) < 2)
    throw new Error(
      `operations with the method ${method} came with OpenAPI 3.2, and the document is ${String(openapi)}`,
    )
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(method)) throw new Error(`"${method}" is no HTTP method`)
}

/** What all operations of a document share. */
interface Context {
  readonly references: References
  readonly secrets: RouteSchema['secrets']
}

interface Place {
  readonly method: string
  readonly path: string
}

function toOperation({ method, path }: Place, item: Json, operation: Json, context: Context): Operation {
  const { operationId } = operation
  const said = markerOf(operation, `${method} ${path}`)
  return {
    said,
    route: {
      framework: 'openapi',
      method,
      template: toTemplate(parseOpenApi(path)),
      guards: [],
      handlerName: '',
      marker: said ?? {},
      schema: schemaOf(item, operation, context),
    },
    tags: Array.isArray(operation.tags) ? operation.tags.filter((tag) => typeof tag === 'string') : [],
    operationId: typeof operationId === 'string' ? operationId : undefined,
  }
}

function schemaOf(item: Json, operation: Json, context: Context): RouteSchema {
  const { references, secrets } = context
  const { notes, ...parameters } = readParameters([item.parameters, operation.parameters], references)
  const { operationId, deprecated } = operation
  const summary = text(operation.summary) ?? text(item.summary)
  const description = text(operation.description) ?? text(item.description)
  return {
    source: 'openapi',
    ...parameters,
    secrets,
    takesBody: operation.requestBody !== undefined,
    ...readBody(operation.requestBody, references),
    response: readAnswer(operation.responses, references),
    operationId: text(operationId),
    summary,
    description: deprecated === true ? `Deprecated. ${description ?? summary ?? ''}`.trim() : description,
    deprecated: deprecated === true,
    hidden: isHidden(operation) || isHidden(item),
    follow: references.follow,
    ...(notes.length > 0 && { notes }),
  }
}

/** It stays so, though nothing else of it could be read. @throws UnreadablePath */
function hidden({ method, path }: Place): Operation {
  const template = toTemplate(parseOpenApi(path))
  const schema = { source: 'openapi', hidden: true }
  const nothing = { guards: [], handlerName: '', marker: {} } as const
  const route: Route = { framework: 'openapi', method, template, schema, ...nothing }
  return { route, said: undefined, tags: [], operationId: undefined }
}

function isHidden(given: unknown): boolean {
  if (!isObject(given)) return false
  return given['x-mcp'] === false || given['x-mcp-hidden'] === true || given['x-internal'] === true
}

/** `x-mcp`: what `asTool()` would say, as far as JSON can. @throws TypeError for what it does not know. */
function markerOf(operation: Json, owner: string): RouteMarker | undefined {
  const given = operation['x-mcp']
  return isObject(given) ? checkMarker(`x-mcp of ${owner}`, given) : undefined
}

/** An `operationId` used twice names neither of the later ones; what still clashes is numbered. */
function named(operations: readonly Operation[]): Operation[] {
  const taken = new Set<string>()
  return operations.map((operation) => {
    const { route } = operation
    const { operationId, ...rest } = route.schema as RouteSchema // every operation has one
    const names = [nameOfRoute(route), nameOfRoute({ ...route, schema: rest })]
    const name = names.find((one) => !taken.has(one)) ?? numbered(names[1] ?? '', taken)
    taken.add(name)
    const schema = name === names[0] ? route.schema : rest
    return { ...operation, route: { ...route, schema, marker: { ...route.marker, name } } }
  })
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let count = 2; ; count++) {
    const free = `${name.slice(0, 56)}_${count}`
    if (!taken.has(free)) return free
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * The keys of `components.securitySchemes`, whether or not an operation asks for them. Cookies and `Authorization` are
 * no arguments anyway.
 */
export function secretsOf({ components }: Json, references: References): RouteSchema['secrets'] {
  const schemes =
    isObject(components) && isObject(components.securitySchemes) ? components.securitySchemes : {}
  const keys = Object.values(schemes).flatMap((given) => {
    const { type, in: part, name } = references.schema(given) ?? {}
    const isKey = type === 'apiKey' && typeof name === 'string'
    return isKey && (part === 'header' || part === 'query') ? [{ part, name } as const] : []
  })
  return keys.length === 0 ? undefined : keys
}
