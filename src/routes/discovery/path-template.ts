/** A route's path in one form for all frameworks: segments of literals and parameters. */

/** A whole path. `/files/:name.json` has one segment of two parts. */
export interface Template {
  readonly segments: readonly Segment[]
  /** `/tasks/{id}`; what names, messages and patterns are made of. A wildcard is `*`. */
  readonly text: string
}

/** The parts between two slashes. None: the slash at the end of `/tasks/`. */
export type Segment = readonly Part[]

export type Part = Literal | Parameter

export interface Literal {
  readonly kind: 'literal'
  readonly text: string
}

export interface Parameter {
  readonly kind: 'parameter'
  readonly name: string
  /** The source of a regular expression that its whole value must match, where the framework has one. */
  readonly pattern?: string | undefined
  /** The framework tests the pattern before it decodes the value, and in any case (Express, Koa). */
  readonly encoded?: boolean | undefined
  /** Longer values reach another route, or none (Fastify's `maxParamLength`). */
  readonly maxLength?: number | undefined
  /** The whole segment may be missing. */
  readonly optional: boolean
  /** Takes several segments. */
  readonly wildcard: boolean
}

/** A path that cannot be told as a template; the message says why and what to do. */
export class UnreadablePath extends Error {
  override readonly name: string = 'UnreadablePath'
  /** As it was written, as far as that can be told. */
  readonly path: string | undefined

  constructor(message: string, path?: string) {
    super(message)
    this.path = path
  }
}

/** Of parameters with one name, the later ones are numbered: each must be told apart in the tool's input. */
export function toTemplate(segments: readonly Segment[]): Template {
  const seen = new Map<string, number>()
  const unique = segments.map((segment) => segment.map((part) => numbered(part, seen)))
  return { segments: unique, text: `/${unique.map(segmentText).join('/')}` }
}

/** `/tasks` and `/` are `/tasks`; `/tasks` and `/{id}/` keep the slash at the end. */
export function joinSegments(prefix: readonly Segment[], rest: readonly Segment[]): readonly Segment[] {
  const head = prefix.filter((segment) => segment.length > 0)
  return rest.length === 1 && rest[0]?.length === 0 ? head : [...head, ...rest]
}

/** Its parameters, in order. */
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

/** Nothing that an author would write as a literal comes first. */
const values = ['~any~', '1', '0', 'a', 'A', '11111111', 'aaaaaaaa', '2000-01-01', 'a-1']
const uuid = '00000000-0000-4000-8000-000000000000'

/** Optional segments are there, a wildcard has one segment. */
export function samplePath(segments: readonly Segment[]): string {
  return pathWith(segments, values)
}

/** Several, of different values: what fits them all fits whatever the parameters are. */
export function samplePaths(segments: readonly Segment[]): readonly string[] {
  return [...new Set([...values, uuid].map((first) => pathWith(segments, [first, ...values])))]
}

/** Whatever fits this path has a wildcard wherever the template has a parameter, also where only certain values fit that. */
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

/** For messages and reports. */
export function pathText(segments: readonly Segment[]): string {
  return `/${segments.map(segmentText).join('/')}`
}
