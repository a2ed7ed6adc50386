/** The media type of a route's body where neither a marker nor a schema names it: JSON, unless nothing can read JSON. */

import type { Route, RouteGuard } from '../route.js'

export interface BodyType {
  /** `undefined`: the default, JSON. */
  readonly consumes?: string | undefined
  /** Says what to do where a form may have been meant and JSON is sent. */
  readonly note?: string | undefined
}

/** multer 1 and 2. */
const multer = 'multerMiddleware'
/** Express's and body-parser's. */
const [jsonParser, formParser] = ['jsonParser', 'urlencodedParser']

/** Middleware of well-known packages that leaves the body alone, by the name of its function. */
const leavesBody: ReadonlySet<string> = new Set([
  ...[formParser, multer, 'cookieParser', 'corsMiddleware', 'compression', 'helmetMiddleware', 'logger'],
  ...['session', '_cookieSession', 'initialize', 'authenticate', 'serveStatic', 'responseTime', 'favicon'],
  ...['methodOverride', 'csrf', 'csurf', 'query', 'expressInit'],
])

/**
 * A route with multer of its own takes a multipart form. A form is sent to others only if every middleware in front is
 * known to leave the body alone, apart from the form parser: a wrapper around a JSON parser has any name, or none.
 */
export function bodyTypeOf({ guards, guardsUnread }: Route): BodyType {
  if (guards.some(({ name, own }) => name === multer && own === true))
    return { consumes: 'multipart/form-data' }
  const names = new Set(guards.map(({ name }) => name))
  const consumes = names.has(multer)
    ? 'multipart/form-data'
    : names.has(formParser)
      ? 'application/x-www-form-urlencoded'
      : undefined
  // The two parsers side by side are the usual set-up.
  if (consumes === undefined || (names.has(jsonParser) && !names.has(multer))) return {}
  const reader = guards.find((guard) => !leavesBody.has(guard.name) && !keepsRequest(guard))
  if (reader === undefined && guardsUnread === undefined) return { consumes }
  const which = reader === undefined ? 'middleware that cannot be read' : nameOf(reader)
  return {
    note: `its body is sent as JSON because ${which} may parse it; if the route reads only forms, set \`consumes: '${consumes}'\``,
  }
}

function nameOf({ name }: RouteGuard): string {
  return name === '' ? 'an anonymous middleware' : `the middleware "${name}"`
}

/** Methods of a request, and of the packages that extend it, that don't read its body. */
const harmlessCalls =
  'get|header|is|accepts|acceptsEncodings|acceptsLanguages|flash|csrfToken|isAuthenticated|isUnauthenticated|login|logIn|logout|logOut'
const usesProperty = new RegExp(
  `^\\s*\\??\\.\\s*(?:(?:${harmlessCalls})\\b|[\\w$]+\\b(?!\\s*(?:\\?\\.)?\\s*\\())`,
)

/** Long sources are bundles. */
const longestSource = 5_000

/**
 * Whether a middleware only looks at fields of the request, as its source says. One that passes the request on, calls an
 * unknown method of it, or has no readable source may parse the body.
 */
function keepsRequest({ handle }: RouteGuard): boolean {
  if (typeof handle !== 'function') return false
  const source = Function.prototype.toString.call(handle)
  if (source.length > longestSource || /\[native code\]|\barguments\b|\.\s*req\b/.test(source)) return false
  const [head, request] =
    /^(?:async\b\s*)?(?:function\b\s*[\w$]*\s*|(?!function\b)[\w$]+\s*(?=\())?\(?\s*([A-Za-z_$][\w$]*)\s*(?:[,)]|=>)/.exec(
      source,
    ) ?? []
  if (head === undefined || request === undefined) return false
  const name = request.replaceAll('$', '\\$')
  const rest = source.slice(head.length)
  return rest
    .split(new RegExp(`(?<![\\w$.])${name}(?![\\w$])`))
    .slice(1)
    .every((after) => usesProperty.test(after))
}
