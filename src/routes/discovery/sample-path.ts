/** A path that a template matches: what a middleware's own matcher is tried on, to see whether it stands in front. */

import { type Segment, segmentText } from './path-template.js'

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
