/** Which operations of a document become tools. Who adds a document wants all of it, unless told otherwise. */

import { matches, parsePattern, type Route } from '../../src/internal.js'
import type { Operation } from '../node/openapi/operations.js'

/** `/tasks/**`, `POST /tasks`: as at a mount; `tag:billing`: all with that tag; anything else: an `operationId`. */
type Wish = (operation: Operation) => boolean

/** @throws TypeError for patterns that cannot be read. */
export function chooser(
  include: readonly string[] | undefined,
  exclude: readonly string[] = [],
): (operation: Operation) => Route {
  const wanted = include?.map((source) => toWish(source, 'GET'))
  const unwanted = exclude.map((source) => ({ source, wish: toWish(source, '*') }))
  return (operation) => {
    const { route } = operation
    const excluding = unwanted.find(({ wish }) => wish(operation))
    if (excluding !== undefined) return { ...route, obstacle: `excluded by "${excluding.source}"` }
    if (wanted === undefined || wanted.some((wish) => wish(operation))) return route
    return { ...route, marker: undefined }
  }
}

function toWish(source: string, unsaid: 'GET' | '*'): Wish {
  if (source.startsWith('tag:')) return ({ tags }) => tags.includes(source.slice('tag:'.length))
  if (!source.includes('/')) return ({ operationId }) => operationId === source
  const pattern = parsePattern(source, unsaid)
  return ({ route }) => matches(pattern, route.method, route.template)
}
