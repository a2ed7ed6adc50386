/** Where the layers of an Express router stand: as written, where the router kept it, else out of its regular expressions. */

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

/** The members of both majors that discovery reads. */
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

/** The paths that a route was given, one by one. @throws UnreadablePath */
export function routePath(path: unknown, layer: Layer): readonly Segment[] {
  if (path instanceof RegExp) throw new UnreadablePath(`the path ${path} is a regular expression`)
  return layer.regexp === undefined ? parsePathToRegexp8(String(path)) : parseExpress4(String(path))
}

/**
 * The paths that something is mounted at. An optional parameter there takes the first segment of what follows, so it
 * cannot be left out. @throws UnreadablePath
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
    return flat(rawPath)
      .map((path) => routePath(path, layer))
      .map(withoutSlash)
  if (regexp !== undefined) return fromExpress4(layer, regexp)
  return (matchers ?? []).map(fromMatcher).map(withoutSlash)
}

/** Paths may come in arrays of arrays. */
export function flat(path: unknown): readonly unknown[] {
  return Array.isArray(path) ? path.flat(Number.POSITIVE_INFINITY) : [path]
}

export function withoutSlash(segments: readonly Segment[]): readonly Segment[] {
  return segments.filter((segment) => segment.length > 0)
}

/** path-to-regexp 0.1: `^\/orgs(?:\/([^/]+?))\/?(?=\/|$)`, an alternation of those for an array. */
function fromExpress4({ keys = [] }: Layer, regexp: RegExp): readonly (readonly Segment[])[] {
  const names = keys.map(({ name }) => String(name))
  const { source } = regexp
  const whole = source.startsWith('(?:^') && closing(source, 0) === source.length - 1
  const alternatives = split(whole ? source.slice(3, -1) : source)
  return alternatives.map((alternative) => {
    const found = /^\^(.*?)(?:\\\/)?\\\/\?\(\?=\\\/\|\$\)$/.exec(alternative)
    if (found === null) throw notReadable(regexp)
    return withoutSlash(toSegments(tokens(found[1] ?? '', names, regexp)))
  })
}

/** path-to-regexp 8: `^(?:\/orgs\/([^\/]+)|\/orgs)(?:\/$)?(?=\/|$)`: what is optional makes alternatives. */
function fromMatcher(matcher: Matcher): readonly Segment[] {
  const regexp = capture(matcher)
  const found = /^\^\(\?:(.*)\)\(\?:\\\/\$\)\?\(\?=\\\/\|\$\)$/.exec(regexp.source)
  if (found === null) throw notReadable(regexp)
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
 * The expression inside a matcher. Routers before 2.3 keep it in a closure and nothing else; calling it is the one way
 * to see it, with `exec` looked over for the length of that call. Synchronous, and put back whatever happens.
 */
function capture(matcher: Matcher): RegExp {
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
    // Frozen intrinsics: there is nothing to see.
  } finally {
    if (prototype.exec !== own) prototype.exec = own
  }
  if (seen === undefined) throw new UnreadablePath('the path of a mount cannot be seen on this router')
  return seen
}

/** Literals and groups of an expression that path-to-regexp made. @throws UnreadablePath for any other one. */
function tokens(source: string, keys: readonly string[], regexp: RegExp): (Literal | Parameter)[] {
  const names = keys.slice()
  const found: (Literal | Parameter)[] = []
  let unnamed = 0
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? ''
    if (character === '\\') found.push({ kind: 'literal', text: source[++at] ?? '' })
    else if (character === '(') {
      const end = closing(source, at)
      const optional = source[end + 1] === '?'
      const group = /^\((?:\?:(\\\/)?\((.*)\)|(?!\?)(.*))\)$/.exec(source.slice(at, end + 1))
      if (group === null) throw notReadable(regexp)
      const [, slash, inner, bare = ''] = group
      if (slash !== undefined) found.push({ kind: 'literal', text: '/' })
      const name = names.shift() ?? String(unnamed++)
      const parameter: Parameter = { kind: 'parameter', name, optional, wildcard: false }
      found.push(withPattern(parameter, inner ?? bare, true))
      at = optional ? end + 1 : end
    } else if ('.*+?[]{}|^$)'.includes(character)) throw notReadable(regexp)
    else found.push({ kind: 'literal', text: character })
  }
  return found
}

/** At the bars that are in no group. */
function split(source: string): string[] {
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '\\') at += 1
    else if (source[at] === '(') at = closing(source, at)
    else if (source[at] === '|') {
      parts.push(source.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, source.slice(start)]
}

/** Where the parenthesis at `open` is closed. */
function closing(source: string, open: number): number {
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

function notReadable(regexp: RegExp): UnreadablePath {
  return new UnreadablePath(`the path ${regexp} is a regular expression`, String(regexp))
}
