/** Patterns that choose routes: `/tasks/**`, `POST /tasks`, `GET,PUT /tasks/:id`. */

import { describe } from '../../support/values.js'
import { folded, spellingsOf } from '../request/shadowed-by.js'
import { type Segment, segmentText, type Template } from './path-template.js'

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

/** Whether the segments of a path, without its first slash and the one at the end, fit. */
export type SegmentsMatcher = (segments: readonly string[]) => boolean

type SegmentMatcher = (segment: string) => boolean

const anySegments = '**'

/**
 * `**` is any number of segments, and `*` any part of one. `parameter`: what stands for `:id` and `{id}`,
 * a text of its own or, by default, one character or more.
 */
export function segmentsMatcher(path: string, parameter?: string): SegmentsMatcher {
  const parts = path.split('/').filter((part) => part !== '')
  const matchers = parts.map((part) => (part === anySegments ? anySegments : segmentMatcher(part, parameter)))
  return (segments) => {
    let at = 0
    let next = 0
    // Where the last `**` stands, and where its segments end so far. An earlier one never needs more than the fewest.
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

/** Each literal is looked for behind the one before: what stands at the first place leaves the most for the others. */
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

/** The texts around the wildcards, and how many characters each of these takes at least. */
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
