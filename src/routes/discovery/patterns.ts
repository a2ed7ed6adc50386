/** Patterns that select routes: `/tasks/**`, `POST /tasks`, `GET,PUT /tasks/:id`. */

import { describe } from '../../support/values.js'
import { folded, spellingsOf } from '../request/shadowed-by.js'
import { type Segment, segmentText, type Template } from './path-template.js'

/** The segments of a concrete path, in every spelling that a router may compare. Computed once for all patterns. */
export type SpelledPath = readonly (readonly string[])[]

export function spelled(path: string): SpelledPath {
  return spellingsOf(path).map((spelling) => segmentsOf(folded(spelling)))
}

/** A parsed pattern. */
export interface RoutePattern {
  /** The pattern as written. */
  readonly source: string
  /** The path of the pattern. */
  readonly path: string
  /** The methods that it names; `undefined` if it names none. */
  readonly methods: string | undefined
  matchesPath(template: Template): boolean
  /** Whether it matches a concrete path, in any case and encoding. `:id` matches any segment. */
  matchesUrl(path: SpelledPath): boolean
  matchesMethod(method: string): boolean
}

/**
 * Parses a pattern. `*` matches one segment or a part of one, `**` any number of segments including none, `:id` and
 * `{id}` a parameter of any name. The method `*` means every method. `defaultMethods`: the methods of a pattern that names
 * none.
 * @throws TypeError for an invalid pattern.
 */
export function parsePattern(source: string, defaultMethods: 'GET' | '*' = 'GET'): RoutePattern {
  const found = /^(?:([A-Za-z*]+(?:\s*,\s*[A-Za-z]+)*)\s+)?(\/\S*)$/.exec(source.trim())
  if (found === null) {
    throw new TypeError(
      `routes: expected a pattern such as "/tasks/**", "POST /tasks" or "GET,PUT /tasks/*"; got ${describe(source)}`,
    )
  }
  const [, methods, path = '/'] = found
  const names = (methods ?? defaultMethods).split(',').map((name) => name.trim().toUpperCase())
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

/** Returns the segments with every parameter as `{}`, whatever its name, and without a trailing slash. */
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

/** Returns whether the segments of a path match. Leading and trailing slashes are removed. */
export type SegmentsMatcher = (segments: readonly string[]) => boolean

type SegmentMatcher = (segment: string) => boolean

const anySegments = '**'

/**
 * Creates a matcher. `**` matches any number of segments, `*` any part of one. `parameter`: the text that `:id` and
 * `{id}` match; default: one or more characters.
 */
export function segmentsMatcher(path: string, parameter?: string): SegmentsMatcher {
  const parts = path.split('/').filter((part) => part !== '')
  const matchers = parts.map((part) => (part === anySegments ? anySegments : segmentMatcher(part, parameter)))
  return (segments) => {
    let at = 0
    let next = 0
    // Position of the last `**`, and where its segments end so far. Backtracking to earlier ones is never needed.
    let star = -1
    let end = 0
    while (at < segments.length) {
      const matcher = matchers[next]
      if (matcher === anySegments) {
        star = next
        end = at
        next += 1
      } else if (matcher?.(segments[at] as string)) {
        at += 1
        next += 1
      } else {
        if (star < 0) return false
        end += 1
        at = end
        next = star + 1
      }
    }
    while (matchers[next] === anySegments) next += 1
    return next === matchers.length
  }
}

/**
 * Creates a matcher that finds each literal at its first position after the previous one, which leaves the most text
 * for the rest.
 */
function segmentMatcher(part: string, parameter: string | undefined): SegmentMatcher {
  const { literals, gaps } = piecesOf(part, parameter)
  const [first = ''] = literals
  if (gaps.length === 0) return (segment) => segment === first
  const last = literals.at(-1) as string // one more than gaps
  return (segment) => {
    if (!segment.startsWith(first)) return false
    let at = first.length
    for (let index = 0; index < gaps.length - 1; index++) {
      const literal = literals[index + 1] as string
      const found = segment.indexOf(literal, at + (gaps[index] as number))
      if (found < 0) return false
      at = found + literal.length
    }
    return segment.length - last.length >= at + (gaps.at(-1) as number) && segment.endsWith(last)
  }
}

/** Splits a segment into the literals around wildcards, and the minimum length of each wildcard. */
function piecesOf(part: string, parameter: string | undefined) {
  const literals = ['']
  const gaps: number[] = []
  const addText = (text: string): void => {
    literals.push(`${literals.pop()}${text}`)
  }
  const addGap = (least: number): void => {
    if (gaps.length > 0 && literals.at(-1) === '') gaps.push((gaps.pop() as number) + least)
    else {
      gaps.push(least)
      literals.push('')
    }
  }
  for (const piece of part.split(/(\*+|:\w+|\{[^}]*\})/)) {
    if (piece.startsWith('*')) addGap(0)
    else if (!/^(?::\w+|\{.*\})$/.test(piece)) addText(piece)
    else if (parameter === undefined) addGap(1)
    else addText(parameter)
  }
  return { literals, gaps }
}
