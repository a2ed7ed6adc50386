/** Selects the operations of a document that become tools. By default, all of them do. */

import { matches, parsePattern, type Route } from '../../src/internal.js'
import type { Operation } from '../node/openapi/operations.js'

/** A parsed pattern: `/tasks/**` or `POST /tasks` as for a mount, `tag:billing` for a tag, or else an `operationId`. */
type OperationFilter = (operation: Operation) => boolean

/** Creates a function that selects operations. @throws TypeError for invalid patterns. */
export function createSelector(
  include: readonly string[] | undefined,
  exclude: readonly string[] = [],
): (operation: Operation) => Route {
  const wanted = include?.map((source) => toFilter(source, 'GET'))
  const unwanted = exclude.map((source) => ({ source, filter: toFilter(source, '*') }))
  return (operation) => {
    const { route } = operation
    const excluding = unwanted.find(({ filter }) => filter(operation))
    if (excluding !== undefined) return { ...route, obstacle: `excluded by "${excluding.source}"` }
    if (wanted === undefined || wanted.some((filter) => filter(operation))) return route
    return { ...route, marker: undefined }
  }
}

function toFilter(source: string, defaultMethod: 'GET' | '*'): OperationFilter {
  if (source.startsWith('tag:')) return ({ tags }) => tags.includes(source.slice('tag:'.length))
  if (!source.includes('/')) return ({ operationId }) => operationId === source
  const pattern = parsePattern(source, defaultMethod)
  return ({ route }) => matches(pattern, route.method, route.template)
}
