/**
 * Other routes that would match the built path first: routes with literals or patterns where this route has parameters.
 */

import {
  escapeRegExp,
  type Literal,
  type Part,
  type Segment,
  type Template,
} from '../discovery/path-template.js'
import { mayOverlap } from '../discovery/route-precedence.js'

/** Request headers. Names are lower case. */
export type Headers = Readonly<Record<string, string>>

/** Returns the label of what would get a request with this path instead of the route; `undefined` if nothing would. */
export type ShadowedBy = (path: string, headers: Headers) => string | undefined

/**
 * A route that may match requests of another route: it has literals or patterns where the other has parameters, or it
 * comes first.
 */
export interface ConflictingRoute {
  readonly template: Template
  /** The position among the routes. */
  readonly at?: number | undefined
  /** Whether it is middleware that lets requests through. */
  readonly passes?: boolean | undefined
  /** Whether it also matches all paths below it. */
  readonly below?: boolean | undefined
  /** Whether it accepts requests with these headers. Default: any. */
  readonly accepts?: ((headers: Headers) => boolean) | undefined
  /** The label in messages: `GET /tasks/export`. */
  readonly label: string
}

/** Patterns that a built path must not match. */
interface CompiledConflict extends Pick<ConflictingRoute, 'accepts' | 'label'> {
  readonly patterns: readonly RegExp[]
}

/** Creates the check for conflicting routes. `at`: the position of the route in frameworks that match in order. */
export function conflictsOf(
  template: Template,
  conflicts: readonly ConflictingRoute[],
  at: number | undefined,
): ShadowedBy {
  // Compiled on the first call: most tools of a large API are never called, and each may have many conflicts.
  let compiled: readonly CompiledConflict[] | undefined
  const guardsOf = (): readonly CompiledConflict[] =>
    conflicts
      .filter((conflict) => mayOverlap(conflict.template, template) || conflict.below === true)
      .filter((conflict) => hasLiteralWhereParameter(conflict, template) || precedes(conflict, template, at))
      .map((conflict) => ({
        label: conflict.label,
        accepts: conflict.accepts,
        patterns: spellings.map((spell) => conflictPattern(conflict, spell)),
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
 * Returns the spellings of a path that routers may compare: encoded (Express), decoded (Fastify), and decoded in lower
 * case. Folding maps the Kelvin sign to `k`, which the flag `i` doesn't.
 */
export function spellingsOf(path: string): readonly string[] {
  if (!path.includes('%')) return [path]
  const plain = decoded(path)
  return [path, plain, folded(plain)]
}

/** Folds all case differences that any router may ignore. */
export function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase()
}

/** Encodes a literal. Only characters that are invalid in a request line are changed. */
export function encodeLiteral({ text }: Literal): string {
  return text.replace(/[^\x21-\x7e]|[?#"<>\\^`{|}]|%(?![0-9a-fA-F]{2})/gu, (character) =>
    encodeURIComponent(character),
  )
}

/** Returns a case-insensitive pattern for the paths of a route, because routers ignore case by default. */
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
 * Returns an expression for a segment with several parameters (`:name.:ext`) that matches in linear time: each literal
 * matches at its first position only. `undefined` if a parameter has its own pattern, which may need a later position.
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

/** Decodes a path as routers do to match it: an encoded slash stays encoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%2f/gi, '%252F'))
  } catch {
    return path
  }
}

/** Whether the other route has a literal where this one has a parameter. */
function hasLiteralWhereParameter(conflict: ConflictingRoute, template: Template): boolean {
  return conflict.template.segments.some((segment, index) => {
    const own = template.segments[index]
    if (own === undefined) return false
    return hasLiteral(segment) && own.some((part) => part.kind === 'parameter') && !equalParts(segment, own)
  })
}

/** Whether the other route matches first. In frameworks without order, routes with patterns match first. */
function precedes(conflict: ConflictingRoute, template: Template, at: number | undefined): boolean {
  if (at === undefined) return conflict.at !== undefined && hasOtherPattern(conflict, template)
  return conflict.at !== undefined && conflict.at < at && conflict.passes !== true
}

/** Whether the other route has a pattern that this one doesn't have. */
function hasOtherPattern(conflict: ConflictingRoute, template: Template): boolean {
  return conflict.template.segments.some((segment, index) => {
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

/** Whether two segments have the same shape, like `:name.json` and `:file.json`. Such routes don't conflict. */
function equalParts(a: Segment, b: Segment): boolean {
  if (a.length !== b.length) return false
  return a.every((part, index) => {
    const other = b[index]
    if (part.kind !== other?.kind) return false
    return part.kind === 'parameter' || part.text === (other as Literal).text
  })
}
