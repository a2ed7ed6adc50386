/**
 * URI templates of resources: the part of RFC 6570 that can be matched without guessing. `{var}` is one segment,
 * `{+var}` may hold slashes, `{?a,b}` and `{&a,b}` are optional query keys. Matching takes time linear in the URI.
 */

export interface UriTemplate {
  readonly source: string
  /** In the order of the template. Those of the query are optional. */
  readonly variables: readonly { readonly name: string; readonly optional: boolean }[]
  /**
   * The values (an object without prototype), or `undefined` when the URI does not match, holds a malformed percent
   * escape where one is decoded, or a fragment. `{+var}` is left encoded and takes all it can. Query keys come in any
   * order: unknown ones are ignored, of equal ones the first counts. Without `{?…}` only the spelled query matches.
   * Nothing matches whose values `refusal` objects to.
   */
  match(uri: string): Record<string, string> | undefined
  /**
   * Why a URI of this shape doesn't match: a decoded `{var}` must hold no slash, backslash or control character and
   * must not be `.` or `..`; a `{+var}`, raw or decoded, must hold no control character and no segment `..`.
   */
  refusal(uri: string): string | undefined
}

type Values = Record<string, string>

/** `{var}`, or `{+var}` when greedy. Takes at least one character. */
interface Variable {
  readonly name: string
  readonly greedy: boolean
}

/** Literal text or a variable; no two variables touch. */
type Part = string | Variable

interface Template {
  readonly source: string
  readonly parts: readonly Part[]
  readonly query: Query | undefined
}

interface Query {
  /** Pairs that must be there as they are: `v=1` in `x://a?v=1{&b}`. */
  readonly fixed: readonly string[]
  readonly names: readonly string[]
}

const EXPRESSION = /(\{[^{}]*\})/
const NAME = /^\w+(?:\.\w+)*$/
const SUPPORTED = 'Use {var}, {+var}, {?a,b} or {&a,b}, with names of letters, digits, "_" and inner dots.'

/** Whether a URI is meant as a template. No URI may hold a brace, so a malformed template counts too. */
export function isTemplate(uri: string): boolean {
  return uri.includes('{') || uri.includes('}')
}

/** @throws Error for the rest of RFC 6570 (`{/x}`, `{x*}`, `{x:3}`, `{a,b}`, …) and for what has no one reading. */
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
    const touches = typeof parts.at(-1) === 'object'
    if (touches) refuse(source, `${piece} touches another variable`, 'Put text between them.')
    const greedy = piece.startsWith('{+')
    parts.push({ name: parseName(source, piece, piece.slice(greedy ? 2 : 1, -1)), greedy })
  }
  return parts
}

function parseQuery(source: string, text: string, fixed: string | undefined): Query {
  const unbegun = text.startsWith('{&') && fixed === undefined
  if (unbegun) refuse(source, '{& continues no query', 'Begin it with {?a,b}.')
  if (isTemplate(fixed ?? '')) refuse(source, `"${fixed}" holds a variable`, 'Move it into {&a,b}.')
  const names: string[] = []
  for (const [index, piece] of splitExpressions(source, text).entries()) {
    const follows = piece.startsWith('{&') || index === 0
    if (!follows) refuse(source, `"${piece}" stands behind the query`, 'End with {?a,b} or {&a,b}.')
    for (const name of piece.slice(2, -1).split(',')) names.push(parseName(source, piece, name))
  }
  return { fixed: fixed?.split('&') ?? [], names }
}

function splitExpressions(source: string, text: string): string[] {
  const pieces = text.split(EXPRESSION)
  const stray = pieces.find((piece, index) => index % 2 === 0 && isTemplate(piece))
  if (stray) refuse(source, `"${stray}" holds a brace without its partner`, 'Percent-encode literal braces.')
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
 * Two passes, each linear whatever the URI: the first finds, part by part from the end, the places from which the rest
 * of the template matches; the second walks forward along them.
 */
function matchPath(parts: readonly Part[], text: string, values: Values): boolean {
  if (typeof parts[0] === 'string' && !text.startsWith(parts[0])) return false // most templates, at no cost
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

/** Marks the places where a part can start so that it ends where the rest can start. */
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

/** The first place where the rest can start; for a greedy variable the last one. */
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

/** The first value that a handler could take for a path to somewhere else. */
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
  if (CONTROL.test(value)) return `${name} must not hold control characters`
  if (!/[\\/]/.test(value)) return undefined
  return `${name} must not hold "/" or "\\", encoded or not; a template whose values do takes them as {+${name}}`
}

function greedyProblem(name: string, value: string): string | undefined {
  for (const text of value.includes('%') ? [value, leniently(value)] : [value]) {
    if (CONTROL.test(text)) return `${name} must not hold control characters, encoded or not`
    if (PARENT.test(text)) return `${name} must not hold the segment "..", encoded or not`
  }
  return undefined
}

/** Decodes what it can, as careless decoders do. */
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

/** `false` when the value is not well encoded. */
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
