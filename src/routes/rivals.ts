/** What in an app may take requests away from a route: for `pathBuilder`. */

import type { Rival } from './path-builder.js'
import { parseOpenApi } from './path-syntax.js'
import type { Discovered } from './route.js'
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
        .map(({ template, method: own }, at) => ({ template, at, own, label: `${own} ${template.text}` }))
        .filter(({ own }) => own === method || own === 'ALL')
        .map(({ template, at, label }): Rival => ({ template, at, label }))
        .concat(closed)
    known.set(method, found)
    return found
  }
}
