/** Which of an app's routes takes a request that several could: in Express and Koa the first, in Fastify by its looks. */

import type { Route } from '../route.js'
import { escapeRegExp, isCatchAll, type Part, type Segment, type Template } from './path-template.js'

/** Whether its framework asks routes in the order in which they were declared. */
export function isOrdered({ framework }: Route): boolean {
  return framework === 'express' || framework === 'koa'
}

/**
 * Whether it takes requests for itself. What stands for every method, or for every path below one, mostly is a
 * middleware that passes on; what is hidden is hidden all the same.
 */
export function takes({ method, template, marker, ends }: Route): boolean {
  return (method !== 'ALL' && !isCatchAll(template)) || ends === true || marker?.hidden === true
}

/** By route, the one in front of it that takes all its requests. */
export function coveredBy(routes: readonly Route[]): (route: Route) => Route | undefined {
  const places = new Map(routes.map((route, at) => [route, at]))
  return (route) => {
    if (!isOrdered(route)) return undefined
    const at = places.get(route) ?? 0
    for (let index = 0; index < at; index++) {
      const other = routes[index] as Route // below the length
      if (precedes(other, route) && takes(other)) return other
    }
    return undefined
  }
}

/** Whether all requests of `route` fit `other`, too, which is asked first. */
export function precedes(other: Route, route: Route): boolean {
  const sameMethod = other.method === route.method || other.method === 'ALL'
  return sameMethod && covers(other.template, route.template) && welcomes(other.accepts, route)
}

/** Whether what only takes certain headers takes those of every call of this route. */
export function welcomes(accepts: Route['accepts'], { headers }: Route): boolean {
  return accepts === undefined || (headers !== undefined && accepts(headers))
}

/** Whether some path could belong to both. */
export function mayMeet(a: Template, b: Template): boolean {
  if (isStretching(a) || isStretching(b)) return true
  const [one, other] = [a, b].map(({ segments }) => segments.filter((segment) => segment.length > 0))
  if (one === undefined || one.length !== other?.length) return false
  return one.every((segment, index) => {
    const [text, otherText] = [literalOf(segment), literalOf(other[index] as Segment)] // as many
    return text === undefined || otherText === undefined || text === otherText
  })
}

/** Its paths differ in how many segments they have. */
function isStretching({ segments }: Template): boolean {
  return segments.some((segment) =>
    segment.some((part) => part.kind === 'parameter' && (part.optional || part.wildcard)),
  )
}

/** Every path of `inner` is one of `outer`. */
function covers(outer: Template, inner: Template): boolean {
  const forms = formsOf(outer.segments)
  return formsOf(inner.segments).every((path) => forms.some((form) => coversForm(form, path)))
}

/** With and without each optional segment; a slash at the end says nothing. */
function formsOf(segments: readonly Segment[]): Segment[][] {
  let forms: Segment[][] = [[]]
  for (const segment of segments) {
    if (segment.length === 0) continue
    const [first] = segment
    const longer = forms.map((form) => [...form, segment])
    forms = first?.kind === 'parameter' && first.optional && !first.wildcard ? [...forms, ...longer] : longer
  }
  return forms
}

function coversForm(outer: readonly Segment[], inner: readonly Segment[]): boolean {
  const end = outer.findIndex((segment) => segment.some((part) => part.kind === 'parameter' && part.wildcard))
  const fixed = end < 0 ? outer : outer.slice(0, end)
  const fits =
    end < 0 ? inner.length === outer.length : end === outer.length - 1 && inner.length >= outer.length
  return fits && fixed.every((segment, index) => coversSegment(segment, inner[index] as Segment)) // not longer
}

function coversSegment(outer: Segment, inner: Segment): boolean {
  const [first] = outer
  if (outer.length === 1 && first?.kind === 'parameter' && first.pattern === undefined) return true
  const text = literalOf(inner)
  if (text !== undefined) return new RegExp(`^${outer.map(sourceOf).join('')}$`, 'i').test(text)
  return outer.length === inner.length && outer.every((part, index) => isSame(part, inner[index] as Part))
}

function isSame(a: Part, b: Part): boolean {
  if (a.kind === 'literal' || b.kind === 'literal') {
    return a.kind === 'literal' && b.kind === 'literal' && a.text.toLowerCase() === b.text.toLowerCase()
  }
  return a.pattern === undefined || a.pattern === b.pattern
}

/** Of a segment without parameters. Routers ignore case by default. */
function literalOf(segment: Segment): string | undefined {
  const literal = segment.every((part) => part.kind === 'literal')
  return literal ? segment.map((part) => (part as { text: string }).text.toLowerCase()).join('') : undefined
}

function sourceOf(part: Part): string {
  if (part.kind === 'literal') return escapeRegExp(part.text)
  return part.pattern === undefined ? '[^/]+' : `(?:${part.pattern})`
}
