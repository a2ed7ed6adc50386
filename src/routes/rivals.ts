/** What in an app may take requests away from a route: for `pathBuilder`. */

import { labelOf } from './label.js'
import type { Rival } from './path-builder.js'
import { parseOpenApi } from './path-syntax.js'
import type { Discovered } from './route.js'
import { takes } from './standing.js'
import { toTemplate } from './template.js'

/**
 * By method, what may take requests away from its routes: all routes of this method (a route is no rival of itself),
 * and whatever lies below a mount that could not be read.
 */
export function rivalsIn({ routes, unread }: Discovered): (method: string) => readonly Rival[] {
  const closed = unread
    .filter(({ path }) => /^(?:\/[^/()*?^]+)+$/.test(path))
    .map(({ path }): Rival => ({ template: toTemplate(parseOpenApi(path)), below: true, label: path }))
  const known = new Map<string, readonly Rival[]>()
  return (method) => {
    const found =
      known.get(method) ??
      routes
        .map((route, at) => ({ route, at }))
        .filter(({ route }) => route.method === method || route.method === 'ALL')
        .map(({ route, at }): Rival => {
          const { template } = route
          return { template, at, passes: !takes(route), label: labelOf(route) }
        })
        .concat(closed)
    known.set(method, found)
    return found
  }
}
