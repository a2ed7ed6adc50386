/** Route paths in one format for all frameworks: segments of literals and parameters. */

/** A path. `/files/:name.json` has two segments, the second with two parts. */
export interface Template {
  readonly segments: readonly Segment[]
  /** The path as text, for names, messages and patterns: `/tasks/{id}`. A wildcard is `*`. */
  readonly text: string
}

/** The parts between two slashes. Empty for a trailing slash, as in `/tasks/`. */
export type Segment = readonly Part[]

export type Part = Literal | Parameter

export interface Literal {
  readonly kind: 'literal'
  readonly text: string
}

export interface Parameter {
  readonly kind: 'parameter'
  readonly name: string
  /** Source of a regular expression that the whole value must match, if the framework has one. */
  readonly pattern?: string | undefined
  /** Whether the framework tests the pattern against the encoded value, ignoring case (Express, Koa). */
  readonly encoded?: boolean | undefined
  /** Maximum length; longer values reach another route or none (Fastify's `maxParamLength`). */
  readonly maxLength?: number | undefined
  /** Whether the whole segment may be missing. */
  readonly optional: boolean
  /** Whether it matches several segments. */
  readonly wildcard: boolean
}

/** Thrown for paths that can't be represented as a template. The message says why and what to do. */
export class UnreadablePath extends Error {
  override readonly name: string = 'UnreadablePath'
  /** The path as declared, if known. */
  readonly path: string | undefined

  constructor(message: string, path?: string) {
    super(message)
    this.path = path
  }
}

/**
 * Creates a template. Parameters with the same name get numbers, because each needs its own name in the tool's input.
 */
export function toTemplate(segments: readonly Segment[]): Template {
  const seen = new Map<string, number>()
  const unique = segments.map((segment) => segment.map((part) => numbered(part, seen)))
  return { segments: unique, text: `/${unique.map(segmentText).join('/')}` }
}

/** Joins a prefix and a path. `/tasks` and `/` give `/tasks`; `/tasks` and `/{id}/` keep the trailing slash. */
export function joinSegments(prefix: readonly Segment[], rest: readonly Segment[]): readonly Segment[] {
  const head = prefix.filter((segment) => segment.length > 0)
  return rest.length === 1 && rest[0]?.length === 0 ? head : [...head, ...rest]
}

/** Returns the parameters in order. */
export function parametersOf({ segments }: Template): readonly Parameter[] {
  return segments.flat().filter((part): part is Parameter => part.kind === 'parameter')
}

export function isCatchAll(template: Template): boolean {
  return parametersOf(template).some(({ wildcard }) => wildcard)
}

export function segmentText(segment: Segment): string {
  return segment.map(partText).join('')
}

function partText(part: Part): string {
  if (part.kind === 'literal') return part.text
  return part.wildcard ? '*' : `{${part.name}}`
}

function numbered(part: Part, seen: Map<string, number>): Part {
  if (part.kind === 'literal') return part
  const count = (seen.get(part.name) ?? 0) + 1
  seen.set(part.name, count)
  if (count === 1) return part
  const name = `${part.name}${count}`
  seen.set(name, 1)
  return { ...part, name }
}

export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

/** Sample values. The first one is unlikely to be a literal in any path. */
const values = ['~any~', '1', '0', 'a', 'A', '11111111', 'aaaaaaaa', '2000-01-01', 'a-1']
const uuid = '00000000-0000-4000-8000-000000000000'

/** Returns a sample path: with optional segments, and one segment for a wildcard. */
export function samplePath(segments: readonly Segment[]): string {
  return pathWith(segments, values)
}

/** Returns sample paths with different values. A pattern that matches all of them matches any values. */
export function samplePaths(segments: readonly Segment[]): readonly string[] {
  return [...new Set([...values, uuid].map((first) => pathWith(segments, [first, ...values])))]
}

/**
 * Returns a path with an unlikely value for each parameter, even if a parameter's pattern doesn't allow it. A route
 * pattern that matches this path has a wildcard for each parameter.
 */
export function placeholderPath(segments: readonly Segment[]): string {
  return pathWith(
    segments.map((segment) =>
      segment.map((part) => (part.kind === 'literal' ? part : { ...part, pattern: undefined })),
    ),
    values,
  )
}

function pathWith(segments: readonly Segment[], candidates: readonly string[]): string {
  const texts = segments.map((segment) =>
    segment
      .map((part) => (part.kind === 'literal' ? part.text : valueFor(part.pattern, candidates)))
      .join(''),
  )
  return `/${texts.join('/')}`
}

function valueFor(pattern: string | undefined, candidates: readonly string[]): string {
  if (pattern === undefined) return candidates[0] as string // never empty
  const own = new RegExp(`^(?:${pattern})$`, 'i')
  return [...candidates, uuid].find((value) => own.test(value)) ?? pattern.split('|')[0] ?? ''
}

/** Returns the path as text, for messages and reports. */
export function pathText(segments: readonly Segment[]): string {
  return `/${segments.map(segmentText).join('/')}`
}
