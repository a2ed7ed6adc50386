/** The option `routes.openapi`: an OpenAPI document that adds to the schemas of an app's routes. */

import {
  isThenable,
  type LazyOpenApiSource,
  type OpenApiSource,
  type Overlay,
  RouteDocument,
  type RouteOptions,
  withTimeout,
} from '../../../src/internal.js'
import { isObject, isRemote, readDocument, readDocumentSync } from './document.js'
import { createOverlay } from './overlay.js'

const owner = 'routes.openapi'
const maxListed = 5
/** Limit for a document that a function returns as a promise, the same as for a fetched one. Milliseconds. */
const timeout = 30_000

/**
 * Reads objects and files at once. Calls functions and fetches URLs at the first route discovery.
 * @throws Error for a file that can't be read or parsed, or that isn't an OpenAPI 3 document.
 */
export function openApiDocument(given: NonNullable<RouteOptions['openapi']>): RouteDocument {
  const { document, prefix } = partsOf(given)
  const name = nameOf(document)
  const toLayOver = (read: object): Overlay => overlayWithWarnings(read, { name, prefix })
  const readSource = (source: OpenApiSource): Overlay | Promise<Overlay> =>
    isRemote(source)
      ? readDocument(source, owner).then(toLayOver)
      : toLayOver(readDocumentSync(source, owner))
  if (typeof document === 'function') {
    const getDocument = document as () => OpenApiSource | PromiseLike<OpenApiSource>
    return new RouteDocument(name, () => {
      const returned = getDocument()
      return isThenable(returned)
        ? withTimeout(returned, timeout, throwTimeout).then(readSource)
        : readSource(returned)
    })
  }
  if (isRemote(document)) return new RouteDocument(name, () => readSource(document))
  const layOver = toLayOver(readDocumentSync(document, owner))
  return new RouteDocument(name, () => layOver)
}

interface Parts {
  readonly document: LazyOpenApiSource
  readonly prefix: string | undefined
}

/**
 * Splits `{ document, prefix }`; OpenAPI documents have no member `document`.
 * @throws TypeError for an invalid prefix.
 */
function partsOf(given: NonNullable<RouteOptions['openapi']>): Parts {
  if (!isObject(given) || given.document === undefined) return { document: given, prefix: undefined }
  const { document, prefix } = given as Partial<Parts>
  if (prefix !== undefined && !/^($|\/.*[^/]$)/.test(prefix)) {
    throw new TypeError(
      `${owner}: expected \`prefix\` to be empty or a path with a slash at its start and none at its end, got ${JSON.stringify(prefix)}`,
    )
  }
  return { document: document as LazyOpenApiSource, prefix }
}

function nameOf(document: LazyOpenApiSource): string {
  const isNamed = typeof document === 'string' || document instanceof URL
  return isNamed ? `the document ${document} of \`${owner}\`` : `the document of \`${owner}\``
}

function overlayWithWarnings(
  document: object,
  { name, prefix }: { readonly name: string; readonly prefix: string | undefined },
): Overlay {
  const mergeInto = createOverlay(document, { prefix })
  return (given) => {
    const { routes, missing, unread } = mergeInto(given)
    const matchesNothing = missing.length > 0 && routes.every((route, index) => route === given[index])
    return {
      routes,
      warnings: [
        ...unread.map(({ path, reason }) => `${path} of ${name} is left out: ${reason}`),
        ...(matchesNothing
          ? [noMatchWarning(name, missing)]
          : missing.length > 0
            ? [missingWarning(name, missing)]
            : []),
      ],
    }
  }
}

function noMatchWarning(name: string, [first]: readonly string[]): string {
  return `no operation of ${name} matches a route of this app, for example ${first}; set the path in front of its operations with \`{ document, prefix }\``
}

function missingWarning(name: string, missing: readonly string[]): string {
  const others = missing.length - maxListed
  const named = missing.slice(0, maxListed).join(', ')
  return `no route of this app matches these operations of ${name}: ${named}${others > 0 ? ` and ${others} more` : ''}`
}

function throwTimeout(): never {
  throw new Error(`the function did not return a document within ${timeout} ms`)
}
