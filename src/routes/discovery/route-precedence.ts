/** Route precedence: declaration order in Express and Koa, specificity in Fastify. */

import type { Route } from '../route.js'
import { escapeRegExp, isCatchAll, type Part, type Segment, type Template } from './path-template.js'

/** Whether the framework matches routes in declaration order. */
export function isOrdered({ framework }: Route): boolean {
  return framework === 'express' || framework === 'koa'
}

/**
 * Whether a route handles requests itself. A route for every method, or a catch-all, is usually middleware that calls
 * `next`. A hidden route counts as handling its requests in any case.
 */
export function handlesRequests({ method, template, marker, ends }: Route): boolean {
  return (method !== 'ALL' && !isCatchAll(template)) || ends === true || marker?.hidden === true
}

/** Returns a function that finds the preceding route that matches all requests of a route. */
export function shadowingRouteOf(routes: readonly Route[]): (route: Route) => Route | undefined {
  const places = new Map(routes.map((route, at) => [route, at]))
  return (route) => {
    if (!isOrdered(route)) return undefined
    const at = places.get(route) ?? 0
    for (let index = 0; index < at; index++) {
      const other = routes[index] as Route // below the length
      if (precedes(other, route) && handlesRequests(other)) return other
    }
    return undefined
  }
}

/** Whether `other` matches all requests of `route`, given that it comes first. */
export function precedes(other: Route, route: Route): boolean {
  const sameMethod = other.method === route.method || other.method === 'ALL'
  return sameMethod && covers(other.template, route.template) && acceptsAlways(other.accepts, route)
}

/** Whether the condition `accepts` holds for every call of this route. */
export function acceptsAlways(accepts: Route['accepts'], { headers }: Route): boolean {
  return accepts === undefined || (headers !== undefined && accepts(headers))
}

/** Whether some path could match both templates. */
export function mayOverlap(a: Template, b: Template): boolean {
  if (hasVariableLength(a) || hasVariableLength(b)) return true
  const [one, other] = [a, b].map(({ segments }) => segments.filter((segment) => segment.length > 0))
  if (one === undefined || one.length !== other?.length) return false
  return one.every((segment, index) => {
    const [text, otherText] = [literalOf(segment), literalOf(other[index] as Segment)] // as many
    return text === undefined || otherText === undefined || text === otherText
  })
}

/** Whether its paths differ in their number of segments. */
function hasVariableLength({ segments }: Template): boolean {
  return segments.some((segment) =>
    segment.some((part) => part.kind === 'parameter' && (part.optional || part.wildcard)),
  )
}

/** Whether `outer` matches every path of `inner`. */
function covers(outer: Template, inner: Template): boolean {
  const forms = formsOf(outer.segments)
  return formsOf(inner.segments).every((path) => forms.some((form) => coversForm(form, path)))
}

/** Returns the variants with and without each optional segment. Trailing slashes are ignored. */
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
  return fits && fixed.every((segment, index) => coversSegment(segment, inner[index] as Segment)) // inner isn't shorter
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

/** Returns the text of a segment without parameters, in lower case because routers ignore case by default. */
function literalOf(segment: Segment): string | undefined {
  const literal = segment.every((part) => part.kind === 'literal')
  return literal ? segment.map((part) => (part as { text: string }).text.toLowerCase()).join('') : undefined
}

function sourceOf(part: Part): string {
  if (part.kind === 'literal') return escapeRegExp(part.text)
  return part.pattern === undefined ? '[^/]+' : `(?:${part.pattern})`
}
