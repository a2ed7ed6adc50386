/**
 * Guesses the media type of a route's body if neither a marker nor a schema declares it: JSON, unless no middleware
 * parses JSON.
 */

import type { Route, RouteGuard } from '../route.js'

export interface BodyType {
  /** Default: JSON. */
  readonly consumes?: string | undefined
  /** A hint for a body that is sent as JSON but may have to be a form. */
  readonly note?: string | undefined
}

/** The function name of multer 1 and 2. */
const multer = 'multerMiddleware'
/** The function names of the parsers of Express and body-parser. */
const [jsonParser, formParser] = ['jsonParser', 'urlencodedParser']

/** Function names of well-known middleware that doesn't read the body. */
const nonReaders: ReadonlySet<string> = new Set([
  ...[formParser, multer, 'cookieParser', 'corsMiddleware', 'compression', 'helmetMiddleware', 'logger'],
  ...['session', '_cookieSession', 'initialize', 'authenticate', 'serveStatic', 'responseTime', 'favicon'],
  ...['methodOverride', 'csrf', 'csurf', 'query', 'expressInit'],
])

/**
 * Returns the body type. A route with its own multer takes a multipart form. Other routes get a form only if all
 * middleware in front of them is known not to read the body, apart from the form parser, because a wrapper around a
 * JSON parser can have any name.
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
  // Having both parsers is the usual setup.
  if (consumes === undefined || (names.has(jsonParser) && !names.has(multer))) return {}
  const reader = guards.find((guard) => !nonReaders.has(guard.name) && !isNonReader(guard))
  if (reader === undefined && guardsUnread === undefined) return { consumes }
  const which = reader === undefined ? 'middleware that cannot be read' : nameOf(reader)
  return {
    note: `its body is sent as JSON because ${which} may parse it; if the route reads only forms, set \`consumes: '${consumes}'\``,
  }
}

function nameOf({ name }: RouteGuard): string {
  return name === '' ? 'an anonymous middleware' : `the middleware "${name}"`
}

/** Methods of the request, and of packages that extend it, that don't read the body. */
const harmlessCalls =
  'get|header|is|accepts|acceptsEncodings|acceptsLanguages|flash|csrfToken|isAuthenticated|isUnauthenticated|login|logIn|logout|logOut'
const usesProperty = new RegExp(
  `^\\s*\\??\\.\\s*(?:(?:${harmlessCalls})\\b|[\\w$]+\\b(?!\\s*(?:\\?\\.)?\\s*\\())`,
)

/** Longer functions are usually bundled code. */
const longestSource = 5_000

/**
 * Whether the source code of a middleware shows that it doesn't read the body. It may if it passes the request on,
 * calls an unknown method of it, or has no readable source.
 */
function isNonReader({ handle }: RouteGuard): boolean {
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
