/** Who else would take a finished path: routes with literals, or patterns of parameters, where this one has parameters. */

import {
  escapeRegExp,
  type Literal,
  type Part,
  type Segment,
  type Template,
} from '../discovery/path-template.js'
import { mayMeet } from '../discovery/route-precedence.js'

/** Lower-case names, as they are sent. */
export type Headers = Readonly<Record<string, string>>

/** What in an app takes a finished path away from a route, for messages; `undefined`: nothing does. */
export type ShadowedBy = (path: string, headers: Headers) => string | undefined

/**
 * A path of the app that may take requests away from a route: where it has literals, or parameters with a pattern, the
 * route has parameters; or it is asked first.
 */
export interface ConflictingRoute {
  readonly template: Template
  /** Where it stands among the routes. */
  readonly at?: number | undefined
  /** A middleware: asked first, it lets requests through. */
  readonly passes?: boolean | undefined
  /** Whatever lies below it, too. */
  readonly below?: boolean | undefined
  /** Whether it takes requests with these headers. Default: with any. */
  readonly accepts?: ((headers: Headers) => boolean) | undefined
  /** For the message: `GET /tasks/export`. */
  readonly label: string
}

/** What a finished path must not be. */
interface Guard extends Pick<ConflictingRoute, 'accepts' | 'label'> {
  readonly patterns: readonly RegExp[]
}

/** `at`: where the route stands, in an app that asks its routes in order. */
export function conflictsOf(
  template: Template,
  rivals: readonly ConflictingRoute[],
  at: number | undefined,
): ShadowedBy {
  // Compiled at the first call: most tools of a large API are never called, and each has many rivals.
  let compiled: readonly Guard[] | undefined
  const guardsOf = (): readonly Guard[] =>
    rivals
      .filter((rival) => mayMeet(rival.template, template) || rival.below === true)
      .filter((rival) => competes(rival, template) || precedes(rival, template, at))
      .map((rival) => ({
        label: rival.label,
        accepts: rival.accepts,
        patterns: spellings.map((spell) => conflictPattern(rival, spell)),
      }))
  return (path, headers) => {
    compiled ??= guardsOf()
    if (compiled.length === 0) return undefined
    const spelled = spellingsOf(path)
    const guard = compiled.find(
      ({ patterns, accepts }) =>
        accepts?.(headers) !== false &&
        patterns.some((pattern) => spelled.some((spelling) => pattern.test(spelling))),
    )
    return guard?.label
  }
}

const spellings: readonly ((part: Literal) => string)[] = [
  encodeLiteral,
  ({ text }) => decoded(text),
  ({ text }) => folded(decoded(text)),
]

/**
 * A path as routers may compare it: Express as it travels, Fastify decoded and, if told to ignore case, in lower case.
 * There the Kelvin sign is a `k`, which the flag `i` of an expression doesn't know.
 */
export function spellingsOf(path: string): readonly string[] {
  if (!path.includes('%')) return [path]
  const plain = decoded(path)
  return [path, plain, folded(plain)]
}

/** Without the differences of case that any router may ignore. */
export function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase()
}

/** What an author wrote stays as it is, but for what no request line can carry. */
export function encodeLiteral({ text }: Literal): string {
  return text.replace(/[^\x21-\x7e]|[?#"<>\\^`{|}]|%(?![0-9a-fA-F]{2})/gu, (character) =>
    encodeURIComponent(character),
  )
}

/** Routers ignore case by default, so does this. */
function conflictPattern({ template, below }: ConflictingRoute, literal: (part: Literal) => string): RegExp {
  const source = template.segments.map((segment) => {
    const [first] = segment
    const whole =
      withoutBacktracking(segment, literal) ?? segment.map((part) => sourceOf(part, literal)).join('')
    const optional = first?.kind === 'parameter' && (first.optional || first.wildcard)
    return optional ? `(?:/${whole})?` : `/${whole}`
  })
  return new RegExp(`^${source.join('')}${below === true ? '(?:/.*)?' : '/?'}$`, 'i')
}

function sourceOf(part: Part, literal: (part: Literal) => string): string {
  if (part.kind === 'literal') return escapeRegExp(literal(part))
  if (part.wildcard) return '.+'
  return part.pattern === undefined ? '[^/]+' : `(?:${part.pattern})`
}

/**
 * The expression of a segment with several parameters, `:name.:ext`, that takes linear time: each literal between them is
 * taken where it first comes, and nowhere else. `undefined`: a parameter has a pattern of its own, and may need another
 * place.
 */
function withoutBacktracking(segment: Segment, literal: (part: Literal) => string): string | undefined {
  const last = segment.findLastIndex((part) => part.kind === 'parameter')
  const isPlain = segment.every(
    (part) => part.kind === 'literal' || (part.pattern === undefined && !part.wildcard),
  )
  if (!isPlain || segment.filter((part) => part.kind === 'parameter').length < 2) return undefined
  let source = ''
  for (let index = 0; index < segment.length; index++) {
    const [part, next] = [segment[index] as Part, segment[index + 1]]
    if (part.kind === 'parameter' && index < last && next?.kind === 'literal') {
      const text = sourceOf(next, literal)
      source += `[^/](?:(?!${text})[^/])*${text}`
      index += 1
    } else source += sourceOf(part, literal)
  }
  return source
}

/** As routers decode a path to choose a route: an encoded slash stays one. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%2f/gi, '%252F'))
  } catch {
    return path
  }
}

/** A literal of theirs stands where we have a parameter. */
function competes(rival: ConflictingRoute, template: Template): boolean {
  return rival.template.segments.some((segment, index) => {
    const own = template.segments[index]
    if (own === undefined) return false
    return hasLiteral(segment) && own.some((part) => part.kind === 'parameter') && !equalParts(segment, own)
  })
}

/** What is asked before ours gets what fits. Without an order a pattern is asked first. */
function precedes(rival: ConflictingRoute, template: Template, at: number | undefined): boolean {
  if (at === undefined) return rival.at !== undefined && sorts(rival, template)
  return rival.at !== undefined && rival.at < at && rival.passes !== true
}

/** Theirs sorts values out by a pattern that ours does not have. */
function sorts(rival: ConflictingRoute, template: Template): boolean {
  return rival.template.segments.some((segment, index) => {
    const own = template.segments[index] ?? []
    const patterns = own.map((part) => (part.kind === 'parameter' ? part.pattern : undefined))
    return segment.some(
      (part) => part.kind === 'parameter' && part.pattern !== undefined && !patterns.includes(part.pattern),
    )
  })
}

function hasLiteral(segment: Segment): boolean {
  return segment.some((part) => part.kind === 'literal')
}

/** `:name.json` beside `:file.json`: the same shape is no rival. */
function equalParts(a: Segment, b: Segment): boolean {
  if (a.length !== b.length) return false
  return a.every((part, index) => {
    const other = b[index]
    if (part.kind !== other?.kind) return false
    return part.kind === 'parameter' || part.text === (other as Literal).text
  })
}
