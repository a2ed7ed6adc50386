/**
 * URI templates of resources: the subset of RFC 6570 that can be matched without ambiguity. `{var}` is one segment,
 * `{+var}` may contain slashes, `{?a,b}` and `{&a,b}` are optional query parameters. Matching takes time linear in the
 * length of the URI.
 */

export interface UriTemplate {
  readonly source: string
  /** In the order of the template. Query variables are optional. */
  readonly variables: readonly { readonly name: string; readonly optional: boolean }[]
  /**
   * Returns the values as an object without prototype, or `undefined` if the URI doesn't match, contains a fragment, or
   * contains a malformed percent escape in a decoded value. `{+var}` isn't decoded and matches as much as possible.
   * Query parameters may come in any order; unknown ones are ignored, and the first of several with the same name
   * counts. Without `{?…}`, only the literal query matches. URIs that `refusal` rejects don't match.
   */
  match(uri: string): Record<string, string> | undefined
  /**
   * Returns why a URI of this shape doesn't match. A decoded `{var}` must not contain a slash, backslash or control
   * character, and must not be `.` or `..`. A `{+var}`, raw or decoded, must not contain a control character or a
   * segment `..`.
   */
  refusal(uri: string): string | undefined
}

type Values = Record<string, string>

/** `{var}`, or `{+var}` if greedy. Matches at least one character. */
interface Variable {
  readonly name: string
  readonly greedy: boolean
}

/** Literal text or a variable. Two variables are never adjacent. */
type Part = string | Variable

interface Template {
  readonly source: string
  readonly parts: readonly Part[]
  readonly query: Query | undefined
}

interface Query {
  /** Pairs that must appear literally: `v=1` in `x://a?v=1{&b}`. */
  readonly fixed: readonly string[]
  readonly names: readonly string[]
}

const EXPRESSION = /(\{[^{}]*\})/
const NAME = /^\w+(?:\.\w+)*$/
const SUPPORTED = 'Use {var}, {+var}, {?a,b} or {&a,b}, with names of letters, digits, "_" and inner dots.'

/** Whether a URI is meant as a template. URIs can't contain braces, so a malformed template counts too. */
export function isTemplate(uri: string): boolean {
  return uri.includes('{') || uri.includes('}')
}

/**
 * Parses a template.
 * @throws Error for the rest of RFC 6570 (`{/x}`, `{x*}`, `{x:3}`, `{a,b}`, …) and for ambiguous templates.
 */
export function parseTemplate(source: string): UriTemplate {
  const start = source.search(/\{[?&]/)
  const path = start < 0 ? source : source.slice(0, start)
  const [base, fixed] = source.startsWith('{&', start) ? cut(path, '?') : [path, undefined]
  const parts = parsePath(source, base)
  const query = start < 0 ? undefined : parseQuery(source, source.slice(start), fixed)
  if (query && base.includes('?')) refuse(source, 'the query begins twice', 'Continue it with {&a,b}.')
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.name))
  const variables = [
    ...names.map((name) => ({ name, optional: false })),
    ...(query?.names ?? []).map((name) => ({ name, optional: true })),
  ]
  if (new Set(variables.map(({ name }) => name)).size < variables.length) {
    refuse(source, 'a variable occurs twice', 'Give each one a name of its own.')
  }
  const template = { source, parts, query }
  return {
    source,
    variables,
    match(uri) {
      const values = match(template, uri)
      return values !== undefined && problemOf(template, values) === undefined ? values : undefined
    },
    refusal(uri) {
      const values = match(template, uri)
      return values && problemOf(template, values)
    },
  }
}

function parsePath(source: string, text: string): Part[] {
  const parts: Part[] = []
  for (const piece of splitExpressions(source, text)) {
    if (!piece.startsWith('{')) {
      parts.push(piece)
      continue
    }
    const isAdjacent = typeof parts.at(-1) === 'object'
    if (isAdjacent) refuse(source, `${piece} directly follows another variable`, 'Put text between them.')
    const greedy = piece.startsWith('{+')
    parts.push({ name: parseName(source, piece, piece.slice(greedy ? 2 : 1, -1)), greedy })
  }
  return parts
}

function parseQuery(source: string, text: string, fixed: string | undefined): Query {
  const isOrphan = text.startsWith('{&') && fixed === undefined
  if (isOrphan) refuse(source, '{& has no query to continue', 'Start it with {?a,b}.')
  if (isTemplate(fixed ?? '')) refuse(source, `"${fixed}" contains a variable`, 'Move it into {&a,b}.')
  const names: string[] = []
  for (const [index, piece] of splitExpressions(source, text).entries()) {
    const isQuery = piece.startsWith('{&') || index === 0
    if (!isQuery) refuse(source, `"${piece}" comes after the query`, 'End with {?a,b} or {&a,b}.')
    for (const name of piece.slice(2, -1).split(',')) names.push(parseName(source, piece, name))
  }
  return { fixed: fixed?.split('&') ?? [], names }
}

function splitExpressions(source: string, text: string): string[] {
  const pieces = text.split(EXPRESSION)
  const stray = pieces.find((piece, index) => index % 2 === 0 && isTemplate(piece))
  if (stray) refuse(source, `"${stray}" has an unmatched brace`, 'Percent-encode literal braces.')
  return pieces.filter((piece) => piece !== '')
}

function parseName(source: string, expression: string, name: string): string {
  return NAME.test(name) ? name : refuse(source, `"${expression}" is not supported`, SUPPORTED)
}

function refuse(source: string, problem: string, advice: string): never {
  throw new Error(`URI template "${source}": ${problem}. ${advice}`)
}

function match({ parts, query }: Template, uri: string): Values | undefined {
  const values: Values = Object.create(null)
  const [path, search] = query ? cut(uri, '?') : [uri, undefined]
  const matches = matchPath(parts, path, values) && (!query || matchQuery(query, search ?? '', values))
  return matches ? values : undefined
}

/**
 * Matches in two linear passes. The first goes backward and marks the positions from which the rest of the template
 * matches. The second goes forward along these positions.
 */
function matchPath(parts: readonly Part[], text: string, values: Values): boolean {
  if (typeof parts[0] === 'string' && !text.startsWith(parts[0])) return false // cheap rejection of most templates
  let starts = new Uint8Array(text.length + 1)
  starts[text.length] = 1
  const steps = parts.toReversed().map((part) => {
    const rest = starts
    starts = startsOf(part, text, rest)
    return { part, rest }
  })
  if (!starts[0]) return false

  let at = 0
  for (const { part, rest } of steps.reverse()) {
    const end = typeof part === 'string' ? at + part.length : endOf(part, text, at, rest)
    if (typeof part === 'object' && !assign(values, part, text.slice(at, end))) return false
    at = end
  }
  return true
}

/** Marks the positions where a part can start so that it ends at a position in `rest`. */
function startsOf(part: Part, text: string, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const starts = new Uint8Array(text.length + 1)
  for (let at = text.length - 1; at >= 0; at--) {
    const fits =
      typeof part === 'string'
        ? rest[at + part.length] && text.startsWith(part, at)
        : takes(part, text.charAt(at)) && (rest[at + 1] || starts[at + 1])
    if (fits) starts[at] = 1
  }
  return starts
}

/** Returns the first position where the rest can start; for a greedy variable, the last one. */
function endOf(variable: Variable, text: string, start: number, rest: Uint8Array): number {
  let end = start
  for (let at = start; at < text.length && takes(variable, text.charAt(at)); at++) {
    if (!rest[at + 1]) continue
    end = at + 1
    if (!variable.greedy) break
  }
  return end
}

function takes({ greedy }: Variable, character: string): boolean {
  return character !== '#' && (greedy || (character !== '/' && character !== '?'))
}

/** Describes the first value that a handler could take for a path to another place (path traversal). */
function problemOf({ parts }: Template, values: Values): string | undefined {
  for (const part of parts) {
    if (typeof part === 'string') continue
    const problem = (part.greedy ? greedyProblem : segmentProblem)(part.name, values[part.name] as string)
    if (problem !== undefined) return problem
  }
  return undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const PARENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/

function segmentProblem(name: string, value: string): string | undefined {
  if (value === '.' || value === '..') return `${name} must not be "${value}"`
  if (CONTROL.test(value)) return `${name} must not contain control characters`
  if (!/[\\/]/.test(value)) return undefined
  return `${name} must not contain "/" or "\\", encoded or not; use {+${name}} in the template to allow slashes`
}

function greedyProblem(name: string, value: string): string | undefined {
  for (const text of value.includes('%') ? [value, leniently(value)] : [value]) {
    if (CONTROL.test(text)) return `${name} must not contain control characters, encoded or not`
    if (PARENT.test(text)) return `${name} must not contain the segment "..", encoded or not`
  }
  return undefined
}

/** Decodes the valid escapes and keeps the others, as lenient decoders do. */
function leniently(value: string): string {
  return value.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes.replace(/%([0-7][0-9a-f])/gi, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    }
  })
}

function matchQuery({ fixed, names }: Query, text: string, values: Values): boolean {
  if (text.includes('#')) return false
  const pairs = text.split('&')
  for (const pair of pairs) {
    const [name, value = ''] = cut(pair, '=')
    if (!names.includes(name) || name in values) continue
    if (!assign(values, { name, greedy: false }, value)) return false
  }
  return fixed.every((pair) => pairs.includes(pair))
}

/** Stores the decoded value. Returns `false` if it is malformed. */
function assign(values: Values, { name, greedy }: Variable, encoded: string): boolean {
  try {
    values[name] = greedy ? encoded : decodeURIComponent(encoded)
    return true
  } catch {
    return false
  }
}

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
