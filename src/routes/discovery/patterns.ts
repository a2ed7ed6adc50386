/** Patterns that choose routes: `/tasks/**`, `POST /tasks`, `GET,PUT /tasks/:id`. */

import { describe } from '../../support/values.js'
import { folded, spellingsOf } from '../request/shadowed-by.js'
import { type Segment, segmentText, type Template } from './path-template.js'
import { segmentsMatcher } from './wildcards.js'

/** The segments of a finished path, in every spelling that a router may compare. Made once for all patterns. */
export type SpelledPath = readonly (readonly string[])[]

export function spelled(path: string): SpelledPath {
  return spellingsOf(path).map((spelling) => segmentsOf(folded(spelling)))
}

/** A pattern, read once. */
export interface RoutePattern {
  /** As it was written. */
  readonly source: string
  /** The path of it. */
  readonly path: string
  /** The methods that it names; `undefined`: none. */
  readonly methods: string | undefined
  matchesPath(template: Template): boolean
  /** Whether it fits a finished path, whatever its case and however it is encoded; `:id` is any segment there. */
  matchesUrl(path: SpelledPath): boolean
  matchesMethod(method: string): boolean
}

/**
 * `*` is one segment or a part of one, `**` any number of segments, none included; `:id` and `{id}` are a parameter of
 * any name. `*` as method means every one; `unsaid`: the methods of a pattern that names none. @throws TypeError
 */
export function parsePattern(source: string, unsaid: 'GET' | '*' = 'GET'): RoutePattern {
  const found = /^(?:([A-Za-z*]+(?:\s*,\s*[A-Za-z]+)*)\s+)?(\/\S*)$/.exec(source.trim())
  if (found === null) {
    throw new TypeError(
      `routes: expected a pattern such as "/tasks/**", "POST /tasks" or "GET,PUT /tasks/*"; got ${describe(source)}`,
    )
  }
  const [, methods, path = '/'] = found
  const names = (methods ?? unsaid).split(',').map((name) => name.trim().toUpperCase())
  const ofTemplate = segmentsMatcher(path, '{}')
  const ofUrl = segmentsMatcher(folded(path))
  return {
    source,
    path,
    methods: methods && names.join(', '),
    matchesPath: (template) => ofTemplate(comparable(template)),
    matchesUrl: (url) => url.some(ofUrl),
    matchesMethod: (method) => names.includes('*') || names.includes(method),
  }
}

export function matches(pattern: RoutePattern, method: string, template: Template): boolean {
  return pattern.matchesMethod(method) && pattern.matchesPath(template)
}

/** Whatever a parameter is called, it is `{}` here. The slash at the end does not count. */
function comparable({ segments }: Template): readonly string[] {
  return segments.filter((segment) => segment.length > 0).map((segment) => segmentText(unnamed(segment)))
}

function segmentsOf(path: string): readonly string[] {
  const bare = path.endsWith('/') ? path.slice(1, -1) : path.slice(1)
  return bare === '' ? [] : bare.split('/')
}

function unnamed(segment: Segment): Segment {
  return segment.map((part) => (part.kind === 'literal' ? part : { ...part, name: '' }))
}
