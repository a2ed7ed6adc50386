/**
 * Reads the paths of an Express router's layers: as written if the router kept them, else from its regular
 * expressions.
 */

import {
  type Literal,
  type Parameter,
  parseExpress4,
  parsePathToRegexp8,
  type Segment,
  samplePath,
  toSegments,
  UnreadablePath,
  withPattern,
} from '../../src/internal.js'

/** The members of a layer that discovery reads, in Express 4 or 5. */
export interface Layer {
  readonly name?: string
  readonly handle: unknown
  readonly route?: ExpressRoute | undefined
  /** Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean; readonly fast_star?: boolean }
  readonly keys?: readonly { readonly name: string | number; readonly optional?: boolean }[]
  /** Express 5. */
  readonly slash?: boolean
  readonly matchers?: readonly Matcher[]
  /** Express 5 with router 2.3 and later. */
  readonly rawPath?: unknown
}

export interface HandlerLayer {
  readonly name?: string
  readonly handle: unknown
  readonly method?: string | undefined
}

export interface ExpressRoute {
  readonly path: unknown
  readonly methods: Readonly<Record<string, boolean>>
  readonly stack: readonly HandlerLayer[]
}

type Matcher = (path: string) => false | Matched

interface Matched {
  readonly path?: string
  readonly params: Readonly<Record<string, unknown>>
}

const root: readonly Segment[] = []

/** Parses one path of a route. @throws UnreadablePath for regular expressions and unknown syntax. */
export function routePath(path: unknown, layer: Layer): readonly Segment[] {
  if (path instanceof RegExp) throw new UnreadablePath(`the path ${path} is a regular expression`)
  return layer.regexp === undefined ? parsePathToRegexp8(String(path)) : parseExpress4(String(path))
}

/**
 * Returns the paths that a layer is mounted at. An optional parameter of a mount path matches the first segment of the
 * rest, so it can't be left out. @throws UnreadablePath
 */
export function mountPaths(layer: Layer): readonly (readonly Segment[])[] {
  return prefixesOf(layer).map((segments) =>
    segments.map((segment) =>
      segment.map((part) => (part.kind === 'parameter' ? { ...part, optional: false } : part)),
    ),
  )
}

function prefixesOf(layer: Layer): readonly (readonly Segment[])[] {
  const { rawPath, regexp, matchers } = layer
  if (layer.slash === true || regexp?.fast_slash === true) return [root]
  if (rawPath !== undefined)
    return flattenPaths(rawPath)
      .map((path) => routePath(path, layer))
      .map(withoutSlash)
  if (regexp !== undefined) return fromExpress4(layer, regexp)
  return (matchers ?? []).map(fromMatcher).map(withoutSlash)
}

/** Flattens a path argument: Express accepts nested arrays of paths. */
export function flattenPaths(path: unknown): readonly unknown[] {
  return Array.isArray(path) ? path.flat(Number.POSITIVE_INFINITY) : [path]
}

export function withoutSlash(segments: readonly Segment[]): readonly Segment[] {
  return segments.filter((segment) => segment.length > 0)
}

/** Reads path-to-regexp 0.1: `^\/orgs(?:\/([^/]+?))\/?(?=\/|$)`, or an alternation of such expressions for an array. */
function fromExpress4({ keys = [] }: Layer, regexp: RegExp): readonly (readonly Segment[])[] {
  const names = keys.map(({ name }) => String(name))
  const { source } = regexp
  const whole = source.startsWith('(?:^') && closingParenthesis(source, 0) === source.length - 1
  const alternatives = split(whole ? source.slice(3, -1) : source)
  return alternatives.map((alternative) => {
    const found = /^\^(.*?)(?:\\\/)?\\\/\?\(\?=\\\/\|\$\)$/.exec(alternative)
    if (found === null) throw unreadableExpression(regexp)
    return withoutSlash(toSegments(tokens(found[1] ?? '', names, regexp)))
  })
}

/** Reads path-to-regexp 8: `^(?:\/orgs\/([^\/]+)|\/orgs)(?:\/$)?(?=\/|$)`. Optional parts become alternatives. */
function fromMatcher(matcher: Matcher): readonly Segment[] {
  const regexp = captureExpression(matcher)
  const found = /^\^\(\?:(.*)\)\(\?:\\\/\$\)\?\(\?=\\\/\|\$\)$/.exec(regexp.source)
  if (found === null) throw unreadableExpression(regexp)
  const forms = split(found[1] ?? '').map((source) => toSegments(tokens(source, [], regexp)))
  const [longest = root, ...others] = forms.toSorted((a, b) => b.length - a.length)
  const matched = matcher(samplePath(longest))
  const names = matched === false ? [] : Object.keys(matched.params)
  return longest.map((segment, index) => {
    const optional = index === longest.length - 1 && others.some((other) => other.length === index)
    return segment.map((part): Literal | Parameter =>
      part.kind === 'literal' ? part : { ...part, name: names.shift() ?? part.name, optional },
    )
  })
}

/**
 * Returns the regular expression inside a matcher. Routers before 2.3 keep it only in a closure, so the only way to
 * get it is to call the matcher with `RegExp.prototype.exec` replaced. The call is synchronous, and `exec` is always
 * restored.
 */
function captureExpression(matcher: Matcher): RegExp {
  const { prototype } = RegExp
  const own = prototype.exec
  let seen: RegExp | undefined
  try {
    prototype.exec = function exec(this: RegExp): null {
      seen ??= this
      return null
    }
    matcher('/')
  } catch {
    // Frozen intrinsics: `exec` can't be replaced.
  } finally {
    if (prototype.exec !== own) prototype.exec = own
  }
  if (seen === undefined) throw new UnreadablePath('the path of a mount cannot be read from this router')
  return seen
}

/**
 * Parses literals and groups of an expression made by path-to-regexp.
 * @throws UnreadablePath for any other expression.
 */
function tokens(source: string, keys: readonly string[], regexp: RegExp): (Literal | Parameter)[] {
  const names = keys.slice()
  const found: (Literal | Parameter)[] = []
  let unnamed = 0
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? ''
    if (character === '\\') found.push({ kind: 'literal', text: source[++at] ?? '' })
    else if (character === '(') {
      const end = closingParenthesis(source, at)
      const optional = source[end + 1] === '?'
      const group = /^\((?:\?:(\\\/)?\((.*)\)|(?!\?)(.*))\)$/.exec(source.slice(at, end + 1))
      if (group === null) throw unreadableExpression(regexp)
      const [, slash, inner, bare = ''] = group
      if (slash !== undefined) found.push({ kind: 'literal', text: '/' })
      const name = names.shift() ?? String(unnamed++)
      const parameter: Parameter = { kind: 'parameter', name, optional, wildcard: false }
      found.push(withPattern(parameter, inner ?? bare, true))
      at = optional ? end + 1 : end
    } else if ('.*+?[]{}|^$)'.includes(character)) throw unreadableExpression(regexp)
    else found.push({ kind: 'literal', text: character })
  }
  return found
}

/** Splits at the bars outside of groups. */
function split(source: string): string[] {
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '\\') at += 1
    else if (source[at] === '(') at = closingParenthesis(source, at)
    else if (source[at] === '|') {
      parts.push(source.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, source.slice(start)]
}

/** Returns the index of the parenthesis that closes the one at `open`. */
function closingParenthesis(source: string, open: number): number {
  let depth = 0
  let inClass = false
  for (let at = open; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at += 1
    else if (character === '[') inClass = true
    else if (character === ']') inClass = false
    else if (!inClass && character === '(') depth += 1
    else if (!inClass && character === ')' && --depth === 0) return at
  }
  return source.length
}

function unreadableExpression(regexp: RegExp): UnreadablePath {
  return new UnreadablePath(`the path ${regexp} is a regular expression`, String(regexp))
}
