/** Reads the operations of an OpenAPI document as routes. Reports unreadable operations without stopping at them. */

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
import { readBody, readResponse } from './bodies.js'
import { isObject, type Json } from './document.js'
import { readParameters } from './parameters.js'
import { References } from './references.js'

/** An operation as a route, with its tags and `operationId`. */
export interface Operation {
  readonly route: Route
  readonly tags: readonly string[]
  readonly operationId: string | undefined
  /** The operation's `x-mcp`. `undefined`: it has none. */
  readonly marker: RouteMarker | undefined
}

export interface ReadOperations extends Omit<Discovered, 'routes'> {
  readonly operations: readonly Operation[]
}

const methods: readonly string[] = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']

/** Reads all operations. `prefix`: put in front of every path. */
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
      for (const [method, given, isMisplaced] of operationsOf(item)) {
        const place = { method, path: whole }
        try {
          if (!methods.includes(method)) assertMethod(document, method)
          if (isMisplaced === true)
            throw new Error(`\`additionalOperations\` names ${method}, which belongs in a field of its own`)
          const operation = references.object(given)
          if (operation !== undefined) operations.push(toOperation(place, item, operation, context))
        } catch (error) {
          if (isHidden(item) || isHidden(given)) operations.push(hiddenOperation(place))
          else unread.push({ path: `${place.method} ${place.path}`, reason: messageOf(error) })
        }
      }
    } catch (error) {
      unread.push({ path: whole, reason: messageOf(error) })
    }
  }
  return { operations: withNames(operations), unread }
}

type MethodEntry = readonly [method: string, given: unknown, isMisplaced?: boolean]

/**
 * Returns the operations of a path item by method. Methods are in upper case, as in patterns and hints. HEAD, OPTIONS,
 * TRACE and CONNECT never become tools.
 */
function operationsOf(item: Json): MethodEntry[] {
  const fixed = [...methods, 'QUERY']
  const { additionalOperations: more } = item
  const additional = Object.entries(isObject(more) ? more : {}).map(([name, given]): MethodEntry => {
    const method = name.toUpperCase()
    return [method, given, fixed.includes(method)]
  })
  return [...fixed.map((method): MethodEntry => [method, item[method.toLowerCase()]]), ...additional].filter(
    ([method, given]) => given !== undefined && !/^(?:head|options|trace|connect)$/i.test(method),
  )
}

/** Checks other methods. @throws Error for a method that the document's version or HTTP doesn't know. */
function assertMethod({ openapi }: Json, method: string): void {
  const [, minor] = /^3\.(\d+)/.exec(String(openapi)) ?? []
  if (Number(minor) < 2)
    throw new Error(
      `operations with the method ${method} came with OpenAPI 3.2, and the document is ${String(openapi)}`,
    )
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(method)) throw new Error(`"${method}" is not a valid HTTP method`)
}

/** Data that all operations of a document share. */
interface DocumentContext {
  readonly references: References
  readonly secrets: RouteSchema['secrets']
}

interface MethodAndPath {
  readonly method: string
  readonly path: string
}

function toOperation(
  { method, path }: MethodAndPath,
  item: Json,
  operation: Json,
  context: DocumentContext,
): Operation {
  const { operationId } = operation
  const marker = markerOf(operation, `${method} ${path}`)
  return {
    marker,
    route: {
      framework: 'openapi',
      method,
      template: toTemplate(parseOpenApi(path)),
      guards: [],
      handlerName: '',
      marker: marker ?? {},
      schema: schemaOf(item, operation, context),
    },
    tags: Array.isArray(operation.tags) ? operation.tags.filter((tag) => typeof tag === 'string') : [],
    operationId: typeof operationId === 'string' ? operationId : undefined,
  }
}

function schemaOf(item: Json, operation: Json, context: DocumentContext): RouteSchema {
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
    response: readResponse(operation.responses, references),
    operationId: text(operationId),
    summary,
    description: deprecated === true ? `Deprecated. ${description ?? summary ?? ''}`.trim() : description,
    deprecated: deprecated === true,
    hidden: isHidden(operation) || isHidden(item),
    follow: references.follow,
    ...(notes.length > 0 && { notes }),
  }
}

/** Returns a hidden operation, for one that can't be read otherwise: it must stay hidden. @throws UnreadablePath */
function hiddenOperation({ method, path }: MethodAndPath): Operation {
  const template = toTemplate(parseOpenApi(path))
  const schema = { source: 'openapi', hidden: true }
  const nothing = { guards: [], handlerName: '', marker: {} } as const
  const route: Route = { framework: 'openapi', method, template, schema, ...nothing }
  return { route, marker: undefined, tags: [], operationId: undefined }
}

function isHidden(given: unknown): boolean {
  if (!isObject(given)) return false
  return given['x-mcp'] === false || given['x-mcp-hidden'] === true || given['x-internal'] === true
}

/** Reads `x-mcp`: the options of `asTool()` that JSON can express. @throws TypeError for unknown options. */
function markerOf(operation: Json, owner: string): RouteMarker | undefined {
  const given = operation['x-mcp']
  return isObject(given) ? checkMarker(`x-mcp of ${owner}`, given) : undefined
}

/** Names the operations. An `operationId` names only its first operation. Remaining conflicts get a number. */
function withNames(operations: readonly Operation[]): Operation[] {
  const taken = new Set<string>()
  return operations.map((operation) => {
    const { route } = operation
    const { operationId, ...rest } = route.schema as RouteSchema // every operation has one
    const names = [nameOfRoute(route), nameOfRoute({ ...route, schema: rest })]
    const name = names.find((one) => !taken.has(one)) ?? withNumber(names[1] ?? '', taken)
    taken.add(name)
    const schema = name === names[0] ? route.schema : rest
    return { ...operation, route: { ...route, schema, marker: { ...route.marker, name } } }
  })
}

function withNumber(name: string, taken: ReadonlySet<string>): string {
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
 * Returns the API keys of `components.securitySchemes`, whether or not an operation requires them. Cookies and
 * `Authorization` never become arguments anyway.
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
