/** The option `openapi` of `routes`: a document as what says more of an app's routes. */

import {
  isThenable,
  type LazyOpenApiSource,
  type OpenApiSource,
  type Overlay,
  RouteDocument,
  type RouteOptions,
  withTimeout,
} from '../../../src/internal.js'
import { isObject, isRemote, readDocument, readDocumentNow } from './document.js'
import { overlayOf } from './overlay.js'

const owner = 'routes.openapi'
const mostNamed = 5
/** As long as a fetch of ours may take. */
const longestWait = 30_000

/**
 * What is here is read at once; functions are asked, and URLs fetched, at the first discovery.
 * @throws Error for a file that cannot be read or parsed, and for what is no OpenAPI 3 document.
 */
export function openApiDocument(given: NonNullable<RouteOptions['openapi']>): RouteDocument {
  const { document, prefix } = partsOf(given)
  const name = nameOf(document)
  const toLayOver = (read: object): Overlay => layOverOf(read, { name, prefix })
  const readSource = (source: OpenApiSource): Overlay | Promise<Overlay> =>
    isRemote(source) ? readDocument(source, owner).then(toLayOver) : toLayOver(readDocumentNow(source, owner))
  if (typeof document === 'function') {
    const ask = document as () => OpenApiSource | PromiseLike<OpenApiSource>
    return new RouteDocument(name, () => {
      const answer = ask()
      return isThenable(answer) ? withTimeout(answer, longestWait, late).then(readSource) : readSource(answer)
    })
  }
  if (isRemote(document)) return new RouteDocument(name, () => readSource(document))
  const layOver = toLayOver(readDocumentNow(document, owner))
  return new RouteDocument(name, () => layOver)
}

interface Parts {
  readonly document: LazyOpenApiSource
  readonly prefix: string | undefined
}

/** A document has no member `document`. @throws TypeError for a prefix that is none. */
function partsOf(given: NonNullable<RouteOptions['openapi']>): Parts {
  if (!isObject(given) || given.document === undefined) return { document: given, prefix: undefined }
  const { document, prefix } = given as Partial<Parts>
  if (prefix !== undefined && !/^($|\/.*[^/]$)/.test(prefix)) {
    throw new TypeError(
      `${owner}: expected \`prefix\` to be a path that begins with a slash, or nothing; got ${JSON.stringify(prefix)}`,
    )
  }
  return { document: document as LazyOpenApiSource, prefix }
}

function nameOf(document: LazyOpenApiSource): string {
  const isNamed = typeof document === 'string' || document instanceof URL
  return isNamed ? `the document ${document} of \`${owner}\`` : `the document of \`${owner}\``
}

function layOverOf(
  document: object,
  { name, prefix }: { readonly name: string; readonly prefix: string | undefined },
): Overlay {
  const lay = overlayOf(document, { prefix })
  return (given) => {
    const { routes, missing, unread } = lay(given)
    const isIdle = missing.length > 0 && routes.every((route, index) => route === given[index])
    return {
      routes,
      warnings: [
        ...unread.map(({ path, reason }) => `${path} of ${name} is left out: ${reason}`),
        ...(isIdle ? [idle(name, missing)] : missing.length > 0 ? [unmet(name, missing)] : []),
      ],
    }
  }
}

function idle(name: string, [first]: readonly string[]): string {
  return `no operation of ${name} is a route of this app: it has ${first}, for instance; \`{ document, prefix }\` says what stands in front of its paths`
}

function unmet(name: string, missing: readonly string[]): string {
  const others = missing.length - mostNamed
  const named = missing.slice(0, mostNamed).join(', ')
  return `no route of this app is what ${name} calls ${named}${others > 0 ? ` and ${others} more` : ''}`
}

function late(): never {
  throw new Error(`it did not come within ${longestWait} ms`)
}
